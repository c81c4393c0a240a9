"""Pages of invoices by keyset pagination; their cost does not grow with the table.

A page starts after the position where the previous one ended and follows the index of the most
selective filter (`_INDEXED`), newest or oldest first. Filters without an index (currency, issue
dates) examine at most EXAMINED invoices in that order; then the page ends, even if it is not full.
So does a text, unless the page is not full then and the index of texts (`text_index`) finds few
invoices with it: then those are the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import func, or_, select, tuple_
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.invoice_head import ListedHead
from einvoice.store import blocks, db, rows, shares, text_index
from einvoice.store.blocks import Counted
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Invoice, Received, Transmission
from einvoice.store.types import Moment

MAX_EXAMINED = 5_000
TEXT_SEARCH_MS = 500

Condition = sa.ColumnElement[bool]
Filters = dict[str, Condition]
Order = tuple[sa.ColumnElement[Any], sa.ColumnElement[str]]


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the order of creation: after this invoice."""

    at: datetime
    invoice_id: str


@dataclass(frozen=True, slots=True)
class BuyerFilter:
    """What identifies a customer's invoices: the spellings of the participant id and the tax id as
    the directory compares it; the name if neither is known."""

    participants: Sequence[str]
    tax_key: str | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceCriteria:
    """What is compared as it is given; None means any. Days and times are inclusive."""

    direction: str | None = None
    status: str | None = None
    number: str | None = None
    issued_from: date | None = None
    issued_to: date | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    currency: str | None = None
    text: str | None = None
    processed: bool | None = None


@dataclass(frozen=True, slots=True)
class InvoiceFilter(InvoiceCriteria):
    """Filters of a page. Participants are given in all accepted spellings; none means any."""

    tenant_id: str
    environment: str
    receivers: Sequence[str] = ()
    senders: Sequence[str] = ()
    buyer: BuyerFilter | None = None


@dataclass(frozen=True, slots=True)
class InvoiceListItem(ListedHead):
    """One invoice of a list, with the state of its newest transmission."""

    id: str
    environment: str
    transmission_id: str
    direction: str
    kind: str
    sender: str
    receiver: str | None
    created_at: datetime
    status: str
    reason: str | None
    queued_at: datetime
    submitted_at: datetime | None
    settled_at: datetime | None
    shared: bool
    metadata: Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class InvoicePage:
    """Invoices in order, and the position after which the next page starts; None: last page."""

    items: list[InvoiceListItem]
    end: Position | None


_ITEM = RecordColumns(
    InvoiceListItem,
    Invoice,
    status=Transmission.status,
    reason=Transmission.reason,
    queued_at=Transmission.created_at,
    submitted_at=Transmission.submitted_at,
    settled_at=Transmission.settled_at,
    shared=shares.is_shared(),
    metadata=Invoice.sender_metadata,
)

# Filters with an index that contains the order, the most selective first.
_INDEXED = ("number", "receiver", "status", "processed", "sender", "received")
_BY_INVOICE: Order = (Invoice.created_at.expression, Invoice.id.expression)
_BY_STATUS: Order = (Transmission.listed_at.expression, Transmission.invoice_id.expression)
_BY_ARRIVAL: Order = (Received.created_at.expression, Received.invoice_id.expression)
_TABLES: dict[Order, Any] = {
    _BY_INVOICE: Invoice, _BY_STATUS: Transmission, _BY_ARRIVAL: Received,
}  # fmt: skip
_ORDERS: dict[str, Order] = {"status": _BY_STATUS, "processed": _BY_ARRIVAL}


def page(
    wanted: InvoiceFilter, limit: int, *, after: Position | None, newest_first: bool
) -> InvoicePage:
    """At most `limit` invoices after `after`; fewer with an `end` if EXAMINED were examined."""
    reading = _reading(wanted, limit, after, newest_first=newest_first)
    return db.read_replicated(lambda connection: _page(connection, reading))


def _page(connection: Connection, reading: _Reading) -> InvoicePage:
    last = _last_examined(connection, reading) if reading.searched else None
    found = _items(connection, reading, last)
    if last is not None and len(found) <= reading.limit:
        ids = _with_text(connection, reading)
        if ids is not None:
            last = None
            found = _items(connection, reading, None, ids)
    if len(found) > reading.limit:
        end = found[reading.limit - 1]
        return InvoicePage(found[: reading.limit], Position(end.created_at, end.id))
    return InvoicePage(found, last)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a page is read: along the order of the leading filter, the one with an index."""

    wanted: InvoiceFilter
    filters: Filters
    leading: Condition | None
    order: Order
    limit: int
    after: Position | None
    newest_first: bool

    @property
    def searched(self) -> bool:
        """Whether there are filters that the index of the order does not have."""
        return len(self.filters) > (self.leading is not None)


def _reading(
    wanted: InvoiceFilter, limit: int, after: Position | None, *, newest_first: bool
) -> _Reading:
    filters = _filters(wanted)
    leading = next((name for name in _INDEXED if name in filters), "")
    order = _ORDERS.get(leading, _BY_INVOICE)
    return _Reading(wanted, filters, filters.get(leading), order, limit, after, newest_first)


def _items(
    connection: Connection,
    reading: _Reading,
    last: Position | None,
    ids: Sequence[str] | None = None,
) -> list[InvoiceListItem]:
    """One more than the page has, up to the position `last`, of the invoices `ids` if given."""
    order, filters = reading.order, reading.filters
    query = (
        _joined(_ITEM.select(), order, filters)
        .where(*filters.values())
        .order_by(*_ordered(order, newest_first=reading.newest_first))
        .limit(_plain(reading.limit + 1))
    )
    if ids is not None:
        query = query.where(rows.in_values(Invoice.id, ids))
    for keys in {order, *(keys for name, keys in _ORDERS.items() if name in filters)}:
        query = query.where(*_bounds_of(reading, keys, last))
    return _ITEM.all(connection.execute(query))


def _bounds_of(reading: _Reading, order: Order, last: Position | None = None) -> list[Condition]:
    newest_first = reading.newest_first
    return _bounds(reading.wanted, order, reading.after, last, newest_first=newest_first)


def _with_text(connection: Connection, reading: _Reading) -> list[str] | None:
    """The ids of all invoices after the start that have the text of the filter, by its index.

    None without such an index, if there are more than EXAMINED, or if it takes too long: a frequent
    word, of which the next page examines more.
    """
    text = reading.wanted.text
    if text is None or not text_index.finds(connection, text):
        return None
    bounds = _bounds_of(reading, _BY_INVOICE)
    # Materialised: planned for all of them, by the index of texts. With the limit the planner would
    # follow the order of another index in the hope to meet enough of them soon.
    matches = select(Invoice.id).where(*bounds, reading.filters["text"]).cte()
    query = select(matches.prefix_with("MATERIALIZED").c.id).limit(_plain(MAX_EXAMINED + 1))
    ids = _within_time(connection, query)
    return ids if ids is not None and len(ids) <= MAX_EXAMINED else None


def _within_time(connection: Connection, query: sa.Select[Any]) -> list[str] | None:
    """The results of a query of one column; None if they take longer than TEXT_SEARCH_MS."""
    savepoint = connection.begin_nested()
    try:
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {TEXT_SEARCH_MS}")
        return list(connection.execute(query).scalars())
    except sa.exc.OperationalError as fault:
        if not isinstance(fault.orig, psycopg.errors.QueryCanceled):
            raise
        return None
    finally:
        savepoint.rollback()  # with the setting


def _joined(query: sa.Select[Any], order: Order, filters: Filters) -> sa.Select[Any]:
    """The query with invoices joined to their newest transmissions, in the order of one side.

    A transmission with `listed_at` is the newest. Only one join condition: with more the planner
    underestimates the number of rows, and reads all of them.
    """
    if order is _BY_ARRIVAL:
        arrived = query.join_from(Received, Invoice, Invoice.id == Received.invoice_id)
        return arrived.join(Transmission, Transmission.id == Invoice.transmission_id)
    if order is _BY_STATUS:
        query = query.join_from(Transmission, Invoice, Invoice.id == Transmission.invoice_id)
    else:
        query = query.join_from(Invoice, Transmission, Transmission.id == Invoice.transmission_id)
    if "processed" in filters:
        return query.join(Received, Received.invoice_id == Invoice.id)
    return query


def _plain(number: int) -> sa.BindParameter[int]:
    """A literal number in the statement, so that a prepared plan knows how few rows are needed."""
    return sa.bindparam(None, number, literal_execute=True)


def count(wanted: InvoiceFilter) -> int:
    """The number of invoices on all pages.

    By status, direction and time of creation it is the sum of counted blocks (`blocks`); those with
    a text are found by its index, where there is one; with other filters each invoice is read.
    """
    return db.read_replicated(lambda connection: _count(connection, wanted))


def _count(connection: Connection, wanted: InvoiceFilter) -> int:
    filters = _filters(wanted)
    if filters.keys() <= {"status", "direction", "received"}:
        return blocks.total(connection, _counted(wanted), _statuses(wanted))
    return _count_each(connection, wanted, filters)


def _counted(wanted: InvoiceFilter) -> Counted:
    return Counted(
        wanted.tenant_id,
        wanted.environment,
        wanted.created_from or blocks.BEGINNING,
        wanted.created_to or blocks.END,
    )


def _statuses(wanted: InvoiceFilter) -> frozenset[str]:
    """The statuses that match: a received document has one of its own."""
    received = {NetworkStatus.RECEIVED.value}
    chosen = {wanted.status} if wanted.status else blocks.STATUSES
    if wanted.direction is None:
        return frozenset(chosen)
    return frozenset(chosen & received if wanted.direction == "received" else chosen - received)


def _count_each(connection: Connection, wanted: InvoiceFilter, filters: Filters) -> int:
    order = next((_ORDERS[name] for name in _ORDERS if name in filters), _BY_INVOICE)
    query = select(func.count()).where(*filters.values(), *_bounds(wanted, order))
    if order is not _BY_INVOICE and len(filters) > 1:
        query = _joined(query, order, filters)
    else:
        query = query.select_from(_TABLES[order])
    return connection.execute(query).scalar_one()


def _last_examined(connection: Connection, reading: _Reading) -> Position | None:
    """The position of the last invoice to examine; None if fewer than EXAMINED are left."""
    order = reading.order
    position = RecordColumns(Position, at=order[0], invoice_id=order[1])
    query = (
        position.select()
        .where(*_bounds_of(reading, order))
        .order_by(*_ordered(order, newest_first=reading.newest_first))
        .offset(_plain(MAX_EXAMINED - 1))
        .limit(_plain(1))
    )
    if reading.leading is not None:
        query = query.where(reading.leading)
    return position.one_or_none(connection.execute(query))


# -- filters ---------------------------------------------------------------------------------------


def _filters(wanted: InvoiceFilter) -> Filters:
    """A condition for each given filter, except the times of creation."""
    conditions: Filters = {}
    if wanted.number is not None:
        conditions["number"] = Invoice.number == wanted.number
    if wanted.receivers:
        conditions["receiver"] = _one_of(Invoice.receiver.expression, wanted.receivers)
    if wanted.senders:
        conditions["sender"] = _one_of(Invoice.sender.expression, wanted.senders)
    if wanted.status is not None:
        conditions["status"] = Transmission.status == wanted.status
    if wanted.processed is not None:
        moment = Received.processed_at
        conditions["processed"] = moment.is_not(None) if wanted.processed else moment.is_(None)
    if wanted.direction == "received" and wanted.processed is not None:
        return conditions | _unindexed(wanted)  # only received invoices can be processed
    if wanted.direction == "received":
        conditions["received"] = _RECEIVED
    elif wanted.direction is not None:
        conditions["direction"] = Invoice.direction == wanted.direction
    return conditions | _unindexed(wanted)


def _unindexed(wanted: InvoiceFilter) -> Filters:
    conditions: Filters = {}
    if wanted.currency is not None:
        conditions["currency"] = Invoice.currency == wanted.currency
    if wanted.issued_from is not None:
        conditions["from"] = Invoice.issue_date >= wanted.issued_from
    if wanted.issued_to is not None:
        conditions["to"] = Invoice.issue_date <= wanted.issued_to
    if wanted.buyer is not None:
        conditions["buyer"] = _sold_to(wanted.buyer)
    if wanted.text is not None:
        places = (Invoice.number, Invoice.supplier_name, Invoice.buyer_name)
        conditions["text"] = or_(*(_contains(place, wanted.text) for place in places))
    return conditions


def _contains(place: Any, text: str) -> Condition:
    """Whether the text is in the column, in any case of letters; as the index of texts has it."""
    for special in "/%_":
        text = text.replace(special, f"/{special}")
    return func.lower(place).like(func.lower(f"%{text}%"), escape="/")


def _sold_to(buyer: BuyerFilter) -> Condition:
    """Invoices sent to this buyer, by any of its identifiers, and self-billed ones from it."""
    signs: list[Condition] = []
    senders: list[Condition] = []
    if buyer.participants:
        signs.append(_one_of(Invoice.receiver.expression, buyer.participants))
        senders.append(_one_of(Invoice.sender.expression, buyer.participants))
    if buyer.tax_key is not None:
        number: sa.ColumnElement[str] = func.upper(Invoice.buyer_tax_id)
        for blank in " .-/":
            number = func.replace(number, blank, "")
        signs.append(number == buyer.tax_key)
        senders.append(number == buyer.tax_key)
    if not signs:
        signs.append(func.lower(Invoice.buyer_name) == func.lower(buyer.name))
        senders = signs
    return or_(
        sa.and_(Invoice.direction == "sent", Invoice.kind.not_in(_SELF_BILLED), or_(*signs)),
        sa.and_(Invoice.direction == "received", Invoice.kind.in_(_SELF_BILLED), or_(*senders)),
    )


_SELF_BILLED = [kind.value for kind in DocumentKind if kind.is_self_billed]


# A literal, as in the partial index, which is not used with a parameter.
_RECEIVED: Condition = Invoice.direction == sa.literal_column("'received'")


def _one_of(column: sa.ColumnElement[Any], spellings: Sequence[str]) -> Condition:
    """One spelling can be read in the order of the index; several have to be sorted."""
    return column == spellings[0] if len(spellings) == 1 else column.in_(spellings)


# -- order and bounds ------------------------------------------------------------------------------


def _ordered(order: Order, *, newest_first: bool) -> list[sa.UnaryExpression[Any]]:
    return [column.desc() if newest_first else column.asc() for column in order]


def _bounds(
    wanted: InvoiceFilter,
    order: Order,
    after: Position | None = None,
    last: Position | None = None,
    *,
    newest_first: bool = True,
) -> list[Condition]:
    """Conditions on tenant, times of creation, start and last position; one index reads them."""
    table = _TABLES[order]
    moment, key = order[0], tuple_(*order)
    conditions = [table.tenant_id == wanted.tenant_id, table.environment == wanted.environment]
    if order is _BY_STATUS:
        conditions.append(moment.is_not(None))
    if wanted.created_from is not None:
        conditions.append(moment >= wanted.created_from)
    if wanted.created_to is not None:
        conditions.append(moment <= wanted.created_to)
    if after is not None:
        conditions.append(key < _key(after) if newest_first else key > _key(after))
    if last is not None:
        conditions.append(key >= _key(last) if newest_first else key <= _key(last))
    return conditions


def _key(position: Position) -> sa.Tuple:
    return tuple_(sa.literal(position.at, Moment()), sa.literal(position.invoice_id, sa.String()))
