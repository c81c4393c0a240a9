"""Ids of the rows that are written in bulk: UUIDs of version 7 (RFC 9562), ordered by time.

Random ids insert each row at another place of an index: every send then changes other pages, which
PostgreSQL writes whole to its log. Such an id shows when it was made (decisions 19.17). Secrets and
whatever else must not be guessed stay random.

>>> from datetime import UTC, datetime
>>> first, second = (TimeOrderedIds().next(datetime(2026, 1, day, tzinfo=UTC)) for day in (1, 2))
>>> first.version, first < second
(7, True)
"""

from __future__ import annotations

import secrets
import threading
from datetime import UTC, datetime
from uuid import UUID

_TRANSMISSION = "txn_"
_MESSAGE = "msg_"
_RANDOM_BITS = 74
# The largest step between two ids of one millisecond: the next one cannot be guessed, and a process
# that was forked within the millisecond makes other ids.
_STEP_BITS = 56


class TimeOrderedIds:
    """Makes ids that increase, also within a millisecond and when the clock is set back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self, now: datetime) -> UUID:
        """A UUID of version 7 of this moment, greater than all before (RFC 9562, 6.2, method 2)."""
        milliseconds = round(now.timestamp() * 1000)
        with self._lock:
            if milliseconds > self._last >> _RANDOM_BITS:
                self._last = milliseconds << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
            else:
                self._last += 1 + secrets.randbits(_STEP_BITS)
            return _uuid(self._last)


def _uuid(bits: int) -> UUID:
    """48 bits of milliseconds and 74 random ones, with version and variant put between them."""
    moment, high, low = bits >> 74, bits >> 62 & 0xFFF, bits & (1 << 62) - 1
    return UUID(int=moment << 80 | 7 << 76 | high << 64 | 2 << 62 | low)


_ids = TimeOrderedIds()


def time_ordered(now: datetime) -> UUID:
    """The id of a row that is written at this moment."""
    return _ids.next(now)


def transmission_id(now: datetime) -> str:
    """The id of a new transmission, which callers know as `transactionId`."""
    return f"{_TRANSMISSION}{_ids.next(now).hex}"


def moment_of(record_id: str) -> datetime | None:
    """When a time-ordered id was made; None of an id of an earlier release.

    >>> made = TimeOrderedIds().next(datetime.fromisoformat("2026-01-02T03:04:05+00:00"))
    >>> moment_of(f"txn_{made.hex}").isoformat()
    '2026-01-02T03:04:05+00:00'
    >>> moment_of("txn_ffffffffffff4fff8fffffffffffffff")
    """
    try:
        found = UUID(record_id.rpartition("_")[2])
    except ValueError:
        return None
    if found.version != 7:
        return None
    return datetime.fromtimestamp((found.int >> 80) / 1000, UTC)


def instance_of(transmission: str) -> str:
    """The id of a document in envelopes of networks (`Envelope.instance_id`)."""
    return transmission.partition("_")[2]


def of_instance(instance: str) -> str:
    """The transmission of an instance id."""
    return f"{_TRANSMISSION}{instance}"


def message_id(now: datetime) -> str:
    """The id of a new message without an invoice."""
    return f"{_MESSAGE}{_ids.next(now).hex}"


def is_message(transmission: str) -> bool:
    """Whether it is the id of a message, and not of the transmission of a document."""
    return transmission.startswith(_MESSAGE)


def message_of_instance(instance: str) -> str:
    """The message of an instance id."""
    return f"{_MESSAGE}{instance}"


def event_id(now: datetime) -> str:
    """The id of a new event."""
    return f"evt_{_ids.next(now).hex}"
