"""Where deliveries are stored: the statements behind the steps of `transmit`.

Documents are stored as transmissions. Another ledger has rows of its own, with the same phases,
fence, leases and outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice.network.types import Evidence, Pending
from einvoice.services.delivery import settlement
from einvoice.services.delivery.settlement import SettledWork
from einvoice.store.sending import transmissions
from einvoice.store.sending.transmissions import PreparedTransmission, Work


@dataclass(frozen=True, slots=True)
class Ledger:
    """The storage of one kind of deliveries.

    held           those of the outbox rows that a token leases
    fence          passes the fence in the caller's transaction: {id: (attempt, fence)}
    write          stores verdicts under a token; the ids of those that it settled
    keep_evidence  stores what arrives after the final status, and the next poll
    extend_retries sets until when each is submitted again
    """

    held: Callable[[Sequence[int], str, datetime], list[Work]]
    fence: Callable[
        [Connection, Sequence[PreparedTransmission], datetime], Mapping[str, tuple[int, int]]
    ]
    write: Callable[[Sequence[SettledWork], str], set[str]]
    keep_evidence: Callable[[Work, Sequence[Evidence], Pending | None, str], None]
    extend_retries: Callable[[Connection, Mapping[str, datetime]], None]


TRANSMISSIONS = Ledger(
    transmissions.held,
    transmissions.fence,
    settlement.write,
    settlement.keep_evidence,
    transmissions.extend_retries,
)
