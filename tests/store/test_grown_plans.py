"""Statements that PostgreSQL plans along indexes, whatever its statistics say of growing tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.store import outbox
from einvoice.store.account import idempotency, usage
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db, postgresql
from einvoice.store.directory import bulk, checks, entries, pages
from einvoice.store.inbound import bill_arrivals, received
from einvoice.store.invoices import invoices, lists, sorted_lists
from einvoice.store.invoices.invoice_filters import BuyerFilter, InvoiceFilter
from einvoice.store.sending import (
    acceptance,
    acceptance_statement,
    messages,
    registrations,
    transmissions,
)
from einvoice.store.sending.transmissions import PreparedTransmission, Settlement
from einvoice.store.webhooks import events, feed, webhook_queue, webhooks  # fmt: skip
from einvoice.store.webhooks.events import NewEvent
from einvoice.store.webhooks.feed import EventEntry, FeedSelection
from einvoice.store.webhooks.webhooks import (
    DeliveryAttempt,
    DeliveryRecord,
    EndpointState,
    LogFilter,
)
from tests.builders import new_send
from tests.store import grown
from tests.store.plans import executed, indexes, leased, plan_of, read_whole
from tests.store.plans import grown_app as grown_app

ANN = grown.TENANTS[0]
NOW = clock.now()
IDS = [f"{ANN}-txn-{i}" for i in range(1, 41)]
DELIVERIES = [f"{ANN}-del-{i}" for i in range(1, 41)]
LONG_AGO = NOW - timedelta(hours=4900)
SCOPES = [KeyScope(ANN, "test", "send", f"key-{i}") for i in range(50)]
SEARCH = {
    "text": "zebra", "currency": "SEK", "direction": "sent", "receivers": ("0208:7", "0208:8"),
    "metadata": {"run": "7"},
}  # fmt: skip


# Which indexes find together, in the order of one of them.
FEW = {
    "party": "zebra", "total_from": Decimal(100), "issued_to": date(2026, 1, 1),
    "status": "Delivered",
}  # fmt: skip


def page(**filters: Any) -> lists.InvoicePage:
    wanted = InvoiceFilter(ANN, "test", **filters)
    return lists.page(wanted, 50, after=None, newest_first=True)


def sorted_page(order: str, **filters: Any) -> None:
    """A page behind one; an order without an index may be refused."""
    wanted = InvoiceFilter(ANN, "test", **filters)
    with suppress(sorted_lists.TooManyToSort):
        first = sorted_lists.page(wanted, 50, order=order, after=None, descending=True)
        sorted_lists.page(wanted, 50, order=order, after=first.end, descending=True)


def events_of(**filters: Any) -> list[EventEntry]:
    return feed.behind(FeedSelection(ANN, ["test"], **filters), 0, 51, NOW)


def log_of(before: tuple[datetime, str] | None = None, **filters: Any) -> list[DeliveryRecord]:
    wanted = LogFilter(ANN, f"hook-{ANN}", **filters)
    return webhooks.page_of_deliveries(wanted, limit=50, before=before)


def prepared(transmission_id: str) -> PreparedTransmission:
    work = transmissions.find(transmission_id)
    assert work is not None
    return PreparedTransmission(work, "message", None)


Statement = Callable[[sa.Connection], object]

# Of services, each in the transaction that it has there.
BY_KEY: dict[str, Statement] = {
    "fence": lambda c: transmissions.fence(c, [prepared(i) for i in IDS[:10]], NOW),
    "settle": lambda c: transmissions.settle(
        c, [Settlement(i, 0, NetworkStatus.DELIVERED, Phase.DONE) for i in IDS]
    ),
    "reschedule": lambda c: outbox.reschedule(
        c, [(i, outbox.BULK, NOW) for i in leased("transmission")], "token"
    ),
    "complete": lambda c: outbox.complete(c, leased("transmission"), "token"),
    "log webhook attempts": lambda c: webhooks.log_attempts(
        c, [DeliveryAttempt(i, "failed", 1, 500, "x", 1, "", None, None) for i in DELIVERIES]
    ),
    "finish webhooks": lambda c: webhook_queue.finish(c, [(i, "token") for i in leased("webhook")]),
    "postpone webhooks": lambda c: webhook_queue.postpone(
        c, [(i, "token", NOW) for i in leased("webhook")]
    ),
    "note states of endpoints": lambda c: webhooks.note_states(
        c, [EndpointState(f"hook-{ANN}", True, True, 0, None)], NOW
    ),
    "undelivered events": lambda c: events.undelivered(
        c, f"hook-{ANN}", (ANN, "test"), (), LONG_AGO, NOW, 0, 50
    ),
    "sweep messages": lambda c: messages.delete_settled_before(c, LONG_AGO, 500),
    "sweep idempotency keys": lambda c: idempotency.delete_before(c, LONG_AGO, 500),
    "sweep the webhook log": lambda c: webhooks.forget_before(c, LONG_AGO, "pending", 500),
    "sweep events": lambda c: feed.forget_before(c, LONG_AGO, 500),
    "write lookups": lambda c: checks.write(
        c, CUSTOMER, [(f"{ANN}-cus-{i}", f"0208:{i}", "Reachable") for i in range(50)], NOW
    ),
}
WRITING: dict[str, Statement] = {
    "match a directory": lambda c: bulk.matched(
        c, CUSTOMER, ANN, [(f"T{i}", f"n{i}") for i in range(500)]
    ),
    "extend leases": lambda c: outbox.extend(c, leased("transmission"), "token", NOW, NOW),
    "make due": lambda c: outbox.make_due(c, IDS[0], NOW),
    "is enqueued": lambda c: outbox.is_enqueued(c, IDS[0]),
    "discard": lambda c: outbox.discard(c, IDS[0]),
    "held endpoints": webhook_queue.held,
    "accept a batch": lambda c: acceptance._accept_independent(
        c, [new_send(ANN, number=f"Z-{i}", key=f"new-{i}") for i in range(50)]
    ),
    "accept a batch again": lambda c: acceptance._accept_independent(
        c, [new_send(ANN, number=f"N-{i}", key=f"key-{i}") for i in range(50)]
    ),
    "emit": lambda c: events.emit_many(
        c, [NewEvent(ANN, "test", "transaction.sent", f"{ANN}-inv-{i}", {}) for i in range(40)]
    ),
}
READING: dict[str, Callable[[], object]] = {
    "open lanes": outbox.open_lanes,
    "tenants in turn": lambda: outbox.tenants_in_turn(outbox.BULK, "a", 50),
    "claim": lambda: outbox.claim(
        "bulk", "unknown", 40, token="x", now=NOW, lease=timedelta(hours=1)
    ),
    "release expired leases": lambda: outbox.release_expired(NOW - timedelta(days=1)),
    "held transmissions": lambda: transmissions.held(leased("transmission"), "token", NOW),
    "held messages": lambda: transmissions.held(leased("message"), "token", NOW),
    "one transmission": lambda: transmissions.find(IDS[0]),
    "one message": lambda: transmissions.find(f"msg_{ANN}1"),
    "a reference that nothing has": lambda: transmissions.by_reference("simulator", "unknown"),
    "transmissions needing attention": lambda: transmissions.needing_attention(500),
    "phases of waiting sends": lambda: transmissions.open_phases(IDS[:16]),
    "due webhooks": lambda: webhooks.due(leased("webhook"), "token", NOW),
    "ready endpoints": lambda: webhook_queue.ready([ANN], NOW),
    "claim of endpoints": lambda: webhook_queue.claim(
        {f"hook-{ANN}": 20}, token="x", now=NOW - timedelta(days=1), lease=timedelta(hours=1)
    ),
    "webhooks without an endpoint": lambda: webhook_queue.assign_endpoints(
        token="x", now=NOW, lease=timedelta(hours=1), at_most=500
    ),
    "the webhook log": lambda: log_of(),
    "the webhook log, one status": lambda: log_of(before=(NOW, "z"), status="failed"),
    "usage of a month": lambda: usage.of_days(ANN, "test", NOW - timedelta(days=31), NOW),
    "parties of invoices": lambda: bulk.parties(CUSTOMER, ANN, ["test"]),
    "the event feed": lambda: events_of(),
    "events of an invoice": lambda: events_of(invoice_id=f"{ANN}-inv-5"),
    "events of a type": lambda: events_of(event_type="transaction.failed"),
    "one event": lambda: feed.find(ANN, ["test", "live"], f"{ANN}-evt-5"),
    "the webhook log, one event": lambda: log_of(event_id=f"{ANN}-evt-5"),
    "the webhook log, one invoice": lambda: log_of(invoice_id=f"{ANN}-inv-5"),
    "attempts of an invoice": lambda: invoices.attempts(f"{ANN}-inv-5", ANN),
    "one invoice": lambda: invoices.find(f"{ANN}-inv-5", ANN, ["test"]),
    "bills of a page": lambda: received.bills([f"{ANN}-inv-{5 * i + 4}" for i in range(50)]),
    "a message id": lambda: received.known(received.MessageKey("simulator", "m", "s", "r")),
    "messages of a group": lambda: received.known_among(
        [received.MessageKey("simulator", f"m{i}", "s", "r") for i in range(24)]
    ),
    "further arrivals of a group": lambda: bill_arrivals.known_among(
        [received.MessageKey("simulator", f"m{i}", "s", "r") for i in range(24)]
    ),
    "numbers of a group": lambda: received.numbers_among(
        [received.SenderNumber(ANN, "test", "s", f"N-{i}", "invoice", 2026) for i in range(24)]
    ),
    "suppliers of a group": lambda: entries.find_by_parties(
        SUPPLIER, [(ANN, entries.PartyKeys(f"0208:{i}", f"BE{i}", f"name {i}")) for i in range(24)]
    ),
    "lookups of a batch": lambda: registrations.of_participants(
        [f"0208:{i}" for i in range(50)], ANN, "test"
    ),
    "idempotency keys of a batch": lambda: idempotency.find_many(SCOPES),
    "list": page,
    "list, one status": lambda: page(status="Failed"),
    "list, one number": lambda: page(number="N-50"),
    "list, one receiver": lambda: page(receivers=("0208:7",)),
    "list, one customer": lambda: page(buyer=BuyerFilter(("0208:7",), "BE7", "-")),
    "list, one response": lambda: page(response="rejected"),
    "list, one response and more": lambda: page(response="rejected", currency="SEK"),
    "list, attention": lambda: page(attention=True),
    "count, attention": lambda: lists.count(InvoiceFilter(ANN, "test", attention=True)),
    "count, one response": lambda: lists.count(InvoiceFilter(ANN, "test", response="rejected")),
    "list, open bills": lambda: page(processed=False),
    "list, processed bills": lambda: page(processed=True, status="Received"),
    **{f"list, {name}": lambda n=name, v=value: page(**{n: v}) for name, value in SEARCH.items()},
    **{
        f"list by {order}, {'filtered' if some else 'all'}": (
            lambda o=order, f=some: sorted_page(o, **f)
        )
        for order in sorted_lists.ORDERS
        for some in ({}, FEW)
    },
    "count of a list": lambda: lists.count(InvoiceFilter(ANN, "test")),
    "directory": lambda: pages.page(CUSTOMER, pages.EntryFilter(ANN), 50),
    "directory, a word": lambda: pages.page(CUSTOMER, pages.EntryFilter(ANN, texts=["zebra"]), 50),
    "directory, count": lambda: pages.count(CUSTOMER, pages.EntryFilter(ANN)),
}  # fmt: skip


@pytest.mark.parametrize("order", [None, "grandTotal", "networkStatus"])
def test_the_few_invoices_of_a_filter_are_sorted(grown_app, monkeypatch, order):
    """For a page of one of them too: along an index of its order it would read all newer ones."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", 200)
    wanted = InvoiceFilter(ANN, "test", parties=("0208:7",), currency="SEK")
    with executed() as found:
        if order is None:
            lists.page(wanted, 1, after=None, newest_first=True)
        else:
            sorted_lists.page(wanted, 1, order=order, after=None, descending=True)

    chosen = [one for one in found if "ANY" in one[0] and "LIMIT" in one[0]]
    assert chosen
    assert all("Sort" in {node["Node Type"] for node in plan_of(one)} for one in chosen)


@pytest.mark.parametrize("name", READING)
def test_a_statement_is_planned_along_an_index(grown_app, name):
    """Its cost stays the same while tables grow, before their first statistics too."""
    with executed() as found:
        READING[name]()

    assert found
    assert read_whole(found) == {}


@pytest.mark.parametrize("grown_app", ["statistics of the first 200", "analysed"], indirect=True)
def test_metadata_is_found_by_its_index(grown_app):
    """However many invoices there are beside those that have the text. Before the first statistics
    the planner may follow the order of a list, of MAX_EXAMINED invoices at most."""
    with executed() as found:
        page(metadata={"run": "7"})
    with db.reading() as connection:
        plans = [
            str(connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {sql}", given).scalar_one())
            for sql, given, _ in found
        ]

    assert any("ix_invoices_searchable" in plan for plan in plans)


def test_the_queue_of_endpoints_is_used_by_queries_of_endpoints_only(grown_app):
    """Without statistics the planner took its index to find tenants: 10 ms for each of them."""
    with executed() as found:
        outbox.tenants_in_turn(outbox.WEBHOOKS, "a", 50)
        webhook_queue.ready([ANN], NOW)
    with db.reading() as connection:
        *turns, ready = [
            str(connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {sql}", given).scalar_one())
            for sql, given, _ in found
        ]

    assert all("ix_outbox_due" in plan and "ix_outbox_endpoint" not in plan for plan in turns)
    assert "ix_outbox_endpoint" in ready


@pytest.mark.parametrize(
    ("name", "by_key"),
    [*((name, True) for name in BY_KEY), *((name, False) for name in WRITING)],
)
def test_a_statement_of_a_transaction_is_planned_along_an_index(grown_app, name, by_key):
    """In the transaction that it needs; tests/services/test_grown_plans runs the services."""
    run = BY_KEY[name] if by_key else WRITING[name]
    writing = db.writing_by_key() if by_key else db.writing()
    with executed() as found, writing as connection:
        run(connection)
        connection.rollback()

    assert found
    assert read_whole(found) == {}


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("events of an invoice", {"ix_events_invoice"}),
        ("events of a type", {"ix_events_type"}),
        ("the webhook log, one invoice", {"ix_events_invoice", "ix_webhook_deliveries_event"}),
        ("the webhook log, one event", {"ix_webhook_deliveries_event"}),
    ],
)
def test_filters_of_events_are_read_by_their_own_index(grown_app, name, used):
    """Not along the feed or the log, of which a filter may leave one in a million."""
    with executed() as found:
        READING[name]()

    [statement] = found
    assert {node["Index Name"] for node in plan_of(statement) if "Index Name" in node} == used


def test_events_that_were_delivered_are_found_one_by_one(grown_app):
    """Not among all deliveries of the endpoint again for each event."""
    with executed() as found, db.writing_by_key() as connection:
        BY_KEY["undelivered events"](connection)

    [statement] = found
    assert indexes(statement, "webhook_deliveries") == {"ix_webhook_deliveries_event"}


def test_the_kept_plan_of_a_send_finds_its_number_by_the_index(grown_app):
    """The plan is made without the values, whatever the statistics say."""
    same = acceptance_statement._SAME
    names = ("tenant_id", "environment", "number", "sender", "kind", "issue_date")
    for place, name in enumerate(names, 1):
        same = same.replace(f"%({name})s", f"${place}")
    with db.reading() as connection:
        for setting in re.findall(r"-c (\S+)=(\S+)", postgresql.DRIVER_OPTIONS):
            connection.exec_driver_sql("SELECT set_config(%s, %s, true)", setting)
        connection.exec_driver_sql(f"PREPARE same (text, text, text, text, text, date) AS {same}")
        explained = connection.exec_driver_sql(
            "EXPLAIN EXECUTE same ('a', 'test', 'one', 'b', 'invoice', '2026-11-21')"
        )
        plan = "\n".join(explained.scalars())
        connection.exec_driver_sql("DEALLOCATE same")

    assert "ix_invoices_number" in plan
    assert "Sort" not in plan


def test_numbers_of_a_batch_are_found_by_their_index(grown_app):
    """Not among all invoices of the tenant again for each document."""
    with executed() as found, db.writing() as connection:
        WRITING["accept a batch"](connection)
        connection.rollback()

    [statement] = [one for one in found if one[0].startswith("\nSELECT x.n, (")]
    assert indexes(statement, "invoices") == {"ix_invoices_number"}
