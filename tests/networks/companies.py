"""A company that is connected to an authority: its access point, and outcomes of its documents."""

from __future__ import annotations

from typing import Any

from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Connection, NotChecked, Works
from einvoice.network.types import Blocked, Envelope, NotSent, Outcome, Pending


def bound(point: Any, connection: Connection) -> Any:
    """The access point of the connection, whose tokens are renewed by a check."""

    def renew(seen: Connection) -> Connection | NotSent | Blocked:
        outcome = point.check(seen)
        if isinstance(outcome, Works):
            return renewed(seen, outcome)
        return NotSent("not checked") if isinstance(outcome, NotChecked) else Blocked("ended")

    return point.bound(connection, renew)


def settled(bound: Any, envelope: Envelope, outcome: Outcome, most: int = 20) -> Outcome:
    """The outcome after polls, without waiting for their time."""
    for _ in range(most):
        if not isinstance(outcome, Pending):
            return outcome
        outcome = bound.poll(envelope, outcome)
    return outcome


def sent(bound: Any, one: Envelope) -> Outcome:
    """The outcome of a document."""
    return settled(bound, one, bound.submit(one, bound.prepare(one)))
