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

# For how long a job begins calls, at most a quarter of the lease for which others wait in the
# queue.
BEGIN_SECONDS = 8.0


def last_beginning(queue_lease: float) -> float:
    """Until when a job of now begins calls, of the machine's clock; `queue_lease`: seconds that a
    job has the rows of the queue."""
    return clock.monotonic() + min(BEGIN_SECONDS, queue_lease / 4)


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
        """For a job of now; `queue_lease` as of `last_beginning`."""
        lease = clock.lasting(timedelta(seconds=queue_lease))
        return cls(token, lease, last_beginning(queue_lease))

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
