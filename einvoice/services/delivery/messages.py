"""Messages without an invoice: queueing them, delivering them, and storing their outcome.

They take the steps of `transmit` with a ledger of their own: prepared once, stored before the first
attempt, fenced, polled, and never repeated blindly. A message that answers a received document
becomes an artefact of it when it is delivered. Its access point is called with the final outcome
if it follows messages (network/messages).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import events, ids
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.messages import FollowsMessages, Outgoing
from einvoice.network.types import AccessPoint, Evidence, KeptDocument, Pending, Settled
from einvoice.observability import logging, metrics
from einvoice.services.account import audit
from einvoice.services.delivery import outcomes, pushing, transmit
from einvoice.services.delivery.ledgers import Ledger
from einvoice.services.delivery.operations import MAX_LISTED
from einvoice.services.delivery.settlement import SettledWork
from einvoice.services.runtime import Runtime
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.inbound import notices, responses
from einvoice.store.invoices import artefacts
from einvoice.store.invoices.artefacts import NewArtefact
from einvoice.store.sending import messages
from einvoice.store.sending.messages import MessageOwner, NewMessage
from einvoice.store.sending.messages import MessageRecord as MessageRecord
from einvoice.store.sending.transmissions import Settlement, Work

log = logging.get(__name__)

SETTLED = "settled"  # the step of a notice about a message


# -- queue -----------------------------------------------------------------------------------------


def queue(access_point: str, message: Outgoing) -> str:
    """Queue a message, once for each key; its id.

    Raises ValueError if it answers a document that the access point has not handed over.
    """
    with db.writing() as connection:
        return add(connection, access_point, message)


def add(connection: Connection, access_point: str, message: Outgoing) -> str:
    """`queue` inside the caller's transaction."""
    owner = _owner(connection, access_point, message)
    return messages.add(connection, _new(access_point, message, owner, clock.now()))


def _owner(connection: Connection, access_point: str, message: Outgoing) -> MessageOwner:
    """Whose message it is, and by which connection it is sent. Raises ValueError."""
    owner = MessageOwner(None, None)
    if message.answers is not None:
        found = messages.owner_of_document(connection, message.answers, access_point)
        if found is None:
            words = f"{access_point} has not handed over a document {message.answers[:40]!r}"
            raise ValueError(words)
        owner = found
    if message.connection_id is not None:
        tenant_id = messages.tenant_of_connection(connection, message.connection_id, access_point)
        if tenant_id is None or owner.tenant_id not in {None, tenant_id}:
            raise ValueError(f"{access_point} has no such connection of the tenant")
        owner = MessageOwner(tenant_id, message.connection_id)
    return owner


def _new(access_point: str, message: Outgoing, owner: MessageOwner, now: datetime) -> NewMessage:
    return NewMessage(
        id=ids.message_id(now),
        access_point=access_point,
        key=message.key,
        environment=message.environment.value,
        tenant_id=owner.tenant_id,
        invoice_id=message.answers,
        connection_id=owner.connection_id,
        kind=message.kind.code,
        content_type=message.kind.content_type,
        file_name=message.kind.file_name,
        sender=str(message.sender),
        receiver=str(message.receiver),
        document_type=str(message.document_type),
        process=str(message.process),
        sender_country=message.sender_country,
        receiver_country=message.receiver_country,
        document=message.document,
        retry_until=now + message.retry_for,
        created_at=now,
    )


# -- deliver ---------------------------------------------------------------------------------------


def advance(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Do the next step of the messages of the rows that the token leases."""
    followed = {point.name for point in runtime.access_points if follows(point)}

    def write(settled: Sequence[SettledWork], token: str) -> set[str]:
        return _write(settled, token, followed)

    ledger = Ledger(messages.held, messages.fence, write, _keep_evidence, messages.extend_retries)
    transmit.advance(outbox_ids, token, runtime, ledger)


def follows(point: AccessPoint) -> bool:
    """Whether the access point is called with outcomes of its messages."""
    return isinstance(point, FollowsMessages)


def _write(settled: Iterable[SettledWork], token: str, followed: set[str]) -> set[str]:
    """Store verdicts, each in one commit; the ids of the messages that they settled."""
    return {
        one.work.id for one in settled if _write_one(one, token, one.work.access_point in followed)
    }


def _write_one(settled: SettledWork, token: str, follows: bool, *, seen: bool = False) -> bool:
    """Store a verdict. `seen`: an operator made it, and needs not be told."""
    work, verdict = settled.work, settled.verdict
    status, attention = verdict.settlement.status, verdict.settlement.attention
    with db.writing() as connection:
        first = messages.settle(connection, verdict.settlement)
        if first:
            _add_artefacts(connection, work, verdict.evidence, verdict.settlement)
            if status is not NetworkStatus.PROCESSING:
                is_told = _settle_response(connection, verdict.settlement)
                if status is NetworkStatus.FAILED and not is_told and not seen:
                    attention = True
                    messages.set_attention(connection, work.id, True)
                if follows:
                    _notify(connection, work)
            _release(connection, work, verdict.again, token)
    if first:
        metrics.message_settled(work.access_point, status, attention=attention)
        log.info("message settled", message=work.id, status=status, attention=attention)
    return first


def _settle_response(connection: Connection, settlement: Settlement) -> bool:
    """Store the outcome with the response that the message carries, if any, and emit its event.

    Whether there is one, so that its tenant is told.
    """
    at = settlement.settled_at or clock.now()
    status, reason = settlement.status.value, settlement.reason
    found = responses.settle(connection, settlement.id, status, reason, at)
    if found is None:
        return False
    words = {"invoiceId": found.invoice_id, "responseId": found.id, "responseCode": found.code}
    is_sent = settlement.status is NetworkStatus.DELIVERED
    event = deliveries.NewEvent(
        tenant_id=found.tenant_id,
        environment=found.environment,
        type=events.RESPONSE_SENT if is_sent else events.RESPONSE_FAILED,
        invoice_id=found.invoice_id,
        payload={**words, "status": status, **({} if is_sent else {"reason": reason})},
    )
    deliveries.emit_many(connection, [event])
    return True


def _notify(connection: Connection, work: Work) -> None:
    notices.add(
        connection,
        subject_id=work.id,
        step=SETTLED,
        tenant_id=work.tenant_id or messages.NO_TENANT,
        access_point=work.access_point,
        now=clock.now(),
    )


def _release(
    connection: Connection, work: Work, again: tuple[str, datetime] | None, token: str
) -> None:
    if again is None:
        outbox.complete(connection, [work.outbox_id], token)
    else:
        outbox.reschedule(connection, [(work.outbox_id, *again)], token)


def _keep_evidence(
    work: Work, evidence: Sequence[Evidence], onwards: Pending | None, token: str
) -> None:
    """Store evidence that arrives after the final status, and when the next one is polled for."""
    again = (outbox.CHORES, onwards.next_poll_at) if onwards and onwards.next_poll_at else None
    with db.writing() as connection:
        _add_artefacts(connection, work, evidence, None)
        pending = outcomes.pending_as_json(onwards) if onwards else None
        messages.set_follow_up(connection, work.id, pending)
        _release(connection, work, again, token)


def deliver_evidence(
    access_point: str, instance: str, evidence: Sequence[Evidence]
) -> Settled | None:
    """Keep evidence about a message with the document that it answers, each once.

    instance  id of the envelope in which the message was sent. None: the access point has sent no
              such message, or it answers no document
    """
    work = messages.find(ids.message_of_instance(instance))
    if work is None or work.access_point != access_point or not work.invoice_id:
        return None
    with db.writing() as connection:
        _add_artefacts(connection, work, evidence, None)
    return Settled(work.id, changed=False, tenant_id=work.tenant_id)


def kept_document(access_point: str, instance: str) -> KeptDocument | None:
    """What is kept of a message; None if the access point has sent none that answers a document."""
    work = messages.find(ids.message_of_instance(instance))
    if work is None or work.access_point != access_point or not work.invoice_id:
        return None
    with db.reading() as connection:
        message = messages.record(connection, work.id)
    if message is None or message.transmission_id is None:
        return None
    return pushing.sent(work, message.transmission_id)


def _add_artefacts(
    connection: Connection, work: Work, evidence: Sequence[Evidence], settled: Settlement | None
) -> None:
    """The artefacts of the document that a message answers: the message once it is delivered, and
    its evidence, of the kind of the message followed by its own (MLS_RECEIPT)."""
    message = messages.record(connection, work.id)
    if message is None or message.invoice_id is None:
        return
    kind = ArtefactKind(message.kind, message.content_type, message.file_name)
    made = [_of_evidence(kind, one) for one in evidence]
    if settled is not None and settled.status is NetworkStatus.DELIVERED:
        made.insert(0, Evidence(kind, work.document))
        _measure(message, settled)
    artefacts.add_missing(connection, [_artefact(message, one) for one in made])


def _measure(message: MessageRecord, settled: Settlement) -> None:
    """Record how long the document waited for the message, which networks limit."""
    if message.answered_at is not None:
        seconds = ((settled.settled_at or clock.now()) - message.answered_at).total_seconds()
        metrics.document_answered(message.access_point, message.kind, seconds)


def _of_evidence(kind: ArtefactKind, evidence: Evidence) -> Evidence:
    code = f"{kind.code}_{evidence.kind.code}"[:32]
    name = f"{kind.code.lower()}-{evidence.kind.file_name}"
    content_type = evidence.content_type or evidence.kind.content_type
    own = ArtefactKind(code, content_type, name)
    return Evidence(own, evidence.content, content_type, evidence.authority_reference)


def _artefact(message: MessageRecord, evidence: Evidence) -> NewArtefact:
    now = clock.now()
    return NewArtefact(
        id=str(ids.time_ordered(now)),
        tenant_id=message.tenant_id or "",
        invoice_id=message.invoice_id or "",
        transmission_id=message.transmission_id,
        kind=evidence.kind.code,
        name=evidence.kind.file_name_of(message.key),
        content_type=evidence.content_type or evidence.kind.content_type,
        sha256=hashlib.sha256(evidence.content).hexdigest(),
        size=len(evidence.content),
        authority_reference=evidence.authority_reference,
        legal_original=False,
        retention_years=None,
        created_at=now,
        content=evidence.content,
    )


# -- for operators ---------------------------------------------------------------------------------


def is_message(delivery_id: str) -> bool:
    """Whether it is the id of a message, and not of a transmission."""
    return delivery_id.startswith("msg_")


def needing_attention() -> Sequence[Work]:
    """Messages whose outcome no access point will report, oldest first."""
    return messages.needing_attention(MAX_LISTED)


def retry_now(message_id: str) -> None:
    """Make the next step of a message due now. Raises NotFound, Conflict."""
    work = _find_open(message_id)
    with db.writing() as connection:
        _record(connection, work, "message.retried", {})
        if outbox.is_enqueued(connection, work.id):
            outbox.make_due(connection, work.id, clock.now())
            return
        outbox.enqueue(
            connection,
            kind=outbox.MESSAGE,
            lane=outbox.CHORES,
            subject_id=work.id,
            tenant_id=work.tenant_id or messages.NO_TENANT,
            due_at=clock.now(),
            access_point=work.access_point,
            connection_id=work.connection_id,
        )


def resolve(
    message_id: str, outcome: str, evidence: Evidence, reason: str | None, runtime: Runtime
) -> None:
    """Record the outcome of a message, delivered or failed. Raises NotFound, Conflict.

    The evidence becomes an artefact of the document that the message answers. Of one that is Failed
    already, an operator confirms with `failed` that it was seen.
    """
    delivered = outcome == "delivered"
    if not delivered and _confirm_failure(find(message_id), reason):
        return
    work = _find_open(message_id)
    settlement = Settlement(
        id=work.id,
        fence=work.fence,
        status=NetworkStatus.DELIVERED if delivered else NetworkStatus.FAILED,
        phase=Phase.DONE,
        settled_at=clock.now(),
        reason=None if delivered else reason or "settled by an operator",
    )
    points = runtime.access_points
    follows_it = work.access_point in points and follows(points[work.access_point])
    settled = SettledWork(work, outcomes.Verdict(settlement, (evidence,)))
    if not _write_one(settled, "", follows_it, seen=True):
        raise Conflict(f"A worker changed {work.id} meanwhile: read it again.")
    with db.writing() as connection:
        outbox.discard(connection, work.id)
        _record(connection, work, "message.resolved", {"outcome": outcome})


def _confirm_failure(work: Work, reason: str | None) -> bool:
    """Note that an operator has seen a failure; False if it needs nobody."""
    if work.status != NetworkStatus.FAILED:
        return False
    with db.writing() as connection:
        if not messages.set_attention(connection, work.id, False):
            return False
        _record(connection, work, "message.resolved", {"outcome": "failed", "reason": reason or ""})
    return True


def _record(connection: Connection, work: Work, action: str, detail: Mapping[str, str]) -> None:
    """Record an operator's action, if the message is a tenant's."""
    if work.tenant_id:
        audit.record(connection, work.tenant_id, None, action, work.id, detail)


def find(message_id: str) -> Work:
    """A message of any tenant. Raises NotFound."""
    work = messages.find(message_id)
    if work is None:
        raise NotFound(f"There is no message {message_id}.")
    return work


def _find_open(message_id: str) -> Work:
    work = find(message_id)
    if work.status != NetworkStatus.PROCESSING:
        raise Conflict(f"{message_id} is {work.status}, which is final.")
    return work
