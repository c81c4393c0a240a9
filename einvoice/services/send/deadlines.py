"""Lane, first answer and deadlines of a transmission, depending on the wait of its request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.delivery import SendAnswer
from einvoice.domain.environments import Environment
from einvoice.store import outbox

# A request without an answer this long after its wait counts as answered with Processing.
GRACE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Columns of a new transmission and its outbox row.

    answered     Processing for a request that does not wait; None is still open
    answer_by    until when an open answer may become network-failed
    retry_until  until when the document is submitted again after NotSent
    """

    answered: str | None
    answer_by: datetime | None
    retry_until: datetime
    lane: str

    @classmethod
    def of(
        cls, now: datetime, wait: float, environment: Environment, settings: Settings
    ) -> Deadlines:
        """For a request that waits up to `wait` seconds (0: not at all)."""
        live = environment is Environment.LIVE
        retry_for = settings.retry_for_live if live else settings.retry_for_test
        retry_until = now + timedelta(seconds=retry_for)
        if wait > 0:
            answer_by = now + clock.lasting(timedelta(seconds=wait) + GRACE)
            return cls(None, answer_by, retry_until, outbox.WAITED)
        return cls(SendAnswer.PROCESSING.value, None, retry_until, outbox.BULK)
