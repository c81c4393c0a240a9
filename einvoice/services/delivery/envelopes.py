"""The envelope with which an access point gets a document, before and after it is stored."""

from __future__ import annotations

from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain import buyers, ids
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.mail.invoice_mails import InvoiceMail
from einvoice.network.types import Envelope
from einvoice.store.sending.new_sends import NewSend
from einvoice.store.sending.transmissions import Work


def receiver_of(work: Work) -> ParticipantId | None:
    return None if work.receiver is None else ParticipantId.parse(work.receiver)


def envelope_of(
    work: Work, attempt: int | None = None, mail: InvoiceMail | None = None
) -> Envelope:
    """The envelope of a stored document. `attempt` counts from 1; default: as in its row."""
    return Envelope(
        transmission_id=work.id,
        invoice_id=work.invoice_id,
        tenant_id=work.tenant_id,
        environment=Environment(work.environment),
        sender=ParticipantId.parse(work.sender),
        receiver=receiver_of(work),
        sender_country=work.sender_country,
        receiver_country=work.receiver_country,
        document_type=DocumentTypeId.parse(work.document_type),
        process=ProcessId.parse(work.process),
        document=work.carried,
        number=work.number,
        instance_id=ids.instance_of(work.id),
        buyer=buyers.restored(
            work.buyer_name, work.buyer_country, work.buyer_tax_id, work.buyer_ids
        ),
        profile=BIS_BILLING.name if work.profile is None else work.profile,
        attempt=attempt or max(1, work.attempts),
        correlation_id=work.invoice_id,
        accepted_at=work.created_at,
        source=work.source,
        receiver_email=work.receiver_email,
        mail=mail,
    )


def envelope_of_new(send: NewSend) -> Envelope:
    """The envelope of a document that is about to be accepted, as of its first attempt."""
    where, head, content = send.addressing, send.head, send.content
    converted = content.network_document
    return Envelope(
        transmission_id=send.transmission_id,
        invoice_id=send.invoice_id,
        tenant_id=send.tenant_id,
        environment=Environment(send.environment),
        sender=ParticipantId.parse(where.sender),
        receiver=None if where.receiver is None else ParticipantId.parse(where.receiver),
        sender_country=where.sender_country,
        receiver_country=where.receiver_country,
        document_type=DocumentTypeId.parse(where.document_type),
        process=ProcessId.parse(where.process),
        document=content.document if converted is None else converted,
        number=head.number or "",
        instance_id=ids.instance_of(send.transmission_id),
        buyer=buyers.restored(
            head.buyer_name, head.buyer_country, head.buyer_tax_id, head.buyer_ids
        ),
        profile=BIS_BILLING.name if where.profile is None else where.profile,
        correlation_id=send.invoice_id,
        accepted_at=send.created_at,
        source=None if converted is None else content.document,
        receiver_email=where.receiver_email,
    )
