"""How a job goes on with the documents that come next in the sequences of its own.

On the way by relay and queue each of a sequence would cost its unit as much time as many networks
need for an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.store.core import db
from einvoice.store.sending import sequences
from einvoice.store.sending.transmissions import Work

# For how long a job goes on, at most a quarter of the lease for which other jobs wait in the queue.
FOLLOW_SECONDS = 8.0


@dataclass(frozen=True, slots=True)
class Following:
    """With what a job goes on.

    token  of the lease
    lease  how long that of a further document lasts, by the clock
    until  of the machine's clock: then it goes on with no further ones
    """

    token: str
    lease: timedelta
    until: float

    @classmethod
    def of_job(cls, token: str, queue_lease: float) -> Following:
        """For a job of now; `queue_lease`: seconds that a job has the rows of the queue."""
        until = clock.monotonic() + min(FOLLOW_SECONDS, queue_lease / 4)
        return cls(token, clock.lasting(timedelta(seconds=queue_lease)), until)

    @property
    def is_over(self) -> bool:
        return clock.monotonic() > self.until

    def claim(self, connection: Connection, before: Iterable[Work], now: datetime) -> list[int]:
        """Lease the rows of the documents that are next in the sequences of these, and due."""
        places = _places(before)
        if not places or self.is_over:
            return []
        return sequences.claim_next(connection, places, token=self.token, now=now, lease=self.lease)

    def claim_now(self, before: Collection[Work]) -> list[int]:
        """`claim` in a transaction of its own, if there is anything to claim."""
        if not _places(before) or self.is_over:
            return []
        with db.writing_by_key() as connection:
            return self.claim(connection, before, clock.now())


def _places(works: Iterable[Work]) -> set[tuple[str, str, str]]:
    """Connection, access point and key of their sequences."""
    return {
        (work.connection_id, work.access_point, work.sequence_key)
        for work in works
        if work.connection_id and work.sequence_key
    }
