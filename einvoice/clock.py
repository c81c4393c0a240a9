"""The only reader of the time."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime


def now() -> datetime:
    """The present moment, UTC, cut to the millisecond that the API shows."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def today() -> date:
    """The present day, UTC: rule packs and legal deadlines are chosen by it."""
    return now().date()


def monotonic() -> float:
    """Seconds that never run backwards, for measuring and waiting."""
    return time.monotonic()


def timestamp(moment: datetime) -> str:
    """`YYYY-MM-DDThh:mm:ss.mmmZ` (decisions 19.16)."""
    return (
        moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
    )
