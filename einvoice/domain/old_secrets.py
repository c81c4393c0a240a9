"""Secrets that were replaced and are still accepted: two at most, each to the end of its grace."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TypeVar

from einvoice.domain.errors import Conflict

NONE: Final = (None, None)
Secret = TypeVar("Secret", str, bytes)


def still_valid(
    earlier: Iterable[tuple[Secret | None, datetime | None]], now: datetime
) -> tuple[Secret, datetime] | tuple[None, None]:
    """Of the two secrets before the current one, the one that is within its grace period.

    It is kept beside the current one, which is replaced now. Raises Conflict if both are: a third
    has no place, and none ends before it was said to.
    """
    valid = [(secret, until) for secret, until in earlier if secret and until and until > now]
    if len(valid) > 1:
        first = min(until for _, until in valid).astimezone(UTC)
        raise Conflict(
            f"Two old secrets are still valid, one of them until {first:%Y-%m-%d %H:%M} UTC: "
            "replace the secret again after that."
        )
    return valid[0] if valid else NONE
