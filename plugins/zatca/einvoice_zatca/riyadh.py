"""The time in Saudi Arabia, which is three hours ahead of UTC all year."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Final

from einvoice import clock

ZONE: Final = timezone(timedelta(hours=3), "AST")


def local(moment: datetime) -> datetime:
    """A moment in Saudi time."""
    return moment.astimezone(ZONE)


def today() -> date:
    return local(clock.now()).date()
