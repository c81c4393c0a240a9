"""Resend a failed invoice: the same document under a new transaction id (decisions 5).

The failed transmission stays as it is. A new one takes its place in the invoice, and is waited for,
answered and reported like a send.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy.engine import Connection as DatabaseConnection

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    Conflict,
    DuplicateInvoice,
    FieldError,
    InvalidField,
    RequestRefused,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.responses import ResponseStatus
from einvoice.network.connections import Connection, serial
from einvoice.network.types import AccessPoint
from einvoice.services.account import audit, tenants
from einvoice.services.connections import choice
from einvoice.services.delivery.envelopes import envelope_of
from einvoice.services.invoices import detail
from einvoice.services.participants.routing import access_point_for
from einvoice.services.principal import Principal, Reader, Session
from einvoice.services.runtime import Runtime
from einvoice.services.send import emails, sequence_keys
from einvoice.services.send.accept import duplicate_warning, refuse_overload
from einvoice.services.send.answer import wait_and_answer
from einvoice.services.send.command import SendCommand
from einvoice.services.send.deadlines import Deadlines
from einvoice.services.send.parties import check_credential
from einvoice.services.send.replay import replay, replay_or_raise
from einvoice.services.send.result import SendResult
from einvoice.store.account.idempotency import AcceptedKey
from einvoice.store.inbound import receiver_responses
from einvoice.store.invoices.invoices import InvoiceRecord
from einvoice.store.sending import resends, transmissions
from einvoice.store.sending.new_sends import Accepted, Duplicate
from einvoice.store.sending.resends import NotFailed, Resend
from einvoice.store.sending.transmissions import Work


def sender_of(invoice_id: str, reader: Reader) -> Principal:
    """The principal that sends again: a program itself; for a person, in the invoice's environment.

    Raises NotFound for an invoice that the person does not see.
    """
    if isinstance(reader, Principal):
        return reader
    record = detail.record_of(invoice_id, reader)
    return Principal(reader.tenant_id, Environment(record.environment), scopes=frozenset())


def resend(
    invoice_id: str,
    command: SendCommand,
    runtime: Runtime,
    *,
    by: Reader | None = None,
    email: str | None = None,
) -> SendResult:
    """Send the invoice's document again. Every refusal is a RequestRefused.

    by     a person's resend is in the audit log; a program's is not, as its sends are not
    email  another address, for an invoice that went by e-mail: also for one that was delivered and
           came back (its response is undeliverable)

    Raises NotFound, Conflict (it is not Failed), InvalidField (`/email`), and what a send raises
    for its parties. A key that was accepted before answers with the first result.
    """
    try:
        record = detail.record_of(invoice_id, command.principal)
        route = _check(record, command.principal, runtime, email)
        refuse_overload(runtime)
        tenants.check_sending(tenants.get(command.principal.tenant_id, runtime.caches))
    except RequestRefused as refusal:
        return replay_or_raise(command, runtime, refusal)
    with runtime.waiting_room.seat(command.principal.tenant_id, command.wait > 0) as seated:
        return _resend(command, record, route, runtime, command.wait if seated else 0.0, by)


@dataclass(frozen=True, slots=True)
class _Route:
    """The access point to send by, and the account at it, where it needs one.

    sequence_key  of the document under a transaction id, accepted at a time
    email         the address that takes the place of the first one
    """

    point: str
    connection_id: str | None
    sequence_key: Callable[[str, datetime], str | None]
    email: str | None = None


def _check(
    record: InvoiceRecord, principal: Principal, runtime: Runtime, email: str | None
) -> _Route:
    """The way to send by, if the invoice may be sent again by this key."""
    if email is None or not is_undeliverable(record):
        _check_failed(record)
    receiver = None if record.receiver is None else ParticipantId.parse(record.receiver)
    check_credential(ParticipantId.parse(record.sender), receiver, principal, runtime)
    failed = transmissions.find(record.transmission_id)
    point = _point(failed.access_point if failed else "", receiver, principal, runtime)
    before = failed.connection_id if failed else None
    connection = choice.connection_again(point, principal.tenant_id, before, record.supplier_tax_id)
    key = partial(_sequence_key, failed, point, connection)
    address = None if email is None else _checked_address(email, point)
    return _Route(point.name, connection.id if connection else None, key, address)


def is_undeliverable(record: InvoiceRecord) -> bool:
    """Whether a sent invoice was handed over and has come back: it may go to another address."""
    if record.direction != "sent" or record.status != NetworkStatus.DELIVERED:
        return False
    said = receiver_responses.by_id([record.response_id or ""], record.tenant_id)
    return any(each.status == ResponseStatus.UNDELIVERABLE for each in said.values())


def _checked_address(email: str, point: AccessPoint) -> str:
    """The address in normal form. Raises InvalidField."""
    if not point.capabilities.by_email:
        message = f"this invoice goes by {point.network}, which knows no e-mail addresses"
        raise InvalidField([FieldError("/email", "contradicts", message)])
    return emails.checked(email, "email")


def _sequence_key(
    failed: Work | None,
    point: AccessPoint,
    connection: Connection | None,
    transmission_id: str,
    now: datetime,
) -> str | None:
    """The key of the document under its new transaction id, if it is sent after others."""
    asked = serial(point)
    if asked is None or failed is None or connection is None:
        return None
    again = replace(failed, id=transmission_id, created_at=now, attempts=0)
    return sequence_keys.key_of(asked, envelope_of(again), connection)


def _check_failed(record: InvoiceRecord) -> None:
    if record.direction != "sent" or record.status != NetworkStatus.FAILED:
        raise Conflict(
            f"Only a sent invoice that is Failed can be sent again; this one is {record.status}."
        )


def _point(
    name: str, receiver: ParticipantId | None, principal: Principal, runtime: Runtime
) -> AccessPoint:
    """The access point of the failed transmission; where that is gone, the one that serves now."""
    points = runtime.access_points
    if name in points and _takes(points[name], receiver, principal):
        return points[name]
    return access_point_for(receiver, principal.environment, points)


def _takes(point: AccessPoint, receiver: ParticipantId | None, principal: Principal) -> bool:
    reached = receiver is not None or point.capabilities.reaches_without_id
    return reached and point.environment is principal.environment


def _resend(
    command: SendCommand,
    record: InvoiceRecord,
    route: _Route,
    runtime: Runtime,
    wait: float,
    by: Reader | None,
) -> SendResult:
    new = _new(command, record, route, runtime, wait)
    try:
        result = resends.resend(new, partial(_note, new, by))
    except NotFailed:
        conflict = Conflict(f"Invoice {record.id} is being sent again already.")
        return replay_or_raise(command, runtime, conflict)
    match result:
        case AcceptedKey() as earlier:
            return replay(command, earlier, runtime)
        case Duplicate(other):
            raise DuplicateInvoice(f"Invoice {record.number} was sent in between.", other)
        case Accepted(other):
            if wait > 0:
                wait_and_answer(record.id, new.transmission_id, command, runtime, wait)
            again = (duplicate_warning(record.number),) if other else ()
            return SendResult(record.id, new.transmission_id, (*record.warnings, *again))


def _note(new: Resend, by: Reader | None, connection: DatabaseConnection) -> None:
    """Record a person's resend in the audit log."""
    if isinstance(by, Session):
        detail = {"transactionId": new.transmission_id}
        if new.receiver_email is not None:
            detail["email"] = new.receiver_email
        audit.record(connection, new.tenant_id, by, "invoice.resent", new.invoice_id, detail)


def _new(
    command: SendCommand, record: InvoiceRecord, route: _Route, runtime: Runtime, wait: float
) -> Resend:
    principal, now = command.principal, clock.now()
    transmission_id = ids.transmission_id(now)
    deadlines = Deadlines.of(now, wait, principal.environment, runtime.settings)
    return Resend(
        invoice_id=record.id,
        failed_id=record.transmission_id,
        transmission_id=transmission_id,
        tenant_id=principal.tenant_id,
        environment=principal.environment.value,
        access_point=route.point,
        connection_id=route.connection_id,
        sequence_key=route.sequence_key(transmission_id, now),
        answered=deadlines.answered,
        answer_by=deadlines.answer_by,
        retry_until=deadlines.retry_until,
        lane=deadlines.lane,
        created_at=now,
        key=command.scope,
        fingerprint=command.fingerprint if command.key else "",
        reject_duplicates=tenants.get(principal.tenant_id, runtime.caches).reject_duplicate_numbers,
        trace=command.trace,
        receiver_email=route.email,
    )
