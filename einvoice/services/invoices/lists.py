"""Lists of invoices, limited to the caller's tenant and environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from operator import itemgetter

from einvoice.domain.directory import CUSTOMER, tax_key
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.directory import entries
from einvoice.services.principal import Reader
from einvoice.store import lists, received
from einvoice.store.lists import BuyerFilter, InvoiceCriteria, InvoiceFilter, InvoicePage
from einvoice.store.lists import InvoiceListItem as InvoiceListItem
from einvoice.store.lists import Position as Position
from einvoice.store.received import BillRecord as BillRecord
from einvoice.store.responses import ResponseRecord as ResponseRecord


@dataclass(frozen=True, slots=True)
class InvoiceFilters(InvoiceCriteria):
    """Filters of a list; None means any."""

    environment: Environment | None = None
    receiver: ParticipantId | None = None
    sender: ParticipantId | None = None
    customer_id: str | None = None


@dataclass(frozen=True, slots=True)
class InvoicePageRequest:
    """The page to read: size, order of creation, and the position to start after."""

    limit: int
    after: Position | None = None
    newest_first: bool = True


@dataclass(frozen=True, slots=True)
class InvoiceList:
    """A page; `end` is None on the last one. Others may be short or empty (store/lists)."""

    items: Sequence[InvoiceListItem]
    end: Position | None


def invoices(who: Reader, filters: InvoiceFilters, part: InvoicePageRequest) -> InvoiceList:
    """A page of sent and received invoices."""
    pages = [
        lists.page(wanted, part.limit, after=part.after, newest_first=part.newest_first)
        for wanted in _wanted(who, filters)
    ]
    if len(pages) == 1:
        return InvoiceList(pages[0].items, pages[0].end)
    return _merged(pages, part)


def _merged(pages: Sequence[InvoicePage], part: InvoicePageRequest) -> InvoiceList:
    """The pages of both environments as one page, which ends where the first of them ends."""
    ends = [_key(page.end) for page in pages if page.end is not None]
    last = (max if part.newest_first else min)(ends, default=None)
    found = sorted(
        ((_key(_position(item)), item) for page in pages for item in page.items),
        key=itemgetter(0),
        reverse=part.newest_first,
    )
    if last is not None:
        found = [(k, item) for k, item in found if (k >= last if part.newest_first else k <= last)]
    items = [item for _, item in found[: part.limit]]
    if len(found) > part.limit:
        return InvoiceList(items, _position(items[-1]))
    return InvoiceList(items, None if last is None else Position(*last))


def _position(item: InvoiceListItem) -> Position:
    return Position(item.created_at, item.id)


def _key(position: Position) -> tuple[datetime, str]:
    return position.at, position.invoice_id


def total(who: Reader, filters: InvoiceFilters) -> int:
    """The number of invoices on all pages."""
    return sum(lists.count(wanted) for wanted in _wanted(who, filters))


def bills(items: Sequence[InvoiceListItem]) -> Mapping[str, BillRecord]:
    """The bills among the items, by invoice id."""
    return received.bills([item.id for item in items if item.direction == "received"])


def updated_at(item: InvoiceListItem) -> datetime:
    """When the invoice's status last changed."""
    moments = (item.queued_at, item.submitted_at, item.settled_at)
    return max(moment for moment in moments if moment is not None)


def _wanted(who: Reader, filters: InvoiceFilters) -> list[InvoiceFilter]:
    """One filter per environment: an index contains the order of one environment.

    No filter, and so no invoice, if the directory has no such customer.
    """
    asked = [e for e in who.environments if filters.environment in (None, e)]
    buyer = None
    if filters.customer_id is not None:
        buyer = _buyer(who.tenant_id, filters.customer_id)
        if buyer is None:
            return []
    return [_of_one(who.tenant_id, environment, filters, buyer) for environment in asked]


def _buyer(tenant_id: str, customer_id: str) -> BuyerFilter | None:
    """The filter for a customer's invoices; None if there is no such customer."""
    try:
        customer = entries.get(CUSTOMER, tenant_id, customer_id)
    except NotFound:
        return None
    participant = ParticipantId.parse(customer.peppol_id) if customer.peppol_id else None
    return BuyerFilter(_spellings(participant), tax_key(customer.tax_id), customer.name)


def _of_one(
    tenant_id: str, environment: Environment, filters: InvoiceFilters, buyer: BuyerFilter | None
) -> InvoiceFilter:
    criteria = {field.name: getattr(filters, field.name) for field in fields(InvoiceCriteria)}
    return InvoiceFilter(
        tenant_id,
        environment.value,
        receivers=_spellings(filters.receiver),
        senders=_spellings(filters.sender),
        buyer=buyer,
        **criteria,
    )


def _spellings(participant: ParticipantId | None) -> tuple[str, ...]:
    """The participant as given, in lower and in upper case: participant ids ignore case."""
    if participant is None:
        return ()
    asked = str(participant)
    return tuple(dict.fromkeys((asked, asked.lower(), asked.upper())))
