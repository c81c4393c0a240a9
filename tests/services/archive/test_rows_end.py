"""Invoices leave all tables with the last of their parts, and what is kept of them is a count and a
digest in the audit log."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from einvoice.services.account import audit, tenants
from einvoice.services.account.audit import AuditRecord
from einvoice.services.archive import disposal, holds
from einvoice.store.core import db
from einvoice.store.invoices import blocks, ended, kind_counts
from einvoice.store.invoices.blocks import Counted
from einvoice.store.sending import transmissions
from einvoice.store.tables import ArchivePart, Invoice
from einvoice.web.runtime import runtime
from tests.services.archive.conftest import DOCUMENT, ORIGINAL, evidence, in_row
from tests.services.archive.test_disposal import DAY_AFTER, LAST_DAY, MADE, drop, made

MONTH = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def archive_settings():
    """Bytes lie in their rows; both leave."""
    return {"archive_drop": True, "archive_drop_rows": True}


def rows_of(*invoice_ids: str) -> dict[str, int]:
    """The rows that have one of these ids in any column, by table, but for the walk's position."""
    found = {}
    tables = [each for each in db.Base.metadata.sorted_tables if each.name != "archive_walks"]
    with db.reading() as connection:
        for table in tables:
            texts = [c for c in table.c if isinstance(c.type, sa.String)]
            query = sa.select(sa.func.count()).select_from(table)
            named = sa.or_(*(column.in_(invoice_ids) for column in texts), sa.false())
            if count := connection.execute(query.where(named)).scalar_one():
                found[table.name] = count
    return found


def attempted(*sends) -> None:
    """Store an attempt of each."""
    rows = [
        {
            "id": send.transmission_id, "number": 1, "started_at": MADE, "ended_at": MADE,
            "outcome": "Delivered", "detail": None,
        }
        for send in sends
    ]  # fmt: skip
    with db.writing() as connection:
        transmissions.record_attempts(connection, rows)


def entries(tenant: str) -> list[AuditRecord]:
    return audit.page(tenant, before=None, limit=10, matching={"action": "documents.ended"})


@pytest.mark.parametrize(("now", "left"), [(LAST_DAY, True), (DAY_AFTER, False)])
def test_an_invoice_leaves_every_table_when_its_retention_has_ended(app, tenant, now, left):
    """The audit log, and what is deleted by times of its own, may name it."""
    sent = made(tenant)
    evidence(sent)
    drop(now)
    names = rows_of(sent.invoice_id, sent.transmission_id).keys()

    assert ("invoices" in names) is left
    assert left or names <= {"audit_entries", *ended.STAY}


def test_every_table_with_an_invoice_is_emptied_or_has_a_reason_to_stay(app):
    named = {t.name for t in db.Base.metadata.sorted_tables if "invoice_id" in t.c}

    assert named == {table.name for table in ended.with_invoices()} | ended.STAY.keys()


def test_the_audit_log_has_one_digest_of_all_parts_that_left_together(app, tenant):
    """Whoever has the documents can compute it."""
    sent = [made(tenant), made(tenant)]
    receipt = evidence(sent[0])
    drop(DAY_AFTER)
    (entry,) = entries(tenant)

    def line(invoice, part, kind, content):
        return f"{invoice.invoice_id} {part} {kind} {hashlib.sha256(content).hexdigest()}\n"

    lines = [line(each, "document", "UBL", DOCUMENT) for each in sent]
    lines += [line(each, "original", "ORIGINAL", ORIGINAL) for each in sent]
    lines += [line(sent[0], receipt.id, receipt.kind, receipt.content)]
    whole = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
    assert entry.detail["sha256"] == whole
    assert (entry.detail["documents"], entry.detail["environment"]) == (2, "live")
    assert entry.actor == "operator"


def test_an_invoice_stays_while_a_piece_of_its_evidence_is_kept(app, tenant):
    sent = made(tenant)
    evidence(sent, b"<Clearance/>", retention_years=11)
    drop(DAY_AFTER)

    assert in_row(sent)[:2] == (b"", b"")
    drop(DAY_AFTER.replace(year=2038))
    assert "invoices" not in rows_of(sent.invoice_id)


def test_an_invoice_stays_while_a_legal_hold_lasts(app, tenant):
    sent = made(tenant)
    hold = holds.place(tenant, sent.invoice_id, "file 7")
    drop(DAY_AFTER)
    assert in_row(sent)[1] == DOCUMENT

    holds.release(hold.id)
    with db.writing() as connection:
        disposal.begin_again(connection, DAY_AFTER)
    drop(DAY_AFTER)
    assert "invoices" not in rows_of(sent.invoice_id)


def test_rows_that_stayed_leave_when_it_is_switched_on(app, tenant):
    """In the year in which their bytes were dropped, too."""
    sent = made(tenant)
    given = runtime().settings
    object.__setattr__(given, "archive_drop_rows", False)
    drop(DAY_AFTER)
    assert {"invoices", "archive_parts"} <= rows_of(sent.invoice_id).keys()

    object.__setattr__(given, "archive_drop_rows", True)
    drop(DAY_AFTER)
    assert not rows_of(sent.invoice_id).keys() & {"invoices", "archive_parts"}


def counts(tenant: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in kind_counts.of_tenants([tenant], "live", *MONTH):
        found[one.status] = found.get(one.status, 0) + one.documents
    return found


def test_the_usage_of_a_month_is_the_same_after_its_documents_left(app, tenant, monkeypatch):
    """Totals of lists, which count what is there, are not."""
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 2)
    scope = Counted(tenant, "live")
    for day in range(2, 7):
        made(tenant, MADE.replace(day=day))
    kept = made(tenant, MADE.replace(day=8), supplier_country="HR")  # eleven years
    while blocks.add_next(scope, DAY_AFTER):
        blocks.count_settled(scope)
    before = counts(tenant)
    drop(DAY_AFTER)
    blocks.count_settled(scope)

    assert before == counts(tenant) == {"Delivered": 6}
    with db.reading() as connection:
        assert blocks.total(connection, scope, ["Delivered"]) == 1
        assert connection.execute(sa.select(Invoice.id)).scalars().all() == [kept.invoice_id]


def test_blocks_without_documents_are_deleted(app, tenant, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 1)
    scope = Counted(tenant, "live")
    made(tenant), made(tenant, MADE.replace(day=2))
    blocks.add_next(scope, DAY_AFTER)
    blocks.count_settled(scope)
    drop(DAY_AFTER)
    blocks.count_settled(scope)

    with db.reading() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM invoice_blocks")).scalar() == 0


def test_documents_of_others_are_untouched(app, tenant):
    other_tenant = tenants.create("Other")
    mine, young = made(tenant), made(other_tenant, MADE.replace(year=2027))
    evidence(young)
    attempted(mine, young)
    before = rows_of(young.invoice_id, young.transmission_id)
    drop(DAY_AFTER)

    assert not rows_of(mine.invoice_id, mine.transmission_id).keys() & {"invoices", "attempts"}
    assert rows_of(young.invoice_id, young.transmission_id) == before
    assert "attempts" in before
    assert entries(other_tenant) == []
    with db.reading() as connection:
        assert connection.execute(sa.select(ArchivePart.owner_id)).all() == []
