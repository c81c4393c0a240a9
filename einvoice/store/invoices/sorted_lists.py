"""Pages of invoices in the order of a value, with a cost that does not grow with the table.

At most MAX_EXAMINED invoices, found by an index of the filters, are sorted. Of more, a page follows
the index of its order, and examines at most MAX_EXAMINED for filters that are not in it, as in
`lists`. An order without an index (`party`) has no page of more.

Received documents that could not be read have none of the values: they follow all others, by the
time of creation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import or_, select, tuple_
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.invoices import lists
from einvoice.store.invoices.invoice_filters import (
    PARTY,
    Condition,
    InvoiceFilter,
    amount,
    conditions,
    total_amount,
)
from einvoice.store.invoices.lists import FewInvoices, InvoiceListItem
from einvoice.store.tables import INCOMPLETE, Invoice, Received, Transmission


@dataclass(frozen=True, slots=True)
class Place:
    """A position in an order: after the invoice with these values, of which the last is its id.

    part  0 for those that have the values of the order, 1 for those that lack one
    """

    part: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortedPage:
    """Invoices in order, and the position after which the next page starts; None: last page."""

    items: list[InvoiceListItem]
    end: Place | None


@dataclass(frozen=True, slots=True)
class SortOrder:
    """An order of lists.

    keys     what is compared, from the first on; the last is the id
    missing  the keys that a document may lack
    own      names of the filters that the index of the order has
    table    the table of the keys
    """

    keys: tuple[sa.ColumnElement[Any], ...]
    missing: tuple[sa.ColumnElement[Any], ...]
    own: frozenset[str]
    table: type[Invoice | Transmission] = Invoice
    is_indexed: bool = True


_ID = Invoice.id.expression
_CREATED = Invoice.created_at.expression
_BY_CREATION = (_CREATED, _ID)
_ISSUED = Invoice.issue_date.expression
_NUMBER = Invoice.number.expression
ORDERS = {
    "issueDate": SortOrder((_ISSUED, _ID), (_ISSUED,), frozenset({"from", "to"})),
    "grandTotal": SortOrder(
        (total_amount, _ID), (total_amount,), frozenset({"total from", "total to"})
    ),
    "number": SortOrder((_NUMBER, _CREATED, _ID), (_NUMBER,), frozenset({"number"})),
    "networkStatus": SortOrder(
        (
            Transmission.status.expression,
            Transmission.listed_at.expression,
            Transmission.invoice_id.expression,
        ),
        (),
        frozenset({"status"}),
        Transmission,
    ),
    "party": SortOrder((PARTY, _ID), (PARTY,), frozenset(), is_indexed=False),
}


class TooManyToSort(Exception):
    """More than MAX_EXAMINED invoices have the filters, and the order has no index."""


def page(
    wanted: InvoiceFilter, limit: int, *, order: str, after: Place | None, descending: bool
) -> SortedPage:
    """At most `limit` invoices after `after`; fewer with an `end` if MAX_EXAMINED were examined.

    Raises TooManyToSort.
    """
    scan = _Scan(wanted, ORDERS[order], after, descending)
    return db.read_replicated(lambda connection: _page(connection, scan, limit))


def values_of(order: str, part: int) -> tuple[type[Any], ...]:
    """The Python types of the values of a place in this part of the order."""
    keys = _BY_CREATION if part else ORDERS[order].keys
    return tuple(_python_type(key.type) for key in keys)


def _python_type(kind: sa.types.TypeEngine[Any]) -> type[Any]:
    return (kind.impl_instance if isinstance(kind, sa.TypeDecorator) else kind).python_type


@dataclass(frozen=True, slots=True)
class _Scan:
    """The part to read: the filters, the order and its start."""

    wanted: InvoiceFilter
    order: SortOrder
    after: Place | None
    descending: bool

    @property
    def is_searched(self) -> bool:
        """Whether the order has no index, or there are filters that are not in it."""
        return not self.order.is_indexed or any(part.is_searched for part in self.parts())

    def parts(self) -> Iterator[_Part]:
        """The parts of the order from the start on."""
        first = self.after.part if self.after else 0
        if first == 0:
            present = [key.is_not(None) for key in self.order.keys[:-1]]
            yield _Part(self, 0, self.order.keys, self.order.table, present, self.order.own)
        if self.order.missing:
            absent: list[Any] = [or_(*(key.is_(None) for key in self.order.missing))]
            if self.order.is_indexed:
                absent.append(INCOMPLETE)
            yield _Part(self, 1, _BY_CREATION, Invoice, absent, frozenset())


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an order: its keys, the conditions that make it, and its filters."""

    scan: _Scan
    number: int
    keys: tuple[sa.ColumnElement[Any], ...]
    table: type[Invoice | Transmission]
    made_of: Sequence[Any]
    own: frozenset[str]

    @property
    def is_searched(self) -> bool:
        """Whether there are filters that the index does not have."""
        wanted = self.scan.wanted
        is_dated = wanted.created_from is not None or wanted.created_to is not None
        return is_dated or bool(conditions(wanted).keys() - self.own)

    def along(self, limit: int, offset: int = 0) -> sa.Select[Any]:
        """The keys in order from the start on, as one index has them."""
        limited = self.keyed().order_by(*self.ordered(self.keys)).limit(rows.literal(limit))
        return limited.offset(rows.literal(offset) if offset else None)

    def ordered(self, keys: Sequence[sa.ColumnElement[Any]]) -> list[sa.UnaryExpression[Any]]:
        return [key.desc() if self.scan.descending else key.asc() for key in keys]

    def keyed(self) -> sa.Select[Any]:
        """The keys from the start on, in no order."""
        wanted, table = self.scan.wanted, self.table
        own = [each for name, each in conditions(wanted).items() if name in self.own]
        query = (
            select(*(key.label(f"key{n}") for n, key in enumerate(self.keys)))
            .where(table.tenant_id == wanted.tenant_id, table.environment == wanted.environment)
            .where(*self.made_of, *own)
        )
        after = self.scan.after
        if after is None or after.part != self.number:
            return query
        position, place = self._compared(after)
        return query.where(position < place if self.scan.descending else position > place)

    def up_to(self, last: Place) -> Condition:
        position, place = self._compared(last)
        return position >= place if self.scan.descending else position <= place

    def _compared(self, place: Place) -> tuple[sa.Tuple, sa.Tuple]:
        values = zip(self.keys, place.values, strict=True)
        return tuple_(*self.keys), tuple_(*(_literal(key, value) for key, value in values))

    def places(self, connection: Connection, limit: int, last: Place | None) -> list[Place]:
        """At most `limit` places with the filters, up to `last`."""
        query = self.along(limit)
        if self.is_searched:
            query = _filtered(query, self.scan.wanted, self.table, self.own)
        if last is not None:
            query = query.where(self.up_to(last))
        return self._read(connection, query)

    def places_of_few(self, connection: Connection, limit: int, few: FewInvoices) -> list[Place]:
        """At most `limit` places with the filters, of the few invoices."""
        among = rows.in_values(self.keys[-1], few.ids)
        known = self.own | few.checked
        found = lists.materialised(
            _filtered(self.keyed().where(among), self.scan.wanted, self.table, known)
        )
        query = select(found).order_by(*self.ordered([*found.c])).limit(rows.literal(limit))
        return self._read(connection, query)

    def _read(self, connection: Connection, query: sa.Select[Any]) -> list[Place]:
        return [Place(self.number, tuple(row)) for row in connection.execute(query)]

    def last_examined(self, connection: Connection) -> Place | None:
        """The place of the last invoice to examine; None if fewer than MAX_EXAMINED are left."""
        row = connection.execute(self.along(1, lists.MAX_EXAMINED - 1)).one_or_none()
        return None if row is None else Place(self.number, tuple(row))


def _filtered(
    query: sa.Select[Any], wanted: InvoiceFilter, table: type[Any], known: frozenset[str]
) -> sa.Select[Any]:
    """The query of a part with its filters but the known ones, which the invoices have already."""
    filters = {name: each for name, each in conditions(wanted).items() if name not in known}
    if table is Transmission:
        query = query.join(Invoice, Invoice.id == Transmission.invoice_id)
    elif filters.keys() & {"status", "response", "attention", "failure"}:
        query = query.join(Transmission, Transmission.id == Invoice.transmission_id)
    if filters.keys() & {"processed", "supplier"}:
        query = query.join(Received, Received.invoice_id == Invoice.id)
    if wanted.created_from is not None:
        query = query.where(Invoice.created_at >= wanted.created_from)
    if wanted.created_to is not None:
        query = query.where(Invoice.created_at <= wanted.created_to)
    return query.where(*filters.values())


def _literal(key: sa.ColumnElement[Any], value: object) -> sa.ColumnElement[Any]:
    literal = sa.literal(value, key.type)
    return amount(literal) if key is total_amount else literal


def _page(connection: Connection, scan: _Scan, limit: int) -> SortedPage:
    few = lists.find_few(connection, scan.wanted) if scan.is_searched else None
    if few is None and not scan.order.is_indexed:
        raise TooManyToSort
    found, last = _walked(connection, scan, limit + 1, few)
    shown = lists.items(connection, [place.values[-1] for place in found[:limit]])
    return SortedPage(shown, found[limit - 1] if len(found) > limit else last)


def _walked(
    connection: Connection, scan: _Scan, limit: int, few: FewInvoices | None
) -> tuple[list[Place], Place | None]:
    """At most `limit` places from the start on, and the last one that was examined, if any."""
    found: list[Place] = []
    for part in scan.parts():
        left, last = limit - len(found), None
        if few is not None:
            found += part.places_of_few(connection, left, few)
        else:
            last = part.last_examined(connection) if part.is_searched else None
            found += part.places(connection, left, last)
        if last is not None or len(found) == limit:
            return found, last
    return found, None
