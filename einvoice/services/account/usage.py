"""Daily counts of sent and received documents by their current status, and times of delivery."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.store.account import usage

DEFAULT_DAYS, MAX_DAYS = 30, 92
COUNTS = ("sent", "delivered", "processing", "failed", "received")  # of a UsageDay
TIMED = 1000  # documents that times of delivery are computed from


@dataclass(frozen=True, slots=True)
class UsageDay:
    """The counts of one day in one environment; sent documents by their current status."""

    day: date
    environment: Environment
    processing: int
    delivered: int
    failed: int
    received: int

    @property
    def sent(self) -> int:
        return self.processing + self.delivered + self.failed


@dataclass(frozen=True, slots=True)
class DeliveryTimes:
    """Seconds from the acceptance of a document until it was delivered.

    documents  how many were counted: the newest TIMED of the last 30 days at most
    median     half of them were delivered within this time
    p95        95 of 100 were
    """

    environment: Environment
    documents: int
    median: Decimal
    p95: Decimal


def delivery_times(tenant_id: str, environment: Environment) -> DeliveryTimes | None:
    """The times of the newest documents; None if none was delivered in the last 30 days."""
    since = clock.now() - timedelta(days=DEFAULT_DAYS)
    found = usage.newest_deliveries(tenant_id, environment.value, since, TIMED)
    if not found:
        return None
    seconds = sorted(_seconds(delivered - accepted) for accepted, delivered in found)
    return DeliveryTimes(environment, len(seconds), _share(seconds, 0.5), _share(seconds, 0.95))


def _seconds(passed: timedelta) -> Decimal:
    """With milliseconds."""
    return Decimal(passed // timedelta(milliseconds=1)) / 1000


def _share(ascending: list[Decimal], part: float) -> Decimal:
    """The smallest of the values that this part of them does not exceed.

    >>> _share([1, 2, 3, 9], 0.5), _share([1, 2, 3, 9], 0.95), _share([5], 0.5)
    (2, 9, 5)
    """
    return ascending[math.ceil(part * len(ascending)) - 1]


def days(
    tenant_id: str,
    first: date | None = None,
    last: date | None = None,
    environment: Environment | None = None,
) -> list[UsageDay]:
    """All days from first to last, newest first; by default the last 30.

    A document counts on the day (UTC) on which it was accepted. Raises InvalidField.
    """
    last = last or (clock.today() if first is None else _latest(first))
    first = first or _after(last, 1 - DEFAULT_DAYS)
    if not 0 <= (last - first).days < MAX_DAYS:
        message = f"must be 0 to {MAX_DAYS - 1} days after from"
        raise InvalidField([FieldError("/to", "out-of-range", message)])
    counted = {e: _counted(tenant_id, e, first, last) for e in Environment}
    wanted = [e for e in Environment if environment in (None, e)]
    span = range((last - first).days + 1)
    return [_day(last - timedelta(days=n), e, counted[e]) for n in span for e in wanted]


def _latest(first: date) -> date:
    return max(first, min(clock.today(), _after(first, MAX_DAYS - 1)))


def _after(day: date, days: int) -> date:
    """The day so many days after another, at most the first or last one of the calendar.

    >>> _after(date(2026, 12, 31), 1), _after(date.max, 1), _after(date.min, -29)
    (datetime.date(2027, 1, 1), datetime.date(9999, 12, 31), datetime.date(1, 1, 1))
    """
    number = day.toordinal() + days
    return date.fromordinal(min(max(number, date.min.toordinal()), date.max.toordinal()))


def _counted(
    tenant_id: str, environment: Environment, first: date, last: date
) -> Counter[tuple[date, str]]:
    since, until = _start(first), _start(_after(last, 1))
    found = usage.of_days(tenant_id, environment.value, since, until)
    return Counter({(count.day, count.status): count.documents for count in found})


def _start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _day(day: date, environment: Environment, counted: Counter[tuple[date, str]]) -> UsageDay:
    return UsageDay(
        day=day,
        environment=environment,
        processing=counted[day, NetworkStatus.PROCESSING.value],
        delivered=counted[day, NetworkStatus.DELIVERED.value],
        failed=counted[day, NetworkStatus.FAILED.value],
        received=counted[day, NetworkStatus.RECEIVED.value],
    )
