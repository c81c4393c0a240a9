"""A received document that no computing process had time for ends as a judged bill."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from itertools import count

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.errors import ComputingUnavailable
from einvoice.network import samples
from einvoice.network.types import Duplicate, Stored
from einvoice.services.account import tenants
from einvoice.services.computing import sizes
from einvoice.services.inbound import judging_later
from einvoice.services.inbound.arrivals import Arrivals
from einvoice.services.inbound.reception import _arrival
from einvoice.store import db, outbox
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

    def run(self, tenant_id, function, *args):
        if not self.available:
            raise ComputingUnavailable("Too many wait.")
        return super().run(tenant_id, function, *args)


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


def received(parts, tenant, inbound):
    arrival = _arrival(inbound, tenant, followed=True)
    return Arrivals(parts.computing, parts.forms).store(arrival)


def judge(parts, tenant):
    judging_later.judge(*claimed(outbox.CHORES, tenant, kind=outbox.JUDGEMENT), parts)


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
    assert findings_of(late.document_id) == ["NOT-JUDGED"]
    assert counts() == (0, 1)


def test_a_worker_that_is_killed_at_any_statement_leaves_it_to_the_next(parts, tenant, move):
    late = received(parts, tenant, samples.inbound())
    parts.computing.available = True
    for statement in count():
        ids, token = claimed(outbox.CHORES, tenant, kind=outbox.JUDGEMENT)
        with crash_before(statement):
            judging_later.judge(ids, token, parts)
        if counts() == (0, 1):
            break
        assert counts() == (1, 0), statement
        move(minutes=30)
        outbox.release_expired(judging_later.clock.now() + timedelta(hours=1))

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
