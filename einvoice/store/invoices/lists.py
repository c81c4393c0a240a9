"""Pages of invoices by keyset pagination; their cost does not grow with the table.

A page starts after the position where the previous one ended and follows the index of the most
selective filter (`_INDEXED`), newest or oldest first. For filters that this index does not have, at
most MAX_EXAMINED invoices are examined in its order, and the page ends there if it is not full. A
page that would end so is read by the indexes of those filters instead (texts, names and ids of
parties, customers, amounts, issue dates), where they find at most MAX_EXAMINED invoices. Other
orders are in `sorted_lists`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import func, select, tuple_
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.invoice_head import ListedHead, Traded
from einvoice.store.core import db, estimates, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.types import Moment
from einvoice.store.invoices import blocks, shares, text_index
from einvoice.store.invoices.blocks import Counted
from einvoice.store.invoices.invoice_filters import (
    Condition,
    Filters,
    InvoiceFilter,
    conditions,
)
from einvoice.store.tables import Invoice, Received, Transmission

MAX_EXAMINED = 5_000
# Of a search by an index: of more expected rows it is not begun, and after this time given up.
MAX_EXPECTED = 100_000
TEXT_SEARCH_MS = 1_000

Order = tuple[sa.ColumnElement[Any], sa.ColumnElement[Any]]


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the order of creation: after this invoice."""

    at: datetime
    invoice_id: str


@dataclass(frozen=True, slots=True)
class InvoiceListItem(Traded, ListedHead):
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
    attention: bool
    response_id: str | None
    response_status: str | None
    response_attention: bool | None
    failure_done_at: datetime | None
    shared: bool
    metadata: Mapping[str, str | None] | None
    payable: Decimal | None
    amount_paid: Decimal | None

    @property
    def needs_person(self) -> bool:
        """As InvoiceRecord.needs_person."""
        return self.attention or bool(self.response_attention)


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
    attention=Transmission.attention,
    response_id=Transmission.response_id,
    response_status=Transmission.response_status,
    response_attention=Transmission.response_attention,
    failure_done_at=Transmission.failure_done_at,
    shared=shares.is_shared(),
    metadata=Invoice.sender_metadata,
)

# Filters with an index that contains the order, the most selective first.
_INDEXED = (
    "transaction", "number", "supplier", "attention", "receiver", "response", "status",
    "processed", "sender", "received",
)  # fmt: skip
# Filters with an index that does not contain the order.
_SEARCHED = ("from", "to", "total from", "total to", "party id", "metadata")
_BY_INVOICE: Order = (Invoice.created_at.expression, Invoice.id.expression)
_BY_STATUS: Order = (Transmission.listed_at.expression, Transmission.invoice_id.expression)
_BY_ARRIVAL: Order = (Received.created_at.expression, Received.invoice_id.expression)
_TABLES: dict[Order, Any] = {
    _BY_INVOICE: Invoice, _BY_STATUS: Transmission, _BY_ARRIVAL: Received,
}  # fmt: skip
_ORDERS: dict[str, Order] = {
    "supplier": _BY_ARRIVAL, "attention": _BY_STATUS, "response": _BY_STATUS, "status": _BY_STATUS,
    "processed": _BY_ARRIVAL,
}  # fmt: skip


def page(
    wanted: InvoiceFilter, limit: int, *, after: Position | None, newest_first: bool
) -> InvoicePage:
    """At most `limit` invoices after `after`; fewer with an `end` if MAX_EXAMINED were examined."""
    reading = _reading(wanted, limit, after, newest_first=newest_first)
    return db.read_replicated(lambda connection: _page(connection, reading))


def _page(connection: Connection, reading: _Reading) -> InvoicePage:
    last = _last_examined(connection, reading) if reading.searched else None
    found = _items(connection, reading, last)
    if last is not None and len(found) <= reading.limit:
        few = _find_few_searched(connection, reading.wanted, _bounds_of(reading, _BY_INVOICE))
        if few is not None:
            last = None
            found = _items_of_few(connection, reading, few)
    if len(found) > reading.limit:
        end = found[reading.limit - 1]
        return InvoicePage(found[: reading.limit], Position(end.created_at, end.id))
    return InvoicePage(found, last)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a page is read: along the order of the leading filter, the one with an index.

    leader  the name of that filter; empty without one
    """

    wanted: InvoiceFilter
    filters: Filters
    leader: str
    order: Order
    limit: int
    after: Position | None
    newest_first: bool

    @property
    def leading(self) -> Condition | None:
        return self.filters.get(self.leader)

    @property
    def searched(self) -> bool:
        """Whether there are filters that the index of the order does not have."""
        return len(self.filters) > (self.leading is not None)


def _reading(
    wanted: InvoiceFilter, limit: int, after: Position | None, *, newest_first: bool
) -> _Reading:
    filters = conditions(wanted)
    leading = next((name for name in _INDEXED if name in filters), "")
    order = _ORDERS.get(leading, _BY_INVOICE)
    return _Reading(wanted, filters, leading, order, limit, after, newest_first)


def _items(
    connection: Connection, reading: _Reading, last: Position | None
) -> list[InvoiceListItem]:
    """One more than the page has, up to the position `last`."""
    query = (
        _filtered(_joined(_ITEM.select(), reading.order, reading.filters), reading, last)
        .order_by(*_ordered(reading.order, newest_first=reading.newest_first))
        .limit(rows.literal(reading.limit + 1))
    )
    return _ITEM.all(connection.execute(query))


def _items_of_few(
    connection: Connection, reading: _Reading, few: FewInvoices
) -> list[InvoiceListItem]:
    """One more than the page has, of the few invoices."""
    among = replace(reading, filters=few.unchecked(reading.filters))
    keys = select(*(key.label(name) for key, name in zip(reading.order, ("at", "id"), strict=True)))
    query = _filtered(_with_tables(keys, among.order, among.filters), among)
    found = materialised(query.where(rows.in_values(Invoice.id, few.ids)))
    ordered = _ordered((found.c.at, found.c.id), newest_first=reading.newest_first)
    page = select(found.c.id).order_by(*ordered).limit(rows.literal(reading.limit + 1))
    return items(connection, list(connection.execute(page).scalars()))


def materialised(query: sa.Select[Any]) -> sa.CTE:
    """The query, planned for all of its rows, however few of them are needed.

    With a limit the planner would follow the index of another order, in the hope to meet enough of
    them soon: it would read all newer invoices to find a few old ones.
    """
    return query.cte().prefix_with("MATERIALIZED", dialect="postgresql")


def _filtered(
    query: sa.Select[Any], reading: _Reading, last: Position | None = None
) -> sa.Select[Any]:
    """The query with the filters, within the bounds of the page, up to the position `last`."""
    filters = reading.filters
    for keys in {reading.order, *(keys for name, keys in _ORDERS.items() if name in filters)}:
        query = query.where(*_bounds_of(reading, keys, last))
    return query.where(*filters.values())


def _bounds_of(reading: _Reading, order: Order, last: Position | None = None) -> list[Condition]:
    newest_first = reading.newest_first
    return _bounds(reading.wanted, order, reading.after, last, newest_first=newest_first)


@dataclass(frozen=True, slots=True)
class FewInvoices:
    """At most MAX_EXAMINED invoices, among them all that have the filters.

    checked  names of the filters that all of these invoices have
    """

    ids: list[str]
    checked: frozenset[str]

    def unchecked(self, filters: Filters) -> Filters:
        """The filters that some of them may not have."""
        return {name: each for name, each in filters.items() if name not in self.checked}


def _find_few_searched(
    connection: Connection, wanted: InvoiceFilter, bounds: Sequence[Condition]
) -> FewInvoices | None:
    """All invoices within the bounds, by the indexes of the filters in `_SEARCHED`.

    None without such an index, if there are more than MAX_EXAMINED, or if it would take too long: a
    frequent word, of which the next page examines more.
    """
    if connection.dialect.name != "postgresql":
        return None
    found = conditions(wanted)
    searched = {name: found[name] for name in _SEARCHED if name in found}
    buyer = wanted.buyer
    if buyer is not None and not buyer.by_name:
        searched["buyer"] = found["buyer"]
    named = buyer.name if buyer is not None and buyer.by_name else None
    for name, text in (("text", wanted.text), ("party", wanted.party), ("buyer", named)):
        if text is not None and text_index.finds(connection, text):
            searched[name] = found[name]
    if not searched:
        return None
    matching = select(Invoice.id).where(*bounds, *searched.values())
    if estimates.rows_of(connection, matching) > MAX_EXPECTED:
        return None
    query = select(materialised(matching).c.id).limit(rows.literal(MAX_EXAMINED + 1))
    ids = _within_time(connection, query)
    if ids is None or len(ids) > MAX_EXAMINED:
        return None
    return FewInvoices(ids, frozenset(searched))


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


def find_few(connection: Connection, wanted: InvoiceFilter) -> FewInvoices | None:
    """The invoices that an index of the filters finds; None if they are more than MAX_EXAMINED.

    By the index of the leading filter and, of more, by those of the filters in `_SEARCHED`.
    """
    reading = _reading(wanted, MAX_EXAMINED, None, newest_first=True)
    query = select(reading.order[1]).where(*_bounds(wanted, reading.order))
    if reading.leading is not None:
        query = query.where(reading.leading)
    ids = list(connection.execute(query.limit(rows.literal(MAX_EXAMINED + 1))).scalars())
    if len(ids) <= MAX_EXAMINED:
        return FewInvoices(ids, frozenset({reading.leader}))
    return _find_few_searched(connection, wanted, _bounds(wanted, _BY_INVOICE))


def items(connection: Connection, ids: Sequence[str]) -> list[InvoiceListItem]:
    """The invoices with these ids, in their order."""
    query = _joined(_ITEM.select(), _BY_INVOICE, {}).where(rows.in_values(Invoice.id, ids))
    found = {item.id: item for item in _ITEM.all(connection.execute(query))}
    return [found[invoice_id] for invoice_id in ids if invoice_id in found]


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
    if filters.keys() & {"processed", "supplier"}:
        return query.join(Received, Received.invoice_id == Invoice.id)
    return query


def _with_tables(query: sa.Select[Any], order: Order, filters: Filters) -> sa.Select[Any]:
    """The query, from the tables that the order and the filters need."""
    if order is _BY_INVOICE and not filters.keys() & _ORDERS.keys():
        return query.select_from(Invoice)
    return _joined(query, order, filters)


def count(wanted: InvoiceFilter) -> int:
    """The number of invoices on all pages.

    By status, direction and time of creation it is the sum of counted blocks (`blocks`); those with
    a text are found by its index, where there is one; with other filters each invoice is read.
    """
    return db.read_replicated(lambda connection: _count(connection, wanted))


def _count(connection: Connection, wanted: InvoiceFilter) -> int:
    filters = conditions(wanted)
    if filters.keys() <= {"status", "direction", "received"}:
        return blocks.total(connection, _counted(wanted), _statuses(wanted))
    return _count_each(connection, wanted, filters)


def count_up_to(wanted: InvoiceFilter, most: int) -> int:
    """The number of invoices on all pages, or `most` if there are more: read along an index."""
    reading = _reading(wanted, most, None, newest_first=True)
    query = _filtered(_with_tables(select(Invoice.id), reading.order, reading.filters), reading)
    first = query.order_by(*_ordered(reading.order, newest_first=True)).limit(rows.literal(most))
    counted = select(func.count()).select_from(first.subquery())
    return db.read_replicated(lambda connection: connection.execute(counted).scalar_one())


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
    """The position of the last invoice to examine; None if fewer than MAX_EXAMINED are left."""
    order = reading.order
    position = RecordColumns(Position, at=order[0], invoice_id=order[1])
    query = (
        position.select()
        .where(*_bounds_of(reading, order))
        .order_by(*_ordered(order, newest_first=reading.newest_first))
        .offset(rows.literal(MAX_EXAMINED - 1))
        .limit(rows.literal(1))
    )
    if reading.leading is not None:
        query = query.where(reading.leading)
    return position.one_or_none(connection.execute(query))


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
    found = [table.tenant_id == wanted.tenant_id, table.environment == wanted.environment]
    if order is _BY_STATUS:
        found.append(moment.is_not(None))
    if wanted.created_from is not None:
        found.append(moment >= wanted.created_from)
    if wanted.created_to is not None:
        found.append(moment <= wanted.created_to)
    if after is not None:
        found.append(key < _key(after) if newest_first else key > _key(after))
    if last is not None:
        found.append(key >= _key(last) if newest_first else key <= _key(last))
    return found


def _key(position: Position) -> sa.Tuple:
    return tuple_(sa.literal(position.at, Moment()), sa.literal(position.invoice_id, sa.String()))
