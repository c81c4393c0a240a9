"""Files as documents to send, from and to the participants that the documents themselves name.

A file that is given twice is sent once: its content is its idempotency key.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from einvoice.documents.reading import invoice_in
from einvoice.domain.errors import FieldError, InvalidField, InvalidParticipant, RequestRefused
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Party
from einvoice.observability import logging
from einvoice.services.computing.sizes import is_large
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.batch import BatchItem, not_judged
from einvoice.services.send.submission import NamedParty, Submission
from einvoice.services.send.submit import opened
from einvoice.xml import NotXml

log = logging.get(__name__)


def item_of(content: bytes, principal: Principal, runtime: Runtime, language: str) -> BatchItem:
    """The entry of a batch for a file with UBL, CII, or a PDF with one of them inside.

    language  of the findings

    A file that cannot be read, for whatever reason, is refused by itself: the others are sent.
    """
    key = f"file-{hashlib.sha256(content).hexdigest()}"
    try:
        return BatchItem(_submission_of(content, principal, runtime, language), key)
    except RequestRefused as refusal:
        return BatchItem(refusal, key)
    except Exception:
        log.exception("file not read", size=len(content))
        return BatchItem(not_judged(), key)


def _submission_of(
    content: bytes, principal: Principal, runtime: Runtime, language: str
) -> Submission:
    submission = opened(Submission(content, language=language), principal, runtime)
    invoice = _invoice_of(submission.content, principal, runtime)
    sender, receiver = invoice.seller, invoice.buyer
    if invoice.document_kind.is_self_billed:
        sender, receiver = receiver, sender
    return replace(submission, sender=_named(sender, needed=True), receiver=_named(receiver))


def _invoice_of(document: bytes, principal: Principal, runtime: Runtime) -> Invoice:
    large = is_large(document)
    return runtime.computing.run(principal.tenant_id, read_file, document, large=large)


def read_file(document: bytes) -> Invoice:
    """The invoice in a document. Raises InvalidField, and UnreadableDocument."""
    try:
        return invoice_in(document)
    except NotXml as fault:
        message = f"is no UBL or CII: {fault.reason}"
        raise InvalidField([FieldError("/invoice", "unreadable-document", message)]) from None


def _named(party: Party, *, needed: bool = False) -> NamedParty:
    """The party by its address (BT-34, BT-49). Raises InvalidField, InvalidParticipant."""
    endpoint = party.endpoint
    if endpoint is not None:
        written = f"{endpoint.scheme}:{endpoint.value}"
        return NamedParty(ParticipantId.parse(written, error=InvalidParticipant))
    if needed:
        message = "the document has no electronic address of its sender (BT-34)"
        raise InvalidField([FieldError("/sender/peppolId", "required", message)])
    return NamedParty()
