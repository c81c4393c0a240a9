"""Whether a network names this service for a participant id, by its answers over time.

An answer that contradicts what is known counts when a second one, hours later, says the same: a
register may be rebuilt, and what it has said is cached. Until then no event is emitted.

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

    NONE       it was never seen to name it, or who has the id has withdrawn it
    PENDING    this service is publishing it there
    PUBLISHED  it does
    REFUSED    the network does not let this service publish it
    MOVED      it did, and does not any more
    """

    NONE = "none"
    PENDING = "pending"
    PUBLISHED = "published"
    REFUSED = "refused"
    MOVED = "moved"


REFUSED_REASON = "refused"  # by the network, for what its text says
WITHDRAWN_REASON = "withdrawn"  # by who has the participant id


class Answer(StrEnum):
    """An answer of the networks about a participant id; the last two are reasons to show."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    NOT_REGISTERED = "not-registered"


@dataclass(frozen=True, slots=True)
class Published:
    """The known publication of a participant id.

    reason      the last answer that it is not published, or why it may not be; None if it is, or
                nobody has answered
    since       when the status began; None without an answer
    checked_at  of the last answer that agreed with the status
    doubted_at  of the first answer that contradicts it, since the last one that agreed
    text        the network's own words for a refusal
    """

    status: Publication = Publication.NONE
    reason: str | None = None
    since: datetime | None = None
    checked_at: datetime | None = None
    doubted_at: datetime | None = None
    text: str | None = None

    @property
    def is_with_us(self) -> bool:
        """Whether it may be published by this service; False after it moved to another provider,
        or was withdrawn."""
        return not (self.has_left or self.is_withdrawn)

    @property
    def has_left(self) -> bool:
        """Whether it moved to another provider."""
        return self.status is Publication.MOVED and self.reason == Answer.ELSEWHERE

    @property
    def is_withdrawn(self) -> bool:
        """Whether who has the id wants it unpublished."""
        return self.status is Publication.NONE and self.reason == WITHDRAWN_REASON

    def withdrawn(self, now: datetime) -> Published:
        """The known publication after who has the id has withdrawn it."""
        if self.is_withdrawn:
            return self
        return Published(Publication.NONE, WITHDRAWN_REASON, now, self.checked_at)

    def asked_for(self, now: datetime) -> Published:
        """The known publication after who has the id has asked for it."""
        fresh = Published(checked_at=self.checked_at) if self.is_withdrawn else self
        return fresh.begun(now)

    def begun(self, now: datetime) -> Published:
        """The known publication while this service publishes it for the first time.

        What is published stays so, what was refused until the network takes it, and what has
        moved until the network names this service again.
        """
        if self.status is not Publication.NONE:
            return self
        return Published(Publication.PENDING, since=now, checked_at=self.checked_at)

    def listed(self, now: datetime) -> Published:
        """The known publication after the network has taken what this service publishes."""
        if self.status in (Publication.PUBLISHED, Publication.MOVED):
            return self
        return Published(Publication.PUBLISHED, None, now, now)

    def refused(self, reason: str, text: str, now: datetime) -> Published:
        """The known publication after the network has refused it; what it names us for stays."""
        if self.status in (Publication.PUBLISHED, Publication.MOVED):
            return self
        since = self.since if self.status is Publication.REFUSED else now
        return Published(Publication.REFUSED, reason, since, self.checked_at, text=text)

    def moving_in(self, now: datetime) -> Published:
        """The known publication while this service takes it over from another provider."""
        if self.status is Publication.PUBLISHED:
            return self
        return Published(Publication.PENDING, since=now, checked_at=self.checked_at)

    def answered(self, answer: Answer, now: datetime) -> Published:
        """The known publication after this answer."""
        is_published = answer is Answer.HERE
        if self.is_withdrawn:
            return replace(self, checked_at=now)
        if self.status in (Publication.PENDING, Publication.REFUSED):
            return self.listed(now) if is_published else replace(self, checked_at=now)
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
