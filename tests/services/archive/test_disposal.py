"""What is past its retention is dropped, its proof stays, and holds protect."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.compliance import retention
from einvoice.domain import ids
from einvoice.domain.errors import ArchiveDamaged, DocumentDropped, NotFound
from einvoice.services import believed_clock
from einvoice.services.account import audit, plans, tenants
from einvoice.services.archive import disposal, holds, retention_periods, transfer, upkeep, walks
from einvoice.services.caches import Caches
from einvoice.store.account import audit as stored_audit
from einvoice.store.archive import archived
from einvoice.store.core import db
from einvoice.store.core.resources import resources
from einvoice.store.invoices import artefacts, invoices
from einvoice.store.tables import ArchiveObject, ArchivePart
from einvoice.web.runtime import runtime
from tests.builders import accepted
from tests.services.archive.conftest import DOCUMENT, ORIGINAL, evidence, final, in_row
from tests.tables import each_row

MADE = datetime(2026, 3, 1, tzinfo=UTC)
LAST_DAY = datetime(2036, 12, 31, 23, tzinfo=UTC)  # 10 years in Belgium, to the end of the year
DAY_AFTER = datetime(2037, 1, 1, 1, tzinfo=UTC)


@pytest.fixture
def archive_settings(archive_settings):
    return archive_settings | {"archive_drop": True}


def made(tenant, at: datetime = MADE, **changes):
    """A live document of a Belgian supplier, delivered then."""
    given = {
        "environment": "live", "document": DOCUMENT, "original": ORIGINAL,
        "issue_date": at.date(), "invoice_id": str(ids.TimeOrderedIds().next(at)),
    } | changes  # fmt: skip
    return final(accepted(tenant, created_at=at, **given))


def drop(now: datetime) -> int:
    return disposal.drop(runtime().settings, seconds=60, now=now)[0]


def move(now: datetime) -> int:
    return transfer.move(runtime().settings, seconds=60, now=now)[0].parts


def documents_of(send):
    return invoices.documents(send.invoice_id, send.tenant_id, send.environment)


@pytest.mark.parametrize("moved", [True, False])
@pytest.mark.parametrize(("now", "parts"), [(LAST_DAY, 0), (DAY_AFTER, 3)])
def test_retention_ends_with_the_last_day_of_its_year(app, tenant, moved, now, parts):
    """Of an invoice and its evidence, in their rows or in objects."""
    sent = made(tenant)
    receipt = evidence(sent)
    if moved:
        move(MADE + timedelta(days=60))

    assert drop(now) == parts
    if parts:
        for read in (lambda: documents_of(sent).document, lambda: documents_of(sent).original,
                     lambda: artefacts.content(sent.invoice_id, receipt.id, tenant)):  # fmt: skip
            with pytest.raises(DocumentDropped):
                read()
        assert in_row(sent)[:2] == (b"", b"")
    else:
        assert documents_of(sent).document == DOCUMENT


def test_the_proof_says_what_was_dropped_when_and_why(app, tenant):
    sent = made(tenant)
    drop(DAY_AFTER)
    proof = archived.placed([sent.invoice_id])[sent.invoice_id, "document"]

    assert (proof.kind, proof.size, len(proof.sha256)) == ("UBL", len(DOCUMENT), 64)
    assert proof.dropped_at == DAY_AFTER
    assert proof.dropped_rule == "10 years, BE: VAT Code, art. 60 § 4, since 2023 (7 years before)"
    with pytest.raises(DocumentDropped) as raised:
        _ = documents_of(sent).document
    assert raised.value.extras() == {
        "sha256": proof.sha256, "droppedAt": "2037-01-01T01:00:00.000Z",
    }  # fmt: skip


def test_the_objects_of_dropped_parts_are_deleted(app, tenant):
    sent = made(tenant)
    move(MADE + timedelta(days=60))
    part = archived.placed([sent.invoice_id])[sent.invoice_id, "document"]
    drop(DAY_AFTER)

    with db.reading() as connection:
        assert connection.execute(sa.select(ArchiveObject.sha256)).all() == []
    with pytest.raises(Exception, match=part.sha256):
        resources().archive.named(part.store).get(part.name.key)


def test_an_object_that_another_invoice_uses_stays(app, tenant):
    old, young = made(tenant), made(tenant, MADE.replace(year=2027))
    move(MADE.replace(year=2028))

    assert drop(DAY_AFTER) == 2
    assert documents_of(young).document == DOCUMENT
    with pytest.raises(DocumentDropped):
        _ = documents_of(old).document


def test_evidence_that_its_network_keeps_longer_outlives_its_invoice(app, tenant):
    sent = made(tenant)
    short, long = evidence(sent), evidence(sent, b"<Clearance/>", retention_years=11)
    drop(DAY_AFTER)

    assert artefacts.content(sent.invoice_id, long.id, tenant).content == b"<Clearance/>"
    with pytest.raises(DocumentDropped):
        artefacts.content(sent.invoice_id, short.id, tenant)
    assert drop(DAY_AFTER.replace(year=2038)) == 1


@pytest.mark.parametrize(
    ("changes", "last"),
    [
        ({"supplier_country": "NL"}, date(2033, 12, 31)),
        ({"supplier_country": "HR"}, date(2037, 12, 31)),
        ({"supplier_country": None}, date(2036, 12, 31)),
        ({"supplier_country": "XX"}, date(2036, 12, 31)),
        ({"kind": "selfBilledInvoice", "supplier_country": "NL"}, date(2036, 12, 31)),
        ({"kind": "creditNote", "supplier_country": "NL"}, date(2033, 12, 31)),
        ({"environment": "test"}, date(2027, 12, 31)),
        ({"issue_date": date(2027, 1, 5)}, date(2037, 12, 31)),
        ({"issue_date": date(2020, 1, 5)}, date(2036, 12, 31)),
        ({"issue_date": date(9999, 12, 31)}, date(2036, 12, 31)),
    ],
)
def test_the_years_are_those_of_the_country(app, tenant, changes, last):
    """Of the supplier of a sent invoice, of the buyer of one that the buyer sends; a wrong date of
    issue does not keep it for ever."""
    sent = made(tenant, buyer_country="BE", **changes)
    day = datetime(last.year, last.month, last.day, 12, tzinfo=UTC)

    assert drop(day) == 0
    assert documents_of(sent).document == DOCUMENT
    assert drop(day + timedelta(days=1)) == 2


@each_row(
    ("direction", "kind", "country"),
    [
        ("sent", "invoice", "NL"),
        ("sent", "selfBilledInvoice", "HR"),
        ("received", "creditNote", "HR"),
        ("received", "selfBilledCreditNote", "NL"),
    ],
)
def test_the_law_is_that_of_the_tenant(direction, kind, country):
    """Who is the supplier of what was sent, but for what buyers send."""
    document = SimpleNamespace(
        environment="live", direction=direction, kind=kind, supplier_country="NL",
        buyer_country="HR",
    )  # fmt: skip

    assert f" years, {country}: " in retention_periods.rule_of(document, None, 10).words


@pytest.mark.parametrize("moved", [True, False])
@pytest.mark.parametrize(("years", "last"), [(12, 2038), (10, 2036), (1, 2036)])
def test_a_plan_makes_the_years_more_and_never_fewer(app, tenant, moved, years, last):
    """In rows and in objects; the proof says by which rule it was dropped."""
    plans.set_by_operator(tenant, {"retentionYears": years}, Caches())
    made(tenant)
    if moved:
        move(MADE + timedelta(days=60))
    day = datetime(last, 12, 31, 12, tzinfo=UTC)

    assert drop(day) == 0
    assert drop(day + timedelta(days=1)) == 2
    with db.reading() as connection:
        rules = set(connection.execute(sa.select(ArchivePart.dropped_rule)).scalars())
    assert ("as its plan says" in rules.pop()) is (years > 10)


def test_a_plan_keeps_nothing_of_the_sandbox(app, tenant):
    plans.set_by_operator(tenant, {"retentionYears": 12}, Caches())
    made(tenant, environment="test")

    assert drop(datetime(2028, 1, 1, 12, tzinfo=UTC)) == 2


def test_nothing_is_dropped_unless_it_is_switched_on(make_app, archive_settings, tenant):
    with make_app(**archive_settings | {"archive_drop": False}).app_context():
        sent = made(tenant)

        assert drop(DAY_AFTER) == 0
        assert documents_of(sent).document == DOCUMENT


def test_an_invoice_that_is_not_final_is_not_dropped(app, tenant):
    sent = made(tenant)
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE transmissions SET phase = 'unknown'"))

    assert drop(DAY_AFTER) == 0
    assert documents_of(sent).document == DOCUMENT


def test_invoices_with_random_ids_are_dropped_as_well(app, tenant):
    """Those of earlier releases."""
    for first in "0f":
        made(tenant, invoice_id=first + str(uuid.uuid4())[1:])

    assert [drop(LAST_DAY), drop(DAY_AFTER), drop(DAY_AFTER)] == [0, 4, 0]


def test_invoices_that_came_from_another_installation_are_dropped_as_well(app, tenant):
    """In the year in which they come, though the walk of the year has passed their ids."""
    other = tenants.create("Other")
    made(tenant)
    drop(DAY_AFTER)
    made(other, MADE - timedelta(days=30))
    before = drop(DAY_AFTER)
    with db.writing() as connection:
        walks.visit_again(connection, other)

    assert (before, drop(DAY_AFTER)) == (0, 2)


def test_nothing_is_dropped_by_a_clock_that_cannot_be_believed(app, tenant, monkeypatch):
    made(tenant)
    monkeypatch.setattr(believed_clock, "fault", lambda: "an hour apart")
    before = drop(DAY_AFTER)
    monkeypatch.setattr(believed_clock, "fault", lambda: None)

    assert (before, drop(DAY_AFTER)) == (0, 2)


def test_fewer_years_are_asked_for_with_the_command_or_the_next_year(app, tenant, monkeypatch):
    """A worker looks at each invoice once a year."""
    sent = made(tenant)
    plans.set_by_operator(tenant, {"retentionYears": 12}, Caches())
    first = drop(DAY_AFTER)
    plans.set_by_operator(tenant, None, Caches())
    second = drop(DAY_AFTER)
    monkeypatch.setattr(clock, "now", lambda: DAY_AFTER)
    disposal.look_again()

    assert (first, second, drop(DAY_AFTER)) == (0, 0, 2)
    assert in_row(sent)[:2] == (b"", b"")


@pytest.mark.parametrize("whole", [True, False])
def test_a_hold_protects_until_it_is_released(app, tenant, whole, monkeypatch):
    """Of the tenant or of one invoice; another tenant's hold protects nothing."""
    sent, other = made(tenant), made(tenants.create("Other"))
    hold = holds.place(tenant, None if whole else sent.invoice_id, "lawsuit 4711")
    before = drop(DAY_AFTER)
    kept = documents_of(sent).document
    monkeypatch.setattr(clock, "now", lambda: DAY_AFTER)
    holds.release(hold.id)

    assert (before, kept) == (2, DOCUMENT)
    with pytest.raises(DocumentDropped):
        _ = documents_of(other).document
    assert drop(DAY_AFTER) == 2


def test_a_hold_needs_an_invoice_of_the_tenant(app, tenant):
    foreign = made(tenants.create("Other"))

    for invoice in (foreign.invoice_id, "none"):
        with pytest.raises(NotFound):
            holds.place(tenant, invoice, "x")
    with pytest.raises(NotFound):
        holds.place("none", None, "x")
    with pytest.raises(NotFound):
        holds.release("none")


def test_holds_are_in_the_audit_log(app, tenant):
    with audit.of_operator():
        hold = holds.place(tenant, None, "lawsuit 4711")
        holds.release(hold.id)
    entries = stored_audit.before(tenant, None, 9, {})

    assert [(one.action, one.actor) for one in entries] == [
        ("hold.released", "operator"), ("hold.placed", "operator"),
    ]  # fmt: skip
    assert [one.released_at is None for one in holds.of_tenant(tenant)] == [False]


def test_copies_of_a_dropped_document_are_emptied(app, tenant):
    sent = made(tenant)
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE transmissions SET prepared = document FROM invoices"))
    drop(DAY_AFTER)

    with db.reading() as connection:
        left = connection.execute(
            sa.text("SELECT prepared FROM transmissions WHERE id = :id"),
            {"id": sent.transmission_id},
        )
        assert left.scalar() is None


def test_a_drop_that_was_killed_before_the_object_was_deleted_is_finished(app, tenant, monkeypatch):
    sent = made(tenant)
    move(MADE + timedelta(days=60))
    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "remove", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            drop(DAY_AFTER)
    swept = upkeep.sweep(DAY_AFTER + timedelta(days=2))

    assert swept == 2
    with pytest.raises(DocumentDropped):
        _ = documents_of(sent).document


def test_dropping_again_drops_nothing(app, tenant):
    made(tenant)

    assert [drop(DAY_AFTER), drop(DAY_AFTER), drop(DAY_AFTER.replace(year=2038))] == [2, 0, 0]
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(ArchivePart)).scalar() == 2


def test_every_listed_country_has_years_and_a_law():
    """Those with more than the default would be dropped too early without an entry."""
    for code in ("AE", "AT", "BE", "CN", "DE", "FR", "HR", "NL", "PL", "SE"):
        assert code in retention.rule_of(code).words
    assert retention.rule_of("CN").years == 30
    assert retention.rule_of("BE", artefact_years=9).years == 10
    assert retention.rule_of("BE", artefact_years=10_000).years == 100


def test_damage_is_not_reported_as_dropped(app, tenant):
    sent = made(tenant)
    move(MADE + timedelta(days=60))
    for part in archived.placed([sent.invoice_id]).values():
        resources().archive.named(part.store).delete(part.name.key)

    with pytest.raises(ArchiveDamaged):
        _ = documents_of(sent).document
