"""A received document that no computing process had time for ends as a judged bill."""

from __future__ import annotations

import dataclasses
from datetime import date, timedelta
from decimal import Decimal
from itertools import count

import pytest
import sqlalchemy as sa

from einvoice.domain.artefacts import VALIDATION_REPORT
from einvoice.domain.environments import Environment
from einvoice.domain.errors import ComputingUnavailable
from einvoice.domain.request import SendWarning
from einvoice.network import samples
from einvoice.network.mailboxes import StatedHead
from einvoice.network.types import Duplicate, Stored
from einvoice.services.account import tenants
from einvoice.services.computing import sizes
from einvoice.services.inbound import later_evaluation
from einvoice.services.inbound.arrivals import Arrivals
from einvoice.services.inbound.reception import _arrival
from einvoice.services.invoices import detail
from einvoice.services.principal import Principal
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.inbound import received as store
from einvoice.store.tables import Invoice, Notice, Outbox, Received, Transmission
from einvoice.web.runtime import runtime_of
from tests.computing import InProcess
from tests.crashes import crash_before
from tests.workers import claimed

READ = [
    *(column for column in Invoice.__table__.columns
      if column.name not in {"id", "transmission_id", "created_at", "number"}),
    Transmission.sender_country, Transmission.receiver_country,
    Received.syntax, Received.supplier_id, Received.customer_id, Received.gl_account_code,
]  # fmt: skip


class Computing(InProcess):
    """Has time for nothing, until `available`."""

    available = False

    def run(self, tenant_id, function, *args, large=True):
        if not self.available:
            raise ComputingUnavailable("Too many wait.")
        return super().run(tenant_id, function, *args, large=large)


@pytest.fixture
def computing(app, tenant, monkeypatch):
    monkeypatch.setattr(sizes, "MAX_TAGS", 0)
    monkeypatch.setattr(sizes, "_MIN_BYTES", 0)
    with app.app_context():
        tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
        yield Computing()


@pytest.fixture
def parts(app, computing):
    return dataclasses.replace(runtime_of(app), computing=computing)


def received(parts, tenant, inbound, **more):
    arrival = dataclasses.replace(_arrival(inbound, tenant, followed=True), **more)
    return Arrivals(parts.computing, parts.forms).store(arrival)


def judge(parts, tenant):
    later_evaluation.judge(*claimed(outbox.CHORES, tenant, kind=outbox.JUDGEMENT), parts)


def row_of(invoice_id):
    query = sa.select(*READ).join(Transmission, Transmission.invoice_id == Invoice.id)
    query = query.join(Received, Received.invoice_id == Invoice.id).where(Invoice.id == invoice_id)
    with db.reading() as connection:
        return connection.execute(query).one()


def counts():
    kind = sa.select(sa.func.count()).select_from(Outbox).where(Outbox.kind == outbox.JUDGEMENT)
    with db.reading() as connection:
        notices = connection.execute(sa.select(sa.func.count()).select_from(Notice)).scalar()
        return connection.execute(kind).scalar(), notices


def findings_of(invoice_id):
    return [each["ruleId"] for each in row_of(invoice_id).findings]


def reports(invoice_id, tenant):
    """The digests of its listed reports."""
    who = Principal(tenant, Environment.TEST, frozenset())
    return [each.sha256 for each in detail.list_artefacts(invoice_id, who, VALIDATION_REPORT.code)]


def test_its_report_is_listed_once_it_is_final(parts, tenant, move):
    """Of a document that is judged, and of one that is given up."""
    judged = received(parts, tenant, samples.inbound(instance_id="judged", number="L-1"))
    assert reports(judged.document_id, tenant) == []
    parts.computing.available = True
    judge(parts, tenant)
    assert len(reports(judged.document_id, tenant)) == 1

    parts.computing.available = False
    given_up = received(parts, tenant, samples.inbound(instance_id="given up", number="L-2"))
    move(hours=25)
    assert reports(given_up.document_id, tenant) == []
    judge(parts, tenant)
    assert len(reports(given_up.document_id, tenant)) == 1


def test_it_is_stored_unread_and_becomes_the_bill_that_it_would_have_been(parts, tenant):
    late = received(parts, tenant, samples.inbound(instance_id="late", number="L-1"))
    again = received(parts, tenant, samples.inbound(instance_id="late", number="L-1"))

    assert (type(late), type(again)) == (Stored, Duplicate)
    assert findings_of(late.document_id) == ["NOT-JUDGED"]
    assert counts() == (1, 0)

    parts.computing.available = True
    judge(parts, tenant)
    at_once = received(parts, tenant, samples.inbound(instance_id="at once", number="L-2"))
    different = {
        name
        for name, value in row_of(late.document_id)._asdict().items()
        if value != row_of(at_once.document_id)._asdict()[name]
    }
    assert different == {"original", "document"}  # by their numbers
    assert counts() == (0, 2)


def test_it_waits_while_no_process_has_time_and_is_given_up_after_a_day(parts, tenant, move):
    late = received(parts, tenant, samples.inbound())
    judge(parts, tenant)
    judge(parts, tenant)
    assert counts() == (1, 0)

    move(hours=25)
    judge(parts, tenant)
    (finding,) = row_of(late.document_id).findings
    assert (finding["ruleId"], finding["severity"]) == ("NOT-JUDGED", "warning")
    assert counts() == (0, 1)


def test_a_worker_that_is_killed_at_any_statement_leaves_it_to_the_next(parts, tenant, move):
    late = received(parts, tenant, samples.inbound())
    parts.computing.available = True
    for statement in count():
        ids, token = claimed(outbox.CHORES, tenant, kind=outbox.JUDGEMENT)
        with crash_before(statement):
            later_evaluation.judge(ids, token, parts)
        if counts() == (0, 1):
            break
        assert counts() == (1, 0), statement
        move(minutes=30)
        outbox.release_expired(later_evaluation.clock.now() + timedelta(hours=1))

    assert findings_of(late.document_id) == []
    assert statement > 5


def test_a_document_under_a_used_id_keeps_its_warning_when_it_is_judged_later(parts, tenant):
    received(parts, tenant, samples.inbound(instance_id="one", number="L-1"))
    other = received(parts, tenant, samples.inbound(instance_id="one", number="L-2"))
    parts.computing.available = True
    judge(parts, tenant)

    with db.reading() as connection:
        query = sa.select(Invoice.warnings).where(Invoice.id == other.document_id)
        warnings = connection.execute(query).scalar_one()
    assert [each["code"] for each in warnings] == ["message-id-reused"]


STATED = StatedHead(
    number="S-1",
    issue_date=date(2026, 11, 2),
    currency="PLN",
    subtotal=Decimal("100.00"),
    tax_amount=Decimal("23.45"),
    grand_total=Decimal("123.45"),
    supplier_name="Widget",
    supplier_tax_id="PL1111111111",
    supplier_country="PL",
)
WARNED = (SendWarning("digest-differs", "Its digest is another one.", "invoice.number"),)
FROM_MAILBOX = {
    "readable": (lambda number: samples.inbound(number=number).document, STATED, WARNED),
    "not readable": (lambda number: b"<" + number.encode(), STATED, WARNED),
    "not readable, not stated": (lambda number: b"<" + number.encode(), None, WARNED),
    "readable, without warnings": (lambda number: samples.inbound(number=number).document,
                                   STATED, ()),
}  # fmt: skip


def test_what_a_mailbox_says_of_a_document_counts_as_if_it_were_judged_at_once(parts, tenant):
    """The head that its list states and the warnings of its access point."""
    different = {}
    for case, (document, stated, warnings) in FROM_MAILBOX.items():
        rows = []
        for time in ("late", "at once"):
            number = f"{case}, {time}"
            says = stated and dataclasses.replace(stated, number=number)
            inbound = samples.inbound(instance_id=number, document=document(number))
            parts.computing.available = time == "at once"
            found = received(parts, tenant, inbound, stated=says, warnings=warnings)
            if time == "late":
                parts.computing.available = True
                judge(parts, tenant)
            rows.append(row_of(found.document_id)._asdict())
        different[case] = {name for name in rows[0] if rows[0][name] != rows[1][name]}
        given = [each["code"] for each in rows[0]["warnings"] if each.get("message")]
        assert given == [each.code for each in warnings], case

    written = {case: {"document"} if case.startswith("readable") else set() for case in different}
    assert different == {case: {"original", *names} for case, names in written.items()}


def test_a_stated_number_is_no_duplicate_of_itself_but_of_an_earlier_bill(parts, tenant):
    warned = {}
    for number in ("first", "second"):
        inbound = samples.inbound(instance_id=number, document=b"<" + number.encode())
        found = received(parts, tenant, inbound, stated=STATED)
        parts.computing.available = True
        judge(parts, tenant)
        parts.computing.available = False
        warned[number] = [each["code"] for each in row_of(found.document_id).warnings]

    assert warned == {
        "first": ["unreadable-document"],
        "second": ["unreadable-document", "possible-duplicate"],
    }


def test_the_account_that_a_bill_is_booked_to_meanwhile_stays(parts, tenant):
    late = received(parts, tenant, samples.inbound())
    with db.writing() as connection:
        store.set_account(connection, late.document_id, tenant, "6000")
    parts.computing.available = True
    judge(parts, tenant)

    assert row_of(late.document_id).gl_account_code == "6000"
    assert findings_of(late.document_id) == []
