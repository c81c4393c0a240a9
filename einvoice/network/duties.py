"""Work that a plugin needs done regularly (hook `einvoice_duties`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

MIN_INTERVAL, MAX_INTERVAL = timedelta(seconds=1), timedelta(days=366)
MAX_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Duty:
    """Periodic work, done in a worker of the lane `chores`.

    name     unique among the duties of the plugin; permanent
    every    the time from the end of one run to the next, 1 second to 366 days
    run      does the work. It may run twice, and concurrently after it exceeded its time
    seconds  how long a run may take, at most 300; what takes longer counts as failed

    A run that raises is repeated after 10, 20, 40 … seconds, at most an hour.
    """

    name: str
    every: timedelta
    run: Callable[[], object]
    seconds: float = 60.0
