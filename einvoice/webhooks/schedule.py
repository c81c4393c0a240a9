"""The schedule of attempts: ten within about three days, as Standard Webhooks suggests."""

from __future__ import annotations

import random
from datetime import timedelta

# Seconds after the previous attempt: 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
DELAYS = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
JITTER = 0.2
MAX_RETRY_AFTER_SECONDS = 86_400
GIVE_UP_AFTER = timedelta(days=5)  # of failures only; then the endpoint is disabled
KEEP_LOG = timedelta(days=30)
OLD_SECRET_SIGNS_FOR = timedelta(hours=24)
# Seconds without requests to an endpoint after 1, 2, 3, 4 or more timeouts in a row.
BACKOFF = (5, 30, 120, 600)


def next_delay(attempts: int, asked: float | None = None) -> timedelta | None:
    """The delay after this many attempts, or None after the last one.

    `asked`: seconds of the receiver's Retry-After. A longer time than scheduled is respected, up to
    a day; a shorter one is not, or ten quick refusals would use up three days of attempts.
    """
    if attempts >= len(DELAYS):
        return None
    jittered = DELAYS[attempts] * random.uniform(1 - JITTER, 1 + JITTER)
    return timedelta(seconds=max(jittered, min(asked or 0.0, MAX_RETRY_AFTER_SECONDS)))


def backoff(timeouts: int) -> timedelta:
    """How long an endpoint gets no request after so many timeouts in a row, at least one."""
    seconds = BACKOFF[min(timeouts, len(BACKOFF)) - 1]
    return timedelta(seconds=seconds * random.uniform(1 - JITTER, 1 + JITTER))
