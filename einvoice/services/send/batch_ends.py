"""The event `batch.finished`: each document of a batch is Delivered, Failed or was refused.

A batch has an outbox row of the lane chores from its first commit on. A worker looks at its
documents, less and less often, and stores the event in the transaction that deletes the row. The
documents know nothing of their batch, so that a settlement costs the same in a batch as alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.events import BATCH_FINISHED
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.outbox import Held
from einvoice.store.sending import batches
from einvoice.store.sending.batches import FIRST_LOOK, BatchCount
from einvoice.store.webhooks import events

# The next look is after a tenth of the age of the batch: its event is late by so much at most.
SHARE_OF_AGE, MAX_PAUSE = 10, timedelta(minutes=10)


def run(outbox_ids: Sequence[int], token: str) -> None:
    """Announce the batches of these rows that have ended; the others are due again later."""
    for row in outbox.held(outbox_ids, token, clock.now()):
        with db.writing() as connection:
            _look(connection, row, token, clock.now())


def _look(connection: Connection, row: Held, token: str, now: datetime) -> None:
    found = batches.count(connection, row.subject_id)
    if found is not None and found.by_status.get(NetworkStatus.PROCESSING.value):
        due = (row.id, outbox.CHORES, now + _pause(now - found.created_at))
        outbox.reschedule(connection, [due], token)
        return
    if outbox.complete(connection, [row.id], token) and found is not None:
        _announce(connection, row.subject_id, found)


def _pause(age: timedelta) -> timedelta:
    return min(max(age / SHARE_OF_AGE, FIRST_LOOK), MAX_PAUSE)


def _announce(connection: Connection, batch_id: str, found: BatchCount) -> None:
    by_status = found.by_status
    events.emit(
        connection,
        tenant_id=found.tenant_id,
        environment=found.environment,
        event_type=BATCH_FINISHED,
        invoice_id=None,
        payload={
            "batchId": batch_id,
            "total": sum(by_status.values()),
            "delivered": by_status.get(NetworkStatus.DELIVERED.value, 0),
            "failed": by_status.get(NetworkStatus.FAILED.value, 0),
            "rejected": by_status.get(None, 0),
        },
    )
