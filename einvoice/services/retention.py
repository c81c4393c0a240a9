"""Deleting what is kept for 30 days only: idempotency keys, events, the webhook log, batches; and
records and settled messages of plugins after 1,100 days; drafts 90 days after their last change;
files of identifications at their end; letters to people after 400 days.

A sweep deletes a bounded number of rows of each in transactions of a few milliseconds, so that no
other statement waits long for it. The relay sweeps for a quarter of its time until no row is left,
and starts again an hour later. Concurrent sweeps skip each other's rows.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.network.plugin_store import RECORD_RETENTION_DAYS
from einvoice.observability import logging
from einvoice.services import believed_clock
from einvoice.services.invoices.drafts import KEPT_DAYS
from einvoice.store.account import answered_posts, idempotency, identifications, letters
from einvoice.store.core import db
from einvoice.store.installation import plugin_values
from einvoice.store.invoices import drafts
from einvoice.store.sending import batches, messages
from einvoice.store.webhooks import events, feed, webhooks
from einvoice.webhooks import schedule

log = logging.get(__name__)

KEY_RETENTION = timedelta(days=30)
BATCH_RETENTION = timedelta(days=30)
DRAFT_RETENTION = timedelta(days=KEPT_DAYS)
LETTER_RETENTION = timedelta(days=400)  # until then the link in a letter works
RECORD_RETENTION = timedelta(days=RECORD_RETENTION_DAYS)
MAX_ROWS = 500
MAX_BATCHES = 20  # each has up to 500 entries
MAX_DRAFTS = 20  # each has up to 8 MiB of files
# Of one run in the relay, which hands out no work meanwhile; and between the starts of two runs.
RUN_SECONDS, INTERVAL_SECONDS = 0.05, 0.2


@dataclass(frozen=True, slots=True)
class SweepResult:
    """How many rows were deleted, and whether there may be more."""

    keys: int
    deliveries: int
    events: int
    batches: int
    records: int
    messages: int
    drafts: int
    more: bool
    files: int = 0  # of identifications
    letters: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of rows by the names of the fields."""
        return {name: count for name, count in asdict(self).items() if name != "more"}


NOTHING = SweepResult(0, 0, 0, 0, 0, 0, 0, more=False)


def sweep(now: datetime | None = None) -> SweepResult:
    """Delete a bounded number of rows that are past their retention."""
    now = now or clock.now()
    with db.writing_by_key() as connection:
        keys = idempotency.delete_before(connection, now - KEY_RETENTION, MAX_ROWS)
    with db.writing_by_key() as connection:
        keys += answered_posts.delete_before(connection, now - KEY_RETENTION, MAX_ROWS)
    with db.writing_by_key() as connection:
        before = now - schedule.KEEP_LOG
        deliveries = webhooks.forget_before(connection, before, events.PENDING, MAX_ROWS)
    with db.writing_by_key() as connection:
        feed_events = feed.forget_before(connection, before, MAX_ROWS)
    with db.writing_by_key() as connection:
        submitted = batches.delete_before(connection, now - BATCH_RETENTION, MAX_BATCHES)
    with db.writing_by_key() as connection:
        records = plugin_values.delete_records_before(connection, now - RECORD_RETENTION, MAX_ROWS)
    with db.writing_by_key() as connection:
        sent = messages.delete_settled_before(connection, now - RECORD_RETENTION, MAX_ROWS)
    with db.writing_by_key() as connection:
        begun = drafts.delete_before(connection, now - DRAFT_RETENTION, MAX_DRAFTS)
    files = identifications.delete_files(now, MAX_DRAFTS)
    with db.writing_by_key() as connection:
        told = letters.delete_before(connection, now - LETTER_RETENTION, MAX_ROWS)
    return SweepResult(
        keys, deliveries, feed_events, submitted, records, sent, begun,
        more=keys >= MAX_ROWS or MAX_ROWS in {deliveries, feed_events, records, sent, told}
        or submitted == MAX_BATCHES or MAX_DRAFTS in {begun, files},
        files=files, letters=told,
    )  # fmt: skip


def sweep_for(seconds: float, now: datetime | None = None) -> SweepResult:
    """Sweep until no row is left or the time has passed, at least once; the totals.

    Nothing where the clock cannot be believed.
    """
    if not believed_clock.deletes():
        return NOTHING
    until = clock.monotonic() + seconds
    total = sweep(now)
    while total.more and clock.monotonic() < until:
        total = _sum(total, sweep(now))
    if any(total.counts.values()):
        log.info("old rows dropped", more=total.more, **total.counts)
    return total


def sweep_all(now: datetime | None = None) -> SweepResult:
    """Sweep until no row is left; the totals."""
    return sweep_for(math.inf, now)


def _sum(before: SweepResult, last: SweepResult) -> SweepResult:
    sums = {name: count + last.counts[name] for name, count in before.counts.items()}
    return SweepResult(**sums, more=last.more)
