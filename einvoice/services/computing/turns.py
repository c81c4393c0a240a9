"""Turns: permits for long work, given to the waiting tenants in rotation.

Of several permits one tenant gets all but one. So a tenant whose work fills its share delays other
tenants by at most one computation. Those who wait hold a thread each, hence the bound of the queue.
"""

from __future__ import annotations

import threading

from einvoice.domain.errors import ComputingUnavailable
from einvoice.observability import metrics
from einvoice.share import Beyond, Limit, Share

Turns = Share[str, threading.Lock]

_FULL = "Too many long computations are waiting. Nothing was done: repeat the request later."
_LATE = "Other long computations took all the time that this request may wait. Nothing was done."


def limit_of_turns(permits: int, waiting: int, wait: float | None = None) -> Limit:
    """So many turns at the same time, for which so many callers wait, half of them of one tenant.

    wait  seconds
    """
    return Limit(
        permits,
        of_one=max(1, permits - 1),
        queue=waiting,
        queue_of_one=max(1, waiting // 2),
        wait=wait,
    )


def turns_of(limit: Limit) -> Turns:
    """The turns of a process. Those who get none are refused: ComputingUnavailable."""
    return Share(limit, _refusal, waiting=metrics.computation_waiting)


def _refusal(beyond: Beyond) -> ComputingUnavailable:
    metrics.computation_refused("late" if beyond.late else "full")
    return ComputingUnavailable(_LATE if beyond.late else _FULL)
