"""The limits of an account: documents a month, networks, users, years (decisions 21.1).

>>> plan = Plan.of({"monthlyDocuments": 10, "aboveLimit": "wait"})
>>> plan.monthly_documents, plan.above_limit, plan.networks
(10, <AboveLimit.WAIT: 'wait'>, None)
>>> thresholds(10, 0, 8), thresholds(10, 8, 9), thresholds(10, 7, 10), thresholds(1, 0, 1)
([80], [], [80, 100], [80, 100])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

MAX_MONTHLY_DOCUMENTS: Final = 1_000_000_000
MAX_NETWORKS: Final = 50
MAX_USERS: Final = 1_000
MAX_RETENTION_YEARS: Final = 100
PERCENTS: Final = (80, 100)


class AboveLimit(StrEnum):
    """The treatment of a send above the limit of the month."""

    REFUSE = "refuse"  # 402 until the plan is changed
    WAIT = "wait"  # 429 until the next month
    ALLOW = "allow"  # it is sent; only the events tell


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a tenant; None: without limit.

    monthly_documents  sent documents in a calendar month (UTC), in each environment
    networks           those by which it may send
    users              people who may use it (services/account/seats)
    retention_years    for which its live documents are kept, where the law asks for fewer
    """

    monthly_documents: int | None = None
    above_limit: AboveLimit = AboveLimit.REFUSE
    networks: frozenset[str] | None = None
    users: int | None = None
    retention_years: int | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Plan:
        """The plan as it is stored with the tenant; of None the one without limits."""
        if not stored:
            return UNLIMITED
        networks = stored.get("networks")
        return cls(
            stored.get("monthlyDocuments"),
            AboveLimit(stored.get("aboveLimit") or AboveLimit.REFUSE),
            None if networks is None else frozenset(networks),
            stored.get("users"),
            stored.get("retentionYears"),
        )


UNLIMITED: Final = Plan()


def month_of(moment: datetime) -> str:
    """The month in which a document counts.

    >>> month_of(datetime(2026, 11, 30, 23, 59, tzinfo=UTC))
    '2026-11'
    """
    return moment.astimezone(UTC).strftime("%Y-%m")


def next_month(moment: datetime) -> datetime:
    """When the next month begins.

    >>> next_month(datetime(2026, 12, 31, 23, 59, tzinfo=UTC)).isoformat()
    '2027-01-01T00:00:00+00:00'
    """
    first = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)


def thresholds(limit: int, before: int, after: int) -> list[int]:
    """The percents of the limit that are reached between the two counts."""
    return [percent for percent in PERCENTS if before * 100 < limit * percent <= after * 100]
