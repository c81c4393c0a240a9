"""A query finds the row that it is asked for, and none that differs from it in one value.

Each table has a row that is asked for, and beside it a row for each value by which the query
chooses, which has another one: a condition that is lost finds one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import pytest
import sqlalchemy as sa

from einvoice.domain.directory import CUSTOMER
from einvoice.store.core import db
from einvoice.store.core.types import Moment
from einvoice.store.directory import entries
from einvoice.store.inbound import bill_arrivals, receiver_responses, responses
from einvoice.store.inbound.received import MessageKey
from einvoice.store.invoices import drafts, numbers, payments, period_reports, shares
from einvoice.store.invoices.period_reports import Place
from einvoice.store.sending import batches, registrations, submissions
from einvoice.store.tables import (
    Batch,
    BillArrival,
    BillResponse,
    CollectedDocument,
    Customer,
    Event,
    Invoice,
    InvoiceDraft,
    Payment,
    PeriodReport,
    Received,
    ReceiverResponse,
    Registration,
    ShareLink,
    Transmission,
    WebhookDelivery,
)
from einvoice.store.webhooks import events, webhooks
from einvoice.store.webhooks.webhooks import LogFilter
from tests import databases
from tests.builders import accepted

NOW: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY: Final = NOW.date()
LATER, BEFORE = NOW + timedelta(days=400), NOW - timedelta(days=400)
TENANT, OTHER = "tenant-1", "tenant-2"
PLACE = Place(TENANT, "live", "fr-ctc")
ARRIVED = MessageKey("network", "m-1", "0088:1", "0208:2")

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A query, and the rows among which it finds one.

    table   of the rows, or several that are joined by the invoice; None: documents, of which a
            value is one of an invoice, its transmission or its arrival
    wanted  the values by which it is found
    others  other values, each of a row that is like the wanted one but for it
    find    the marks of what is found: the column `mark` of the rows
    """

    table: Any
    wanted: Values
    others: Values
    find: Callable[[sa.Connection], Iterable[Any]]
    mark: str = "id"


def _read(function: Callable[[], Iterable[Any]], name: str = "id") -> Callable[..., list[Any]]:
    return lambda connection: [getattr(each, name) for each in function()]


OF_INVOICE = {"invoice_id": "i-1", "tenant_id": TENANT}
OF_ANOTHER = {"invoice_id": "i-2", "tenant_id": OTHER}
IN_LIVE = {"tenant_id": TENANT, "environment": "live"}
ELSEWHERE = {"tenant_id": OTHER, "environment": "test"}
SOLD = {
    **IN_LIVE, "direction": "sent", "status": "Delivered", "supplier_country": "FR",
    "buyer_country": "DE", "number": "N-1", "issue_date": DAY, "access_point": "peppol",
    "kind": "invoice",
}  # fmt: skip
BOUGHT = SOLD | {
    "direction": "received", "status": "Received", "supplier_country": "DE", "buyer_country": "FR",
}  # fmt: skip
# Billed by the buyer, in the name of the seller.
SOLD_TO_BILLER = SOLD | {
    "direction": "received", "status": "Received", "kind": "selfBilledInvoice",
}  # fmt: skip
BOUGHT_AND_BILLED = BOUGHT | {
    "direction": "sent", "status": "Delivered", "kind": "selfBilledCreditNote",
}  # fmt: skip
LOGGED = {"tenant_id": TENANT, "endpoint_id": "e-1", "status": "delivered", "event_id": "evt-1"}

CASES: dict[str, Case] = {
    "responses of a receiver": Case(
        ReceiverResponse, OF_INVOICE, OF_ANOTHER,
        _read(lambda: receiver_responses.of_invoice("i-1", TENANT)),
    ),
    "all responses to a bill": Case(
        BillResponse, {"invoice_id": "i-1"}, {"invoice_id": "i-2"},
        _read(lambda: responses.of_invoice("i-1")),
    ),
    "the newest response to a bill": Case(
        BillResponse, {"invoice_id": "i-1"}, {"invoice_id": "i-2"},
        _read(lambda: responses.newest(["i-1"]).values()),
    ),
    "arrivals of a bill": Case(
        BillArrival, OF_INVOICE, OF_ANOTHER,
        _read(lambda: bill_arrivals.of_invoice("i-1", TENANT)),
    ),
    "the bill of a message": Case(
        BillArrival,
        {name: getattr(ARRIVED, name) for name in MessageKey.__slots__},
        dict.fromkeys(MessageKey.__slots__, "0088:9"),
        lambda connection: [bill_arrivals.known(ARRIVED).invoice_id],
        "invoice_id",
    ),
    "former links of an invoice": Case(
        ShareLink, {**OF_INVOICE, "revoked_at": NOW}, OF_ANOTHER,
        lambda connection: [at for at, _ in shares.of_invoice("i-1", TENANT)],
        "created_at",
    ),
    "drafts that name a person": Case(
        InvoiceDraft, {"tenant_id": TENANT, "content": "By Ann"},
        {"tenant_id": OTHER, "content": "By Bob"},
        lambda connection: drafts.naming(connection, TENANT, "ann"),
    ),
    "payments of invoices": Case(
        Payment, OF_INVOICE, OF_ANOTHER, _read(lambda: payments.of_invoices(TENANT, ["i-1"])),
    ),
    "an entry with a tax id": Case(
        Customer, {"tenant_id": TENANT, "tax_key": "1"}, {"tenant_id": OTHER, "tax_key": "2"},
        _read(lambda: [entries.find_by_tax_key(CUSTOMER, TENANT, "1")]),
    ),
    "batches": Case(Batch, IN_LIVE, ELSEWHERE, _read(lambda: batches.recent(TENANT, "live", 10))),
    "lookups": Case(
        Registration, {**IN_LIVE, "participant": "0088:1"}, {**ELSEWHERE, "participant": "0088:2"},
        _read(lambda: registrations.of_participants(["0088:1"], TENANT, "live").values()),
    ),
    "lookups by a further notation": Case(
        Registration, {**IN_LIVE, "further_participant": "0088:1"},
        {**ELSEWHERE, "further_participant": "0088:2"},
        _read(lambda: registrations.of_participants(["0088:1"], TENANT, "live").values()),
    ),
    "events that an endpoint has missed": Case(
        Event, {**IN_LIVE, "type": "transaction.sent", "created_at": NOW},
        {**ELSEWHERE, "type": "webhook.test", "created_at": [LATER, BEFORE]},
        lambda connection: [
            id_ for _, id_, _ in events.undelivered(
                connection, "e-1", (TENANT, "live"), ["*"], NOW, NOW + timedelta(1), 0, 10
            )
        ],
    ),
    "deliveries of an endpoint": Case(
        WebhookDelivery, LOGGED,
        {"tenant_id": OTHER, "endpoint_id": "e-2", "status": "failed", "event_id": "evt-2"},
        _read(
            lambda: webhooks.page_of_deliveries(
                LogFilter(TENANT, "e-1", "delivered", "evt-1"), limit=10, before=None
            )
        ),
    ),
    "verdicts of sent documents": Case(
        None, {**IN_LIVE, "direction": "sent"}, {**ELSEWHERE, "direction": "received"},
        lambda connection: [
            each.invoice_id for each in submissions.verdicts(_ids(connection), TENANT, "live")
        ],
    ),
    "credit notes of an invoice": Case(
        None, {**IN_LIVE, "credited_number": "1", "direction": "sent", "status": "Delivered"},
        {**ELSEWHERE, "credited_number": "2", "direction": "received", "status": "Failed"},
        _read(lambda: numbers.crediting(TENANT, "live", "sent", "1")),
    ),
    "documents of a number": Case(
        None, {**IN_LIVE, "number": "1", "direction": "sent", "status": "Processing"},
        {**ELSEWHERE, "number": "2", "direction": "received", "status": "Failed"},
        _read(lambda: numbers.not_failed(TENANT, "live", ["1"])),
    ),
    "sales to be reported": Case(
        None, SOLD,
        {**ELSEWHERE, "direction": "received", "status": "Failed", "supplier_country": "BE",
         "issue_date": BEFORE.date(), "number": None, "access_point": "fr-ctc",
         "kind": "selfBilledInvoice"},
        _read(lambda: period_reports.not_collected(PLACE, "FR", DAY, 10)),
    ),
    "purchases to be reported": Case(
        None, BOUGHT,
        {**ELSEWHERE, "direction": "sent", "supplier_country": "FR", "buyer_country": "BE",
         "issue_date": BEFORE.date(), "number": None, "access_point": "fr-ctc",
         "kind": "selfBilledInvoice"},
        _read(lambda: period_reports.not_collected(PLACE, "FR", DAY, 10)),
    ),
    "sales to be reported that the buyer has billed": Case(
        None, SOLD_TO_BILLER,
        {**ELSEWHERE, "direction": "sent", "supplier_country": "BE", "kind": "invoice"},
        _read(lambda: period_reports.not_collected(PLACE, "FR", DAY, 10)),
    ),
    "purchases to be reported that the buyer has billed": Case(
        None, BOUGHT_AND_BILLED,
        {**ELSEWHERE, "direction": "received", "status": "Failed", "supplier_country": "FR",
         "buyer_country": "BE", "kind": "creditNote"},
        _read(lambda: period_reports.not_collected(PLACE, "FR", DAY, 10)),
    ),
    "documents that were collected": Case(
        CollectedDocument, {**IN_LIVE, "access_point": "fr-ctc", "issue_date": DAY},
        {**ELSEWHERE, "access_point": "other", "issue_date": [LATER.date(), BEFORE.date()]},
        lambda connection: [id_ for id_, _ in period_reports.collected(PLACE, DAY, DAY, 10)],
        "invoice_id",
    ),
    "payments to be reported": Case(
        (Payment, CollectedDocument),
        {**IN_LIVE, "access_point": "fr-ctc", "paid_on": DAY},
        {**ELSEWHERE, "access_point": "other", "paid_on": [LATER.date(), BEFORE.date()]},
        _read(lambda: period_reports.payments(PLACE, DAY, DAY, 10)),
    ),
    "bills that another network may have brought": Case(
        None,
        {**IN_LIVE, "number": "1", "direction": "received", "listed_at": NOW},
        {"tenant_id": OTHER, "number": "2", "direction": "sent", "listed_at": None},
        _read(lambda: bill_arrivals.candidates([TENANT], ["1"]), "invoice_id"),
    ),
    "reports of a period": Case(
        PeriodReport,
        {**IN_LIVE, "access_point": "fr-ctc", "account": "1", "kind": "sales", "starts_on": DAY},
        {**ELSEWHERE, "access_point": "other", "account": "2", "kind": "payments",
         "starts_on": LATER.date()},
        _read(lambda: period_reports.of_period(PLACE, "1", "sales", DAY)),
    ),
    "reports that are late": Case(
        PeriodReport, {"due_on": DAY, "outcome": None, "documents": 1},
        {"due_on": LATER.date(), "outcome": "accepted", "documents": 0},
        _read(lambda: period_reports.unfinished(DAY + timedelta(1), 10)),
    ),
}  # fmt: skip


def _filled(table: Any, mark: int, values: Values) -> dict[str, Any]:
    """Values for every column that needs one; those that name the row differ from row to row."""
    found: dict[str, Any] = {}
    for column in table.__table__.columns:
        needed = not column.nullable and column.default is None and column.server_default is None
        if column.autoincrement is True and column.primary_key:
            continue
        if needed or column.primary_key:
            found[column.name] = _value(column, mark)
    known = table.__table__.columns.keys()
    return found | {name: value for name, value in values.items() if name in known}


def _value(column: sa.Column[Any], mark: int) -> Any:
    match column.type:
        case Moment():
            return NOW + timedelta(seconds=mark)
        case sa.Date():
            return DAY
        case sa.LargeBinary():
            return b""
        case sa.JSON():
            return {}
        case sa.String():
            return f"{mark}-{column.name}"[: column.type.length or 40]
    return 0  # a number, an amount or a switch


def _rows(case: Case) -> Iterator[Values]:
    """The values of a row for each other value, and of the wanted one."""
    for name, given in case.others.items():
        for value in given if isinstance(given, list) else [given]:
            yield {**case.wanted, name: value}
    yield case.wanted


def _document(values: Values, mark: int) -> str:
    send = accepted(values["tenant_id"], created_at=NOW + timedelta(seconds=mark))
    with db.writing() as connection:
        arrival = _filled(Received, mark, {**values, "invoice_id": send.invoice_id})
        connection.execute(sa.insert(Received).values(arrival))
        for table, key in ((Invoice, send.invoice_id), (Transmission, send.transmission_id)):
            mine = {name: values[name] for name in values.keys() & table.__table__.columns.keys()}
            connection.execute(sa.update(table).where(table.id == key).values(mine))
    return send.invoice_id


def _row(case: Case, url: str, values: Values, mark: int) -> Any:
    """The mark of a new row, without those that it refers to."""
    tables = case.table if isinstance(case.table, tuple) else (case.table,)
    made = [_filled(table, mark, values) for table in tables]
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SET session_replication_role = replica"))
        for table, row in zip(tables, made, strict=True):
            connection.execute(sa.insert(table).values(row))
    engine.dispose()
    return made[0][case.mark]


def _ids(connection: sa.Connection) -> list[str]:
    return list(connection.execute(sa.select(Invoice.id)).scalars())


@pytest.mark.parametrize("database_url", databases.KINDS, indirect=True)
@pytest.mark.parametrize("name", CASES)
def test_a_row_that_differs_in_one_value_is_not_found(app, database_url: str, name: str) -> None:
    case = CASES[name]
    store = _document if case.table is None else partial(_row, case, database_url)
    marks = [store(values, mark) for mark, values in enumerate(_rows(case))]
    with db.writing() as connection:
        found = list(case.find(connection))

    assert found == marks[-1:]
