"""The limits of requests in a process: one table, and who takes a permit of each.

Each row is a `Share` (einvoice/share): permits that are taken and given back, with a queue that
serves callers in rotation. docs/operators.md prints the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from einvoice.config import Settings
from einvoice.network import calls
from einvoice.network.endpoints import FILES_AT_ONCE
from einvoice.services import waiting_room
from einvoice.services.computing import pool
from einvoice.services.send import batch
from einvoice.share import Limit
from einvoice.web.admission import arrivals, slots, spools, turns


@dataclass(frozen=True, slots=True)
class Admission:
    """A row of the table.

    name     what is occupied
    unit     what one permit is
    limit    permits, shares, queue and wait, by the settings
    refusal  what becomes of a request beyond the limit
    where    the module that has the Share
    """

    name: str
    unit: str
    limit: Callable[[Settings], Limit]
    refusal: str
    where: str


LIMITS = (
    Admission(
        "bodies that arrive",
        "body",
        lambda _: arrivals.BODIES,
        "the caller with most loses its oldest, unknown callers first: 429 `rate-limit-exceeded`",
        "web.admission.arrivals",
    ),
    Admission(
        "bodies larger than 64 KiB, inflated ones included, until their requests are answered",
        "byte",
        lambda _: arrivals.BYTES,
        "503 `too-busy`",
        "web.admission.arrivals",
    ),
    Admission(
        "bodies on disk, from 1 MiB on, of one endpoint of a plugin that takes files",
        "file",
        lambda _: spools.limit_of_files(FILES_AT_ONCE),
        "503 `too-busy`",
        "web.admission.spools",
    ),
    Admission(
        "requests in threads",
        "request",
        lambda settings: turns.limit_of_turns(turns.number_of_turns(settings)),
        "429 `rate-limit-exceeded` for what one caller has too many of, else 503 `too-busy`",
        "web.admission.turns",
    ),
    Admission(
        "requests that compute", "request", lambda _: slots.LIMIT, "none", "web.admission.slots"
    ),
    Admission(
        "requests that wait for an outcome",
        "request",
        lambda settings: waiting_room.limit_of_seats(settings.max_waiters),
        "answered at once, `Processing`",
        "services.waiting_room",
    ),
    Admission(
        "computing processes",
        "computation",
        pool.limit_of_computations,
        "503 `computing-unavailable`",
        "services.computing.turns",
    ),
    Admission(
        "long work with the database: imports, exports, examples",
        "request",
        pool.limit_of_bulk_work,
        "503 `computing-unavailable`",
        "services.computing.turns",
    ),
    Admission(
        "batches of more than a few documents",
        "chunk",
        batch.limit_of_turns,
        "503 `computing-unavailable`; a batch that has begun goes on",
        "services.computing.turns",
    ),
    Admission(
        "calls of one plugin, of each kind: endpoint, directory, search, connection",
        "call",
        lambda _: calls.limit_of_calls(),
        "503 `too-busy` or `access-point-unavailable`; in a search the network is `unavailable`",
        "network.calls",
    ),
)
