"""The amounts of the newest documents, by day, direction and currency."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.invoice import DocumentKind
from einvoice.store.account import amounts

WEEKS = 12
MAX_DOCUMENTS = 3_000  # that are read for one chart


@dataclass(frozen=True, slots=True)
class WeekAmounts:
    """The amounts sent and received in a week in one currency; credit notes are subtracted.

    first  its Monday
    """

    first: date
    currency: str
    sent: Decimal
    received: Decimal


@dataclass(frozen=True, slots=True)
class Amounts:
    """Weeks by currency, the most used currency first, each with all weeks, oldest first.

    is_whole  whether no document of these weeks was left out
    """

    currencies: dict[str, list[WeekAmounts]]
    is_whole: bool


def by_week(tenant_id: str, environment: Environment) -> Amounts:
    """The amounts of WEEKS weeks up to the present one, by the day of acceptance (UTC).

    Failed documents are left out. Of more than MAX_DOCUMENTS documents only the newest are read:
    weeks that are not whole are left out but for the newest one.
    """
    today = clock.today()
    this = today - timedelta(days=today.weekday())
    weeks = [this - timedelta(weeks=number) for number in reversed(range(WEEKS))]
    found = amounts.newest(tenant_id, environment.value, _start(weeks[0]), MAX_DOCUMENTS + 1)
    is_whole = len(found) <= MAX_DOCUMENTS
    if not is_whole:
        oldest = found[-1].created_at.date()
        weeks = [week for week in weeks if week > oldest] or [this]
    return Amounts(_summed(found, weeks), is_whole)


def _summed(found: list[amounts.DocumentAmount], weeks: list[date]) -> dict[str, list[WeekAmounts]]:
    sums: dict[tuple[str, date, str], Decimal] = {}
    documents: dict[str, int] = {}
    for each in found:
        day = each.created_at.date()
        week = day - timedelta(days=day.weekday())
        if week < weeks[0]:
            continue
        place = (each.currency, week, each.direction)
        total = -each.total if _is_credit(each.kind) else each.total
        sums[place] = sums.get(place, Decimal(0)) + total
        documents[each.currency] = documents.get(each.currency, 0) + 1
    order = sorted(documents, key=lambda currency: (-documents[currency], currency))
    return {
        currency: [
            WeekAmounts(
                week,
                currency,
                sums.get((currency, week, "sent"), Decimal(0)),
                sums.get((currency, week, "received"), Decimal(0)),
            )
            for week in weeks
        ]
        for currency in order
    }


def _start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _is_credit(kind: str) -> bool:
    return DocumentKind(kind).form == DocumentKind.CREDIT_NOTE
