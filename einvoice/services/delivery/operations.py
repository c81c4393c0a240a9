"""Operations on transmissions of documents and messages for operators: settle with evidence, retry
(decisions 19.9)."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import artefacts, events, ids
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus, Phase
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import Evidence
from einvoice.services.account import audit
from einvoice.services.delivery import settlement as settling
from einvoice.services.delivery.outcomes import Verdict
from einvoice.services.delivery.settlement import NO_CAPABILITIES, SettledWork
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.sending import sequences, transmissions
from einvoice.store.sending.sequences import SequenceRecord as SequenceRecord
from einvoice.store.sending.transmissions import Settlement, Work

MAX_LISTED = 500  # rows of a list for operators


def needing_attention() -> Sequence[Work]:
    """Transmissions whose outcome no access point will report, oldest first; at most MAX_LISTED."""
    return transmissions.needing_attention(MAX_LISTED)


def parked(connection_id: str | None = None) -> Sequence[Work]:
    """Transmissions that wait for a connection (None: for any), those that wait longest first; at
    most MAX_LISTED."""
    return transmissions.parked(connection_id, MAX_LISTED)


def blocking_sequences() -> Sequence[SequenceRecord]:
    """Sequences for which documents wait, those with the oldest holder first; at most
    MAX_LISTED."""
    return sequences.blocking(MAX_LISTED)


def resolve(
    transmission_id: str,
    outcome: str,
    evidence: bytes,
    name: str,
    reason: str | None,
    points: AccessPoints | None = None,
) -> None:
    """Settle with an operator's evidence: status, artefact, event. Raises NotFound, Conflict.

    `points`: the installed ones, which know what Delivered means, and may follow their messages.

    Of a message that is Failed already, an operator confirms with `failed` that it was seen.
    """
    delivered = outcome == "delivered"
    if not delivered and _confirm_failure(find(transmission_id), reason):
        return
    work = _find_open(transmission_id)
    now = clock.now()
    settlement = Settlement(
        id=work.id,
        fence=work.fence,
        status=NetworkStatus.DELIVERED if delivered else NetworkStatus.FAILED,
        phase=Phase.DONE,
        settled_at=now,
        reason=None if delivered else reason or "settled by an operator",
        reason_code=None if delivered else "operator",
        retryable=None if delivered else True,
    )
    kind = artefacts.RECEIPT if delivered else artefacts.FAILURE_REPORT
    content_type = content_type_of(name)
    verdict = Verdict(
        settlement,
        (Evidence(kind, evidence, content_type),),
        events.TRANSACTION_SENT if delivered else events.TRANSACTION_FAILED,
        means=_means(work, points),
    )
    settled = [SettledWork(work, verdict)]
    with db.writing_by_key() as connection:
        stored = settling.store(connection, settled, None, points, now, seen=True)
        if not stored:
            raise Conflict(f"A worker changed {work.id} meanwhile: read it again.")
        _record(connection, work, "resolved", {"outcome": outcome})
    settling.report(stored)


def _confirm_failure(work: Work, reason: str | None) -> bool:
    """Note that an operator has seen the failure of a message; False if it needs nobody."""
    if work.kind is None or work.status != NetworkStatus.FAILED:
        return False
    with db.writing() as connection:
        if not transmissions.set_attention(connection, work.id, False):
            return False
        _record(connection, work, "resolved", {"outcome": "failed", "reason": reason or ""})
    return True


def content_type_of(name: str) -> str:
    """The content type of a file by its name."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _means(work: Work, points: AccessPoints | None) -> DeliveredMeans:
    capabilities = NO_CAPABILITIES if points is None else points.capabilities_of(work.access_point)
    return capabilities.delivered_means


def retry_now(transmission_id: str) -> None:
    """Make the transmission's next step due now. Raises NotFound, Conflict.

    A transmission that needs an operator has no outbox row: it gets one, and the network is queried
    again.
    """
    work = _find_open(transmission_id)
    now = clock.now()
    with db.writing() as connection:
        if outbox.is_enqueued(connection, work.id):
            outbox.make_due(connection, work.id, now)
        else:
            _enqueue(connection, work, now)
        _record(connection, work, "retried", {})


def _record(connection: Connection, work: Work, action: str, detail: Mapping[str, str]) -> None:
    """Record an operator's action, if the transmission is a tenant's."""
    if work.tenant_id:
        subject = "transmission" if work.kind is None else "message"
        audit.record(connection, work.tenant_id, None, f"{subject}.{action}", work.id, detail)


def _enqueue(connection: Connection, work: Work, now: datetime) -> None:
    outbox.enqueue(
        connection,
        kind=outbox.delivery_kind(work.id),
        lane=outbox.CHORES,
        subject_id=work.id,
        tenant_id=work.tenant_id or outbox.NO_TENANT,
        due_at=now,
        access_point=work.access_point,
        connection_id=work.connection_id,
    )


def find(transmission_id: str) -> Work:
    """A transmission of any tenant. Raises NotFound."""
    work = transmissions.find(transmission_id)
    if work is None:
        subject = "message" if ids.is_message(transmission_id) else "transmission"
        raise NotFound(f"There is no {subject} {transmission_id}.")
    return work


def _find_open(transmission_id: str) -> Work:
    work = find(transmission_id)
    if work.status != NetworkStatus.PROCESSING:
        raise Conflict(f"{transmission_id} is {work.status}, which is final.")
    return work
