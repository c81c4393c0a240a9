"""Events: stored once, with one delivery per subscribed endpoint."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, WebhookDelivery
from einvoice.store.webhooks import events
from einvoice.store.webhooks.events import NewEvent
from tests.services.webhooks.fixtures import TENANT, due_times, happen, log_of, register

URL = "https://receiver.example/hook"


def statements(do):
    """The number of statements that the database ran."""
    ran = []
    engine = db.db.engine

    def note(_connection, _cursor, statement, *_):
        if not statement.startswith("BEGIN"):
            ran.append(statement)

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        do()
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    return len(ran)


def test_a_tenant_without_endpoints_costs_one_insert(app_with_tenants):
    """Sends of tenants without webhooks do not pay for them."""
    assert statements(lambda: happen(count=100)) == 1
    assert due_times() == []


def test_a_batch_costs_four_statements_however_large(app_with_tenants, settings):
    """Events, subscribed endpoints, deliveries, outbox rows."""
    register(URL, settings)

    assert statements(lambda: happen(count=100)) == 4
    assert len(due_times()) == 100


@pytest.mark.parametrize(
    ("subscribed", "event_type", "delivered"),
    [
        ([], "transaction.sent", True),
        ([], "transaction.failed", True),
        ([], "transaction.received", True),
        ([], "invoice.responded", False),
        ([], "webhook.disabled", False),
        (["invoice.responded"], "invoice.responded", True),
        (["invoice.responded"], "transaction.sent", False),
        (["*"], "transaction.sent", True),
        (["invoice.responded", "*"], "apiKey.expiring", True),
        (["*"], "invoice.paid", True),  # of a later version
    ],
)
def test_an_endpoint_gets_the_events_it_subscribed_to(
    subscribed, event_type, delivered, app_with_tenants, settings
):
    """Without event types, an endpoint gets the three events of the contract."""
    endpoint = register(URL, settings, *subscribed)
    happen(event_type)

    assert len(log_of(endpoint)) == (1 if delivered else 0)


def test_each_endpoint_has_its_own_delivery_of_one_event(app_with_tenants, settings):
    """Deliveries fail and succeed independently; they share the event id."""
    first, second = register(URL, settings), register(URL, settings)
    (event_id,) = happen()

    assert [r.event_id for r in log_of(first)] == [r.event_id for r in log_of(second)] == [event_id]


@pytest.mark.parametrize(
    "elsewhere", [{"tenant_id": "tenant-2"}, {"environment": "live"}], ids=["tenant", "environment"]
)
def test_events_of_another_tenant_or_environment_are_not_delivered(
    elsewhere, app_with_tenants, settings
):
    """Fan-out is limited to tenant and environment, also within a batch."""
    endpoint = register(URL, settings)
    register(URL, settings, tenant_id="tenant-2", environment=Environment.LIVE)
    happen(**elsewhere)
    (mine,) = happen()

    assert [record.event_id for record in log_of(endpoint)] == [mine]


def test_a_batch_of_several_tenants_reaches_their_own_endpoints(app_with_tenants, settings):
    """One call may store events of many tenants."""
    mine = register(URL, settings)
    theirs = register(URL, settings, tenant_id="tenant-2")
    batch = [
        NewEvent(tenant, environment, "transaction.sent", f"inv-{n}", {"transactionId": f"txn_{n}"})
        for n, (tenant, environment) in enumerate(
            [(TENANT, "test"), ("tenant-2", "test"), (TENANT, "live"), ("tenant-3", "test")]
        )
    ]
    with db.writing() as connection:
        ids = events.emit_many(connection, batch)

    with db.reading() as connection:
        deliveries = connection.execute(
            sa.select(WebhookDelivery.endpoint_id, WebhookDelivery.event_id)
        ).all()
    assert set(map(tuple, deliveries)) == {(mine.endpoint.id, ids[0]), (theirs.endpoint.id, ids[1])}


def test_events_are_stored_in_order_with_payload_and_time(app_with_tenants):
    """The event feed reads them, with an invoice or without."""
    payload = {"transactionId": "txn_1", "reasons": [{"code": "NOA", "text": 'Größe "x" 🙂'}]}
    before = clock.now()
    with db.writing() as connection:
        first = events.emit(
            connection,
            tenant_id=TENANT,
            environment="test",
            event_type="invoice.responded",
            invoice_id="inv-1",
            payload=payload,
        )
        second = events.emit(
            connection,
            tenant_id=TENANT,
            environment="test",
            event_type="webhook.disabled",
            invoice_id=None,
            payload={},
        )

    with db.reading() as connection:
        query = sa.select(Event.id, Event.invoice_id, Event.payload, Event.created_at)
        kept = connection.execute(query.order_by(Event.sequence)).all()
    assert [tuple(row[:3]) for row in kept] == [(first, "inv-1", payload), (second, None, {})]
    assert before <= kept[0].created_at <= clock.now()


def test_a_failed_transaction_leaves_no_event_and_no_delivery(app_with_tenants, settings):
    """An event exists if and only if the change that it reports was committed."""
    register(URL, settings)

    def broken():
        with db.writing() as connection:
            new = NewEvent(TENANT, "test", "transaction.sent", "inv-1", {"transactionId": "txn_1"})
            events.emit_many(connection, [new])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    with db.reading() as connection:
        for table in (Event, WebhookDelivery, Outbox):
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() == 0


def test_deleting_an_endpoint_deletes_its_log_and_open_deliveries(app_with_tenants, settings):
    """Other endpoints keep theirs."""
    going, staying = register(URL, settings), register(URL, settings)
    happen(count=3)
    endpoints.remove(TENANT, going.endpoint.id)

    assert len(log_of(staying)) == len(due_times()) == 3
