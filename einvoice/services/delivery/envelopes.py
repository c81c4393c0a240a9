"""The envelope with which an access point gets a document."""

from __future__ import annotations

from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain import buyers, ids
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.types import Envelope
from einvoice.store.transmissions import Work


def receiver_of(work: Work) -> ParticipantId | None:
    return None if work.receiver is None else ParticipantId.parse(work.receiver)


def envelope_of(work: Work, attempt: int | None = None) -> Envelope:
    """The envelope of the document for the access point."""
    return Envelope(
        transmission_id=work.id,
        invoice_id=work.invoice_id,
        tenant_id=work.tenant_id,
        environment=Environment(work.environment),
        sender=ParticipantId.parse(work.sender),
        receiver=receiver_of(work),
        sender_country=work.sender_country,
        receiver_country=work.receiver_country,
        document_type=DocumentTypeId(*work.document_type.split("::", 1)),
        process=ProcessId(*work.process.split("::", 1)),
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
    )
