"""Whether a network names this service for a participant id, by its answers over time.

An answer that contradicts what is known counts when a second one, hours later, says the same: a
register may be rebuilt, and what it has said is cached. Until then nothing is told to anybody.

>>> from datetime import UTC, datetime
>>> monday = datetime(2026, 11, 23, 8, tzinfo=UTC)
>>> known = Published(Publication.PUBLISHED, since=monday)
>>> doubted = known.answered(Answer.ELSEWHERE, monday + timedelta(days=1))
>>> doubted.status, doubted.answered(Answer.ELSEWHERE, monday + timedelta(days=1, hours=6)).status
(<Publication.PUBLISHED: 'published'>, <Publication.MOVED: 'moved'>)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

CONFIRMED_AFTER = timedelta(hours=6)  # between two answers, so that the second counts


class Publication(StrEnum):
    """Whether the network names this service for a participant id.

    NONE       it was never seen to name it
    PUBLISHED  it does
    MOVED      it did, and does not any more
    """

    NONE = "none"
    PUBLISHED = "published"
    MOVED = "moved"


class Answer(StrEnum):
    """An answer of the networks about a participant id; the last two are reasons to show."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    NOT_REGISTERED = "not-registered"


@dataclass(frozen=True, slots=True)
class Published:
    """The known publication of a participant id.

    reason      the last answer that it is not published; None if it is, or nobody has answered
    since       when the status began; None without an answer
    checked_at  of the last answer that agreed with the status
    doubted_at  of the first answer that contradicts it, since the last one that agreed
    """

    status: Publication = Publication.NONE
    reason: str | None = None
    since: datetime | None = None
    checked_at: datetime | None = None
    doubted_at: datetime | None = None

    def answered(self, answer: Answer, now: datetime) -> Published:
        """The known publication after this answer."""
        is_published = answer is Answer.HERE
        if is_published == (self.status is Publication.PUBLISHED):
            reason = None if is_published else answer.value
            return replace(
                self, reason=reason, since=self.since or now, checked_at=now, doubted_at=None
            )
        if self.status is not Publication.NONE and not self._is_confirmed(now):
            return replace(self, doubted_at=self.doubted_at or now)
        if is_published:
            return Published(Publication.PUBLISHED, None, now, now)
        return Published(Publication.MOVED, answer.value, now, now)

    def _is_confirmed(self, now: datetime) -> bool:
        """Whether the first answer that contradicts is old enough for the second one to count."""
        return self.doubted_at is not None and now - self.doubted_at >= CONFIRMED_AFTER
