"""Lists of invoices, limited to the caller's tenant and environments.

In the order of creation, or in one of `ORDERS` within one environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal
from operator import itemgetter

from einvoice import clock
from einvoice.domain.directory import CUSTOMER, tax_key
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, InvalidParticipant, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.services.account import tenants
from einvoice.services.account.profile import SEARCHABLE
from einvoice.services.directory import entries
from einvoice.services.principal import Reader
from einvoice.store.inbound import received, receiver_responses
from einvoice.store.inbound.received import BillRecord as BillRecord
from einvoice.store.inbound.receiver_responses import (
    ReceiverResponseRecord as ReceiverResponseRecord,
)
from einvoice.store.inbound.responses import ResponseRecord as ResponseRecord
from einvoice.store.invoices import lists, sorted_lists
from einvoice.store.invoices.invoice_filters import BuyerFilter, InvoiceCriteria, InvoiceFilter
from einvoice.store.invoices.lists import InvoiceListItem as InvoiceListItem
from einvoice.store.invoices.lists import InvoicePage
from einvoice.store.invoices.lists import Position as Position
from einvoice.store.invoices.sorted_lists import Place as Place
from einvoice.store.invoices.sorted_lists import values_of as values_of

CREATED = "createdAt"
ORDERS = (CREATED, *sorted_lists.ORDERS)
MAX_SECONDS = 20.0  # for the pages of a file
_CREDITS = frozenset({DocumentKind.CREDIT_NOTE, DocumentKind.SELF_BILLED_CREDIT_NOTE})


@dataclass(frozen=True, slots=True)
class InvoiceFilters(InvoiceCriteria):
    """Filters of a list; None means any. `party` may be a participant id.

    participant  the other side: the receiver of what was sent, else the sender
    """

    environment: Environment | None = None
    receiver: ParticipantId | None = None
    sender: ParticipantId | None = None
    participant: ParticipantId | None = None
    customer_id: str | None = None


@dataclass(frozen=True, slots=True)
class InvoicePageRequest:
    """The page to read: size, order, and the position to start after: a Place, unless it is the
    order of creation."""

    limit: int
    after: Position | Place | None = None
    order: str = CREATED
    descending: bool = True


@dataclass(frozen=True, slots=True)
class InvoiceList:
    """A page; `end` is None on the last one. Others may be short (store/invoices/lists)."""

    items: Sequence[InvoiceListItem]
    end: Position | Place | None


def invoices(reader: Reader, filters: InvoiceFilters, part: InvoicePageRequest) -> InvoiceList:
    """A page of sent and received invoices. Raises InvalidField if they cannot be sorted so."""
    if part.order != CREATED:
        return _sorted(reader, filters, part)
    after = part.after if isinstance(part.after, Position) else None
    pages = [
        lists.page(wanted, part.limit, after=after, newest_first=part.descending)
        for wanted in _wanted(reader, filters)
    ]
    if len(pages) == 1:
        return InvoiceList(pages[0].items, pages[0].end)
    return _merged(pages, part)


def every(
    reader: Reader, filters: InvoiceFilters, part: InvoicePageRequest, most: int, way_out: str
) -> list[InvoiceListItem]:
    """All invoices of a list from `part` on, read in its pages.

    Raises InvalidField, and Conflict with the way out for more than `most`, or if they are so rare
    among others that reading the pages takes longer than MAX_SECONDS.
    """
    found: list[InvoiceListItem] = []
    until = clock.monotonic() + MAX_SECONDS
    while True:
        page = invoices(reader, filters, part)
        found += page.items
        if len(found) > most:
            raise Conflict(f"More than {most:,} invoices have these filters: {way_out}")
        if page.end is None:
            return found
        if clock.monotonic() > until:
            raise Conflict(f"Finding the invoices with these filters takes too long: {way_out}")
        part = replace(part, after=page.end)


def _sorted(reader: Reader, filters: InvoiceFilters, part: InvoicePageRequest) -> InvoiceList:
    wanted = _wanted(reader, filters)
    if not wanted:
        return InvoiceList([], None)
    if len(wanted) > 1:
        message = f"is needed for the order by {part.order}: name one"
        raise InvalidField([FieldError("/environment", "required", message)])
    after = part.after if isinstance(part.after, Place) else None
    try:
        page = sorted_lists.page(
            wanted[0], part.limit, order=part.order, after=after, descending=part.descending
        )
    except sorted_lists.TooManyToSort:
        raise _too_many(part.order) from None
    return InvoiceList(page.items, page.end)


def _too_many(order: str) -> InvalidField:
    message = (
        f"{order} sorts at most {lists.MAX_EXAMINED:,} invoices, and more have these filters: "
        "narrow them, by dates for example, or choose another order"
    )
    return InvalidField([FieldError("/sort", "too-many-to-sort", message)])


def _merged(pages: Sequence[InvoicePage], part: InvoicePageRequest) -> InvoiceList:
    """The pages of both environments as one page, which ends where the first of them ends."""
    ends = [_key(page.end) for page in pages if page.end is not None]
    last = (max if part.descending else min)(ends, default=None)
    found = sorted(
        ((_key(_position(item)), item) for page in pages for item in page.items),
        key=itemgetter(0),
        reverse=part.descending,
    )
    if last is not None:
        found = [(k, item) for k, item in found if (k >= last if part.descending else k <= last)]
    items = [item for _, item in found[: part.limit]]
    if len(found) > part.limit:
        return InvoiceList(items, _position(items[-1]))
    return InvoiceList(items, None if last is None else Position(*last))


def _position(item: InvoiceListItem) -> Position:
    return Position(item.created_at, item.id)


def _key(position: Position) -> tuple[datetime, str]:
    return position.at, position.invoice_id


def total(reader: Reader, filters: InvoiceFilters) -> int:
    """The number of invoices on all pages."""
    return sum(lists.count(wanted) for wanted in _wanted(reader, filters))


def total_up_to(reader: Reader, filters: InvoiceFilters, most: int) -> int:
    """The number of invoices on all pages, or `most` if there are more."""
    counts = (lists.count_up_to(wanted, most) for wanted in _wanted(reader, filters))
    return min(sum(counts), most)


def bills(items: Sequence[InvoiceListItem]) -> Mapping[str, BillRecord]:
    """The bills among the items, by invoice id."""
    return received.bills([item.id for item in items if item.direction == "received"])


def responses(
    items: Sequence[InvoiceListItem], tenant_id: str
) -> Mapping[str, ReceiverResponseRecord]:
    """The responses of receivers to the sent ones among the items, by invoice id."""
    named = {item.response_id for item in items if item.response_id is not None}
    return receiver_responses.by_id(named, tenant_id)


def signed(item: InvoiceListItem) -> Decimal:
    """The total as the books have it: negative for a credit note. 0 without a total."""
    total = item.grand_total or Decimal(0)
    return -total if item.kind in _CREDITS else total


def updated_at(item: InvoiceListItem) -> datetime:
    """When the invoice's status last changed."""
    moments = (item.queued_at, item.submitted_at, item.settled_at)
    return max(moment for moment in moments if moment is not None)


def _wanted(reader: Reader, filters: InvoiceFilters) -> list[InvoiceFilter]:
    """One filter per environment: an index contains the order of one environment.

    No filter, and so no invoice, if the directory has no such customer, or two participants are
    asked for.
    """
    if filters.metadata:
        _check_names(filters.metadata, reader.tenant_id)
    if not _is_one_party(filters):
        return []
    asked = [e for e in reader.environments if filters.environment in (None, e)]
    buyer = None
    if filters.customer_id is not None:
        buyer = _buyer(reader.tenant_id, filters.customer_id)
        if buyer is None:
            return []
    return [_of_one(reader.tenant_id, environment, filters, buyer) for environment in asked]


def _check_names(texts: Mapping[str, str], tenant_id: str) -> None:
    """Raise InvalidField for a name in metadata by which the tenant does not search."""
    named = tenants.get(tenant_id).profile.get(SEARCHABLE, ())
    known = ", ".join(named) or "none yet"
    message = f"is not searched: name it in {SEARCHABLE} of PATCH /api/tenant (named: {known})"
    wrong = [
        FieldError(f"/metadata.{n}", "unknown-field", message) for n in texts if n not in named
    ]
    if wrong:
        raise InvalidField(wrong)


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
    parties = _participants(filters.party)
    if parties:
        criteria["party"] = None
    parties = _spellings(filters.participant) or parties
    return InvoiceFilter(
        tenant_id,
        environment.value,
        receivers=_spellings(filters.receiver),
        senders=_spellings(filters.sender),
        parties=parties,
        buyer=buyer,
        **criteria,
    )


def _is_one_party(filters: InvoiceFilters) -> bool:
    """Whether `participant` and a `party` that is a participant id, if given, are the same."""
    named = _participants(filters.party)
    return (
        filters.participant is None
        or not named
        or filters.participant.canonical in {ParticipantId.parse(one).canonical for one in named}
    )


def _participants(party: str | None) -> tuple[str, ...]:
    """The spellings of a party that is named by its participant id; none if it is a name."""
    with suppress(InvalidParticipant):
        return _spellings(None if party is None else ParticipantId.parse(party))
    return ()


def _spellings(participant: ParticipantId | None) -> tuple[str, ...]:
    """The participant as given, in lower and in upper case: participant ids ignore case."""
    if participant is None:
        return ()
    asked = str(participant)
    return tuple(dict.fromkeys((asked, asked.lower(), asked.upper())))
