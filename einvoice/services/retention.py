"""What is kept for 30 days only: idempotency keys, events, the webhook log and batches.

A sweep drops one bounded batch of each, so that nothing else waits for it; the relay goes on with
the next batch in its next round until nothing is left, and looks again an hour later. Sweeps may
run at once: what another one is dropping is passed over.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.observability import logging
from einvoice.store import batches, db, events, feed, idempotency, webhooks
from einvoice.webhooks import schedule

log = logging.get(__name__)

KEY_RETENTION = timedelta(days=30)
BATCH_RETENTION = timedelta(days=30)
MAX_ROWS = 500
MAX_BATCHES = 20  # each has up to 500 entries


@dataclass(frozen=True, slots=True)
class SweepResult:
    """How many rows were dropped, and whether there may be more to drop."""

    keys: int
    deliveries: int
    events: int
    batches: int
    more: bool


def sweep(now: datetime | None = None) -> SweepResult:
    """Drop a batch of what is too old to keep."""
    now = now or clock.now()
    with db.writing() as connection:
        keys = idempotency.delete_before(connection, now - KEY_RETENTION, MAX_ROWS)
    with db.writing() as connection:
        before = now - schedule.KEEP_LOG
        deliveries = webhooks.forget_before(connection, before, events.PENDING, MAX_ROWS)
    with db.writing() as connection:
        told = feed.forget_before(connection, before, MAX_ROWS)
    with db.writing() as connection:
        submitted = batches.delete_before(connection, now - BATCH_RETENTION, MAX_BATCHES)
    swept = SweepResult(
        keys, deliveries, told, submitted,
        more=MAX_ROWS in {keys, deliveries, told} or submitted == MAX_BATCHES,
    )  # fmt: skip
    if keys or deliveries or told or submitted:
        log.info("old rows dropped", **asdict(swept))
    return swept


def sweep_all(now: datetime | None = None) -> SweepResult:
    """Sweep until nothing is left; what was dropped in all."""
    keys = deliveries = told = submitted = 0
    while True:
        swept = sweep(now)
        keys, deliveries = keys + swept.keys, deliveries + swept.deliveries
        told, submitted = told + swept.events, submitted + swept.batches
        if not swept.more:
            return SweepResult(keys, deliveries, told, submitted, more=False)
