"""The key of a document that is sent after others, asked when it is accepted."""

from __future__ import annotations

from einvoice.domain import buyers, ids
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.connections import MAX_KEY_LENGTH, Connection, Serial
from einvoice.network.types import Envelope
from einvoice.observability import logging
from einvoice.store.new_sends import NewSend

log = logging.get(__name__)


def key_of(point: Serial, envelope: Envelope, connection: Connection) -> str | None:
    """The key; None if the document waits for no other.

    Raises AccessPointUnavailable if the access point fails, or its key cannot be stored.
    """
    try:
        key = point.sequence_key(envelope, connection)
    except Exception as fault:
        log.exception("no sequence key", transmission=envelope.transmission_id)
        raise _unavailable() from fault
    if key is not None and not (0 < len(key) <= MAX_KEY_LENGTH and key.isprintable()):
        log.error("not a sequence key", transmission=envelope.transmission_id)
        raise _unavailable()
    return key


def _unavailable() -> AccessPointUnavailable:
    return AccessPointUnavailable("The access point cannot say in which order it sends this.")


def envelope_of(send: NewSend) -> Envelope:
    """The envelope of a document that is about to be accepted."""
    where, head = send.addressing, send.head
    return Envelope(
        transmission_id=send.transmission_id,
        invoice_id=send.invoice_id,
        tenant_id=send.tenant_id,
        environment=Environment(send.environment),
        sender=ParticipantId.parse(where.sender),
        receiver=None if where.receiver is None else ParticipantId.parse(where.receiver),
        sender_country=where.sender_country,
        receiver_country=where.receiver_country,
        document_type=DocumentTypeId(*where.document_type.split("::", 1)),
        process=ProcessId(*where.process.split("::", 1)),
        document=send.content.network_document or send.content.document,
        number=head.number or "",
        instance_id=ids.instance_of(send.transmission_id),
        buyer=buyers.restored(
            head.buyer_name, head.buyer_country, head.buyer_tax_id, head.buyer_ids
        ),
        profile=where.profile or "",
        correlation_id=send.invoice_id,
    )
