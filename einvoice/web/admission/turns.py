"""Which requests of a process have a thread, and which wait for one without.

A request takes a turn before it occupies a thread. One caller never takes the last turns, nor do
all callers without a known credential together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from einvoice.config import Settings
from einvoice.domain.errors import RateLimitExceeded, RequestRefused, TooBusy
from einvoice.share import Beyond, Limit, Share
from einvoice.web.admission.callers import Caller
from einvoice.web.admission.slots import MAX_COMPUTING

MAX_WAITING = 1000
MAX_WAITING_PER_CALLER = 100
MAX_WAIT_SECONDS = 20.0
RESERVED_TURNS = 6  # turns that one caller does not take


@dataclass(eq=False, slots=True)
class RequestTurn:
    """A request that has a turn or waits for one.

    run      takes the refusal, if it is refused
    grouped  it ends its turn itself, for it is answered with others
    """

    caller: Caller
    run: Callable[[RequestRefused | None], None]
    grouped: bool = False


RequestTurns = Share[Caller, RequestTurn]


def number_of_turns(settings: Settings) -> int:
    """Requests that compute, requests that wait for outcomes, and what one caller does not take."""
    return MAX_COMPUTING + settings.max_waiters + RESERVED_TURNS


def limit_of_turns(turns: int) -> Limit:
    return Limit(
        turns,
        of_one=max(1, turns - RESERVED_TURNS),
        of_strangers=max(1, turns // 2),
        queue=MAX_WAITING,
        queue_of_one=MAX_WAITING_PER_CALLER,
        wait=MAX_WAIT_SECONDS,
    )


def turns_of(limit: Limit) -> RequestTurns:
    """The turns of a process. Raises RateLimitExceeded or TooBusy if too many wait already."""
    return Share(limit, refusal, is_known=lambda caller: caller.known)


def refusal(beyond: Beyond) -> RequestRefused:
    if beyond.late:
        return TooBusy("The request waited for too long to be answered.")
    if beyond.own:
        return RateLimitExceeded(
            f"{MAX_WAITING_PER_CALLER} requests of yours wait to be answered: send fewer at once."
        )
    return TooBusy("Too many requests wait to be answered.")
