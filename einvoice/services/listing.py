"""Lists of invoices, bound to the tenant and environment of who asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.principal import Principal
from einvoice.store import lists
from einvoice.store.lists import Item, Position, Wanted


@dataclass(frozen=True, slots=True)
class Filters:
    """Which invoices are asked for; None is no matter. Days and moments are inclusive."""

    direction: str | None = None
    status: NetworkStatus | None = None
    number: str | None = None
    receiver: ParticipantId | None = None
    sender: ParticipantId | None = None
    issued_from: date | None = None
    issued_to: date | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    currency: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of them: so many behind a position, in one of the two orders of creation."""

    limit: int
    after: Position | None = None
    newest_first: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """A page. `end` None: it is the last; else it may also be short, or empty (store/lists)."""

    items: Sequence[Item]
    end: Position | None


def invoices(who: Principal, filters: Filters, part: Slice) -> Listed:
    """A page of the invoices that were sent and received."""
    page = lists.page(
        _wanted(who, filters), part.limit, after=part.after, newest_first=part.newest_first
    )
    return Listed(page.items, page.end)


def total(who: Principal, filters: Filters) -> int:
    """How many invoices there are in all pages together; it costs a count."""
    return lists.count(_wanted(who, filters))


def updated_at(item: Item) -> datetime:
    """When the invoice's status last changed."""
    moments = (item.queued_at, item.submitted_at, item.settled_at)
    return max(moment for moment in moments if moment is not None)


def _wanted(who: Principal, filters: Filters) -> Wanted:
    return Wanted(
        tenant_id=who.tenant_id,
        environment=who.environment.value,
        direction=filters.direction,
        status=filters.status,
        number=filters.number,
        receivers=_spellings(filters.receiver),
        senders=_spellings(filters.sender),
        issued_from=filters.issued_from,
        issued_to=filters.issued_to,
        created_from=filters.created_from,
        created_to=filters.created_to,
        currency=filters.currency,
        text=filters.text,
    )


def _spellings(participant: ParticipantId | None) -> tuple[str, ...]:
    """As asked for, in lower and in upper case: participant values do not distinguish case."""
    if participant is None:
        return ()
    asked = str(participant)
    return tuple(dict.fromkeys((asked, asked.lower(), asked.upper())))
