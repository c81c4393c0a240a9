"""The regular work of the archive, as one outbox row of the lane chores.

The relay inserts the row while a store is set, also one that is only read, or dropping is switched
on. A worker moves, deletes and drops for a bounded time and reschedules the row: at once while more
is left, else in some minutes. If it is killed, the row is due again when its lease ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from einvoice import clock
from einvoice.archive.objects import StoreFault
from einvoice.config import Settings
from einvoice.observability import logging, metrics
from einvoice.services.archive import disposal, transfer, upkeep
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.core.resources import resources

log = logging.get(__name__)

SUBJECT = "archive"
TENANT = "archive"  # of its outbox row: it takes turns with the tenants
JOB_SECONDS = 20.0
LEASE = timedelta(minutes=5)
PAUSE, AFTER_FAULT = timedelta(minutes=10), timedelta(minutes=1)


def schedule(settings: Settings) -> None:
    """Insert the row if there is regular work, and no row."""
    if not resources().archive.all and not settings.archive_drop:
        return
    with db.writing() as connection:
        outbox.enqueue_chore(connection, outbox.ARCHIVE, SUBJECT, TENANT)


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Move and drop what is due, and delete what nothing points to, for a bounded time."""
    for row_id, _ in outbox.subjects(outbox_ids, token):
        now = clock.now()
        with db.writing() as connection:
            if not outbox.extend(connection, [row_id], token, now + clock.lasting(LEASE), now):
                continue
        due = clock.now() + _pause(runtime)
        with db.writing() as connection:
            outbox.reschedule(connection, [(row_id, outbox.CHORES, due)], token)


def _pause(runtime: Runtime) -> timedelta:
    """Work, and return the pause after it."""
    try:
        _, left = transfer.move(runtime.settings, seconds=JOB_SECONDS)
        left = upkeep.sweep() == upkeep.MAX_OBJECTS or left
        left = disposal.drop(runtime.settings, seconds=JOB_SECONDS)[1] or left
    except StoreFault as fault:
        metrics.archive_fault("unavailable")
        log.error("archive not writable", reason=str(fault))
        return AFTER_FAULT
    return timedelta(0) if left else PAUSE
