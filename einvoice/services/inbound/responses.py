"""Responding to bills: what a tenant says of an invoice that it received.

A response is stored with its message in one transaction; the message is delivered as every other
one (services/delivery/messages), whose outcome becomes the outcome of the response.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Protocol

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    Conflict,
    IdempotencyKeyReuse,
    InvalidField,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.responses import ResponseContent, faults
from einvoice.network.access_points import AccessPoints
from einvoice.network.messages import InvoiceAnswer, Outgoing, RespondsToInvoices
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.account import audit, tenants
from einvoice.services.delivery import messages
from einvoice.services.invoices import detail
from einvoice.services.participants import lookup
from einvoice.services.principal import Reader, Session
from einvoice.services.runtime import Runtime
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db
from einvoice.store.inbound import received
from einvoice.store.inbound import responses as stored
from einvoice.store.inbound.responses import ResponseRecord
from einvoice.store.invoices import invoices
from einvoice.store.invoices.invoices import InvoiceRecord

log = logging.get(__name__)

SPACE: Final = "response"  # of idempotency keys
MAX_RESPONSES: Final = 50  # to one bill
_TYPE_CODE = re.compile(rb"<(?:[\w.-]+:)?(?:Invoice|CreditNote)TypeCode[^<>]*>\s*([0-9]{1,3})\s*<")
_HEAD_BYTES: Final = 1 << 16  # of a document, in which its type is


@dataclass(frozen=True, slots=True)
class ResponseCommand:
    """One request to respond. `body` is what the idempotency key stands for."""

    invoice_id: str
    content: ResponseContent
    key: str | None = None
    body: bytes = field(default=b"", repr=False)

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.invoice_id.encode() + b"\n" + self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class ResponseResult:
    """The new response, or the earlier one of the same key."""

    response: ResponseRecord
    replay: bool = False
    payload_mismatch: bool = False


class _RespondingPoint(AccessPoint, RespondsToInvoices, Protocol):
    """An access point whose network has responses."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The message of a response, and the access point that sends it."""

    access_point: str
    message: Outgoing


def respond(command: ResponseCommand, reader: Reader, runtime: Runtime) -> ResponseResult:
    """Respond to a bill. A key that was accepted before answers with its first response.

    Raises NotFound; InvalidField; IdempotencyKeyReuse; Conflict if the bill cannot be responded to,
    or its sender takes no responses; AccessPointUnavailable if the directory does not answer.
    """
    record = detail.record_of(command.invoice_id, reader)
    scope = _scope(command, record, reader)
    if scope is not None and (known := _replayed(command, scope, runtime)) is not None:
        return known
    if found := list(faults(command.content)):
        raise InvalidField(found)
    tenants.check_sending(tenants.get(reader.tenant_id, runtime.caches))
    sender, receiver = _parties(record)
    point = _point(record, runtime.access_points)
    _refuse_unregistered(point, receiver, reader.tenant_id)
    response = _new(command, record, reader)
    message = _message(point, _answer(command, response, record, (sender, receiver)))
    return _store(
        command, scope, response, _Prepared(record.access_point, message), reader, runtime
    )


def may_respond(record: InvoiceRecord, points: AccessPoints) -> bool:
    """Whether a response to it can be tried: a bill with a number, of a network with responses."""
    try:
        _parties(record)
        _point(record, points)
    except Conflict:
        return False
    return True


def _scope(command: ResponseCommand, record: InvoiceRecord, reader: Reader) -> KeyScope | None:
    if command.key is None:
        return None
    return KeyScope(reader.tenant_id, record.environment, SPACE, command.key)


def _replayed(command: ResponseCommand, scope: KeyScope, runtime: Runtime) -> ResponseResult | None:
    """The response for which the key was accepted; None for a key that is new."""
    accepted = idempotency.find(scope)
    first = stored.find(accepted.transmission_id, scope.tenant_id) if accepted else None
    if accepted is None or first is None:
        return None
    mismatch = accepted.fingerprint != command.fingerprint
    if mismatch and tenants.get(scope.tenant_id, runtime.caches).strict_idempotency:
        raise IdempotencyKeyReuse("This Idempotency-Key was used with another body.")
    return ResponseResult(first, replay=True, payload_mismatch=mismatch)


def _parties(record: InvoiceRecord) -> tuple[ParticipantId, ParticipantId]:
    """The party that responds, and the one that gets the response. Raises Conflict."""
    if not record.is_received:
        raise Conflict("This invoice was sent: only a received one can be responded to.")
    if DocumentKind(record.kind).is_self_billed:
        raise Conflict("This invoice is self-billed: its buyer, who responds, has issued it.")
    if record.number is None:
        raise Conflict("The document has no invoice number to which a response could refer.")
    if record.receiver is None:
        raise Conflict("The invoice was received without a participant id, which a response needs.")
    return ParticipantId.parse(record.receiver), ParticipantId.parse(record.sender)


def _point(record: InvoiceRecord, points: AccessPoints) -> _RespondingPoint:
    """The access point that handed the bill over. Raises Conflict."""
    named = [point for point in points if point.name == record.access_point]
    if not named or not isinstance(named[0], RespondsToInvoices):
        raise Conflict("The network of this bill has no responses.")
    return named[0]


def _refuse_unregistered(point: _RespondingPoint, receiver: ParticipantId, tenant_id: str) -> None:
    """Raise Conflict if the sender of the bill takes no responses."""
    taken = lookup.ask(point, lambda: point.takes_responses(receiver), tenant_id)
    if not taken:
        raise Conflict(f"{receiver} is not registered for responses.")


def _new(command: ResponseCommand, record: InvoiceRecord, reader: Reader) -> ResponseRecord:
    now = clock.now()
    return ResponseRecord(
        id=str(ids.time_ordered(now)),
        tenant_id=reader.tenant_id,
        environment=record.environment,
        invoice_id=record.id,
        message_id="",  # of the message, once it is queued
        code=command.content.code,
        content=_as_data(command.content),
        status=NetworkStatus.PROCESSING.value,
        reason=None,
        created_by=(reader.email or reader.subject)
        if isinstance(reader, Session)
        else f"key {reader.key_id}",
        created_at=now,
        settled_at=None,
    )


def _as_data(content: ResponseContent) -> Mapping[str, object]:
    day = content.effective_date
    return asdict(content) | {"effective_date": day.isoformat() if day else None}


def _answer(
    command: ResponseCommand,
    response: ResponseRecord,
    record: InvoiceRecord,
    parties: tuple[ParticipantId, ParticipantId],
) -> InvoiceAnswer:
    sender, receiver = parties
    return InvoiceAnswer(
        response_id=response.id,
        document_id=record.id,
        environment=Environment(record.environment),
        tenant_id=response.tenant_id,
        sender=sender,
        receiver=receiver,
        sender_name=record.buyer_name or str(sender),
        receiver_name=record.supplier_name or str(receiver),
        number=record.number or "",
        type_code=_type_code(record, response.tenant_id),
        issue_date=record.issue_date,
        at=response.created_at,
        content=command.content,
        sender_country=record.buyer_country,
        receiver_country=record.supplier_country,
        instance_id=received.instance_id(record.id, response.tenant_id) or "",
        receiver_tax_id=record.supplier_tax_id,
    )


def _type_code(record: InvoiceRecord, tenant_id: str) -> str:
    """The type of the document (BT-3); 380 or 381 if it cannot be read."""
    found = invoices.documents(record.id, tenant_id, record.environment)
    match = _TYPE_CODE.search(found.document[:_HEAD_BYTES]) if found else None
    if match is not None:
        return match[1].decode()
    return "381" if DocumentKind(record.kind) is DocumentKind.CREDIT_NOTE else "380"


def _message(point: RespondsToInvoices, answer: InvoiceAnswer) -> Outgoing:
    """The message of the access point. Raises Conflict if none can be made."""
    try:
        return replace(point.response_message(answer), answers=answer.document_id)
    except ValueError as fault:
        raise Conflict(f"The network cannot carry this response: {fault}") from fault


def _store(
    command: ResponseCommand,
    scope: KeyScope | None,
    response: ResponseRecord,
    prepared: _Prepared,
    reader: Reader,
    runtime: Runtime,
) -> ResponseResult:
    """Store the response with its message; of two requests with one key the first counts."""
    with db.writing() as connection:
        if stored.lock_bill(connection, response.invoice_id, reader.tenant_id) >= MAX_RESPONSES:
            raise Conflict(f"A bill has at most {MAX_RESPONSES} responses.")
        is_first = scope is None or stored.take_key(
            connection, scope, command.fingerprint, response
        )
        if is_first:
            response = _add(connection, response, prepared, reader)
    if not is_first and scope is not None:
        known = _replayed(command, scope, runtime)
        if known is None:
            raise Conflict("Another request with this Idempotency-Key has just ended: repeat it.")
        return known
    log.info("bill responded", invoice=response.invoice_id, code=response.code)
    return ResponseResult(response)


def _add(
    connection: Connection, response: ResponseRecord, prepared: _Prepared, reader: Reader
) -> ResponseRecord:
    message_id = messages.add(connection, prepared.access_point, prepared.message)
    response = replace(response, message_id=message_id)
    stored.add(connection, response)
    message = {"responseId": response.id, "responseCode": response.code}
    audit.record(
        connection, reader.tenant_id, reader, "bill.responded", response.invoice_id, message
    )
    return response
