"""Send a failed invoice once more: the same document under a new transaction id (decisions 5).

The failed transmission stays as it is; a new one takes its place in the invoice and is waited for,
answered and told of like that of a send.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    Conflict,
    DuplicateInvoice,
    ReceiverNotAllowed,
    RequestRefused,
    SenderNotOwned,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants
from einvoice.services.invoices import detail
from einvoice.services.participants import lookup
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import send
from einvoice.services.send.send import GRACE, Ask, Sent
from einvoice.store import outbox, resending, transmissions
from einvoice.store.acceptance import Accepted, Duplicate, Taken
from einvoice.store.invoices import InvoiceRecord
from einvoice.store.resending import NotFailed, Resend


def resend(invoice_id: str, ask: Ask, runtime: Runtime) -> Sent:
    """Send the invoice's document again. Every refusal is a RequestRefused.

    Raises NotFound, Conflict (it is not Failed), and what a send raises for its parties. A key
    that was accepted before answers with the first result.
    """
    try:
        record = detail.record_of(invoice_id, ask.principal)
        point = _check(record, ask.principal, runtime)
        send.refuse_when_late(runtime)
    except RequestRefused as refusal:
        return send.replay_or(ask, runtime, refusal)
    with runtime.waiting_room.seat(ask.wait > 0) as seated:
        return _resend(ask, record, point, runtime, ask.wait if seated else 0.0)


def _check(record: InvoiceRecord, who: Principal, runtime: Runtime) -> str:
    """The name of the access point to send by, if the invoice may be sent again by this key."""
    _check_failed(record)
    receiver = ParticipantId.parse(record.receiver)
    if who.allowed_receivers and receiver.canonical not in who.allowed_receivers:
        raise ReceiverNotAllowed(f"This API key may not send to {receiver}.")
    if who.environment is Environment.LIVE and not tenants.owns(
        who.tenant_id, who.environment, ParticipantId.parse(record.sender), runtime.caches
    ):
        raise SenderNotOwned(f"{record.sender} is not one of your participant ids.")
    return _point(record, receiver, who, runtime)


def _check_failed(record: InvoiceRecord) -> None:
    if record.direction != "sent" or record.status != NetworkStatus.FAILED:
        raise Conflict(
            f"Only a sent invoice that is Failed can be sent again; this one is {record.status}."
        )


def _point(record: InvoiceRecord, receiver: ParticipantId, who: Principal, runtime: Runtime) -> str:
    """The access point of the failed transmission; where that is gone, the one that serves now."""
    failed = transmissions.find(record.transmission_id)
    name = failed.access_point if failed else ""
    if name in runtime.access_points and runtime.access_points[name].environment is who.environment:
        return name
    return lookup.serving(receiver, who.environment, runtime.access_points).name


def _resend(ask: Ask, record: InvoiceRecord, point: str, runtime: Runtime, wait: float) -> Sent:
    new = _new(ask, record, point, runtime, wait)
    try:
        result = resending.resend(new)
    except NotFailed:
        conflict = Conflict(f"Invoice {record.id} is being sent again already.")
        return send.replay_or(ask, runtime, conflict)
    match result:
        case Taken() as taken:
            return send.replay(ask, taken, runtime)
        case Duplicate(other):
            raise DuplicateInvoice(f"Invoice {record.number} was sent in between.", other)
        case Accepted(other):
            if wait > 0:
                send.wait_and_answer(record.id, new.transmission_id, ask, runtime, wait)
            again = (send.duplicate_warning(record.number),) if other else ()
            return Sent(record.id, new.transmission_id, (*record.warnings, *again))


def _new(ask: Ask, record: InvoiceRecord, point: str, runtime: Runtime, wait: float) -> Resend:
    who, now = ask.principal, clock.now()
    return Resend(
        invoice_id=record.id,
        failed_id=record.transmission_id,
        transmission_id=f"txn_{uuid.uuid4().hex}",
        tenant_id=who.tenant_id,
        environment=who.environment.value,
        access_point=point,
        answered=None if wait > 0 else SendAnswer.PROCESSING.value,
        answer_by=now + timedelta(seconds=wait) + GRACE if wait > 0 else None,
        retry_until=now + send.retry_for(who.environment, runtime.settings),
        lane=outbox.INTERACTIVE if wait > 0 else outbox.BULK,
        created_at=now,
        key=ask.scope,
        fingerprint=ask.fingerprint if ask.key else "",
        reject_duplicates=tenants.get(who.tenant_id, runtime.caches).reject_duplicate_numbers,
    )
