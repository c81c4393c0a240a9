"""The description of a document in its submission: syntax, profile, processing rule, checksum."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from einvoice.domain.identifiers import PDF_INVOICE, DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.messages import InvoiceAnswer, Outgoing, PaymentNotice
from einvoice.network.types import Envelope
from einvoice.rules.br_fr import EXTENDED
from einvoice_fr_ctc import evidence
from einvoice_fr_ctc.client import Upload

LIFE_CYCLE_TYPE: Final = DocumentTypeId(
    "fr-ctc",
    "urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100"
    "::CrossDomainAcknowledgementAndResponse##urn.cpro.gouv.fr:1p0:CDV:invoice::D22B",
)
LIFE_CYCLE_PROCESS: Final = ProcessId("fr-ctc", "life-cycle")
REPORT_TYPE: Final = DocumentTypeId("fr-ctc", "Report##urn.cpro.gouv.fr:1p0:ereporting::1.0")
REPORT_PROCESS: Final = ProcessId("fr-ctc", "e-reporting")
B2B: Final = "B2B"
# What the note BAR says → the processing rule. Source: BR-FR-20, and the interface.
_RULES: Final = {
    "B2B": B2B,
    "B2BINT": "B2BInt",
    "B2C": "B2C",
    "B2CINT": "B2C",
    "OUTOFSCOPE": "OutOfScope",
    "ARCHIVEONLY": "ArchiveOnly",
}
# Rules by which an invoice goes to its buyer; of the others nobody but the platform, and through
# it the authority, gets it.
TO_BUYERS: Final = frozenset({B2B, "B2G"})
_UBL_TREATMENT: Final = re.compile(rb"#BAR#\s*([A-Z0-9]{3,11})")
_CII_TREATMENT: Final = re.compile(
    rb"Content>\s*([A-Z0-9]{3,11})\s*</[\w:]*Content>\s*<[\w:]*SubjectCode>\s*BAR\s*<"
)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_NAME: Final = 80
CDAR, UBL, CII, FACTUR_X, REPORT = "CDAR", "UBL", "CII", "Factur-X", "FRR"
_CIUS: Final = "CIUS"
_EXTENDED: Final = "Extended-CTC-FR"


def outgoing(
    key: str, cause: InvoiceAnswer | PaymentNotice, receiver: ParticipantId, document: bytes
) -> Outgoing:
    """A message of the life cycle, from the parties of its cause."""
    return Outgoing(
        key=key,
        kind=evidence.LIFE_CYCLE,
        environment=cause.environment,
        sender=cause.sender,
        receiver=receiver,
        document_type=LIFE_CYCLE_TYPE,
        process=LIFE_CYCLE_PROCESS,
        document=document,
        sender_country=cause.sender_country,
        receiver_country=cause.receiver_country,
    )


def syntax_of(document_type: DocumentTypeId) -> str:
    """The syntax of a document, as the interface names it."""
    if document_type == LIFE_CYCLE_TYPE:
        return CDAR
    if document_type == REPORT_TYPE:
        return REPORT
    if document_type == PDF_INVOICE:
        return FACTUR_X
    return CII if "CrossIndustryInvoice" in document_type.value else UBL


def rule_of(envelope: Envelope) -> str:
    """The processing rule of an invoice: what its note BAR says; B2B without one."""
    text = envelope.source or envelope.document
    found = _UBL_TREATMENT.search(text) or _CII_TREATMENT.search(text)
    return _RULES.get(found[1].decode(), B2B) if found else B2B


def upload_of(envelope: Envelope, content: bytes, state: Mapping[str, str]) -> Upload:
    """The file of a document with what is said of it."""
    syntax = syntax_of(envelope.document_type)
    is_pdf = syntax == FACTUR_X
    info = {
        "trackingId": tracking_id(envelope),
        "name": f"{_name(envelope.number)}.{'pdf' if is_pdf else 'xml'}",
        "flowSyntax": syntax,
        "sha256": sha256(content).hexdigest(),
    }
    if syntax not in (CDAR, REPORT):
        info |= {
            "processingRule": state.get("rule", B2B),
            "flowProfile": _profile_of(envelope.document_type),
        }
    return Upload(info, content, "application/pdf" if is_pdf else "application/xml")


def _profile_of(document_type: DocumentTypeId) -> str:
    return _EXTENDED if f"##{EXTENDED}::" in document_type.value else _CIUS


def tracking_id(envelope: Envelope) -> str:
    """Our id of the flow, at most 64 characters."""
    return envelope.transmission_id[:64]


def _name(number: str) -> str:
    """A file name out of the number of an invoice.

    >>> _name("2026/001 a")
    '2026-001-a'
    """
    return _UNSAFE.sub("-", number)[:_MAX_NAME].strip("-.") or "document"
