"""A document on its way out: prepared once, signed and encrypted for its receiver at each attempt.

What is prepared and stored is what is signed: the compressed envelope, the ids and the time. The
header also names the receiver's seat, which only the lookup says. All attempts at one receiver
have the same id and the same three digests, so a receipt of any attempt proves the delivery.
"""

from __future__ import annotations

import uuid
from typing import Final

from cryptography import x509

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import reasons
from einvoice.network.types import Envelope, Prepared, Rejected
from einvoice_peppol import mls, sbdh, trust
from einvoice_peppol.as4 import outgoing
from einvoice_peppol.as4.outgoing import Outgoing
from einvoice_peppol.as4.user_message import UserMessage
from einvoice_peppol.identity import Identity
from einvoice_peppol.tax_authorities import is_report

_MESSAGES: Final = uuid.UUID("5b9a3b44-6c4f-5d0e-9a0b-6f6a1c1f4c77")


def prepared(envelope: Envelope, seat: str, mls_type: str | None = None) -> Prepared | Rejected:
    """The compressed envelope of a document, with ids from those of the transmission.

    Rejected: no message can be made of the document. `mls_type`: of documents, not of statuses.
    """
    content = enveloped(envelope, mls_type)
    if isinstance(content, Rejected):
        return content
    host = seat.lower()
    return Prepared(
        message_id=f"{_id(envelope, 'message')}@{host}",
        content=content,
        state={
            "timestamp": clock.timestamp(clock.now()),
            "conversation": f"{_id(envelope, 'conversation')}@{host}",
            "payload": f"{_id(envelope, 'payload')}@{host}",
        },
    )


def enveloped(envelope: Envelope, mls_type: str | None = None) -> bytes | Rejected:
    """The document in its SBDH envelope, compressed with gzip."""
    if envelope.receiver is None or not envelope.sender_country:
        return _impossible("Peppol needs the receiver's participant id and the sender's country")
    try:
        written = sbdh.write(_header(envelope, envelope.receiver, mls_type), envelope.document)
    except sbdh.InvalidEnvelope as fault:
        return _impossible(f"Peppol's envelope cannot be written: {fault}")
    return outgoing.compressed(written)


def _header(envelope: Envelope, receiver: ParticipantId, mls_type: str | None) -> sbdh.Header:
    if envelope.document_type == mls.DOCUMENT_TYPE:
        mls_type = None
    elif is_report(envelope.document_type):
        mls_type = sbdh.ALWAYS_SEND  # its status is the authority's answer
    return sbdh.Header(
        sender=envelope.sender,
        receiver=receiver,
        document_type=envelope.document_type,
        process=envelope.process,
        instance_id=envelope.instance_id,
        created_at=clock.now(),
        country_c1=envelope.sender_country or "",
        mls_type=mls_type,
    )


def _id(envelope: Envelope, purpose: str) -> uuid.UUID:
    """The same for all attempts of a transmission."""
    return uuid.uuid5(_MESSAGES, f"{envelope.transmission_id}/{purpose}")


def _impossible(words: str) -> Rejected:
    reason = reasons.DOCUMENT_REFUSED
    return Rejected("envelope", words, retryable=reason.retryable, reason_code=reason.code)


def message(
    envelope: Envelope, prepared: Prepared, sender: Identity, receiver: x509.Certificate
) -> Outgoing:
    """The message of one attempt. Raises ValueError for what was not prepared here."""
    if envelope.receiver is None or prepared.content is None:
        raise ValueError("it was not prepared as a message of Peppol")
    header = UserMessage(
        message_id=prepared.message_id,
        timestamp=prepared.state["timestamp"],
        from_seat=sender.seat,
        to_seat=trust.seat_id(receiver),
        process=envelope.process,
        document_type=envelope.document_type,
        conversation_id=prepared.state["conversation"],
        sender=envelope.sender,
        receiver=envelope.receiver,
        content_id=prepared.state["payload"],
    )
    return outgoing.signed_and_encrypted(header, prepared.content, sender, receiver)
