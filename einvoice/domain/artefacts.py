"""The kinds of artefacts of an invoice (decisions 5): name, content type, file name.

The list is open: evidence of a plugin may be of a kind of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

CODE = re.compile(r"[A-Z][A-Z0-9_]{0,31}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ArtefactKind:
    """`code` is the public `type`; `file_name` takes the invoice number as `{number}`.

    Raises ValueError for a code that is not 1 to 32 capitals, digits and underscores.
    """

    code: str
    content_type: str
    file_name: str

    def __post_init__(self) -> None:
        if not CODE.fullmatch(self.code):
            raise ValueError(f"{self.code!r} is no type of an artefact")

    def file_name_of(self, number: str | None) -> str:
        """The name of the artefact's file, safe on any system.

        >>> PDF.file_name_of("2026/001")
        'invoice-2026-001.pdf'
        """
        safe = _UNSAFE.sub("-", number or "")[:80].strip("-.") or "invoice"
        return self.file_name.format(number=safe)


class EmbeddedPdf(StrEnum):
    """State of the PDF inside a document: to be embedded before it is sent, or embedded."""

    DUE = "due"
    DONE = "done"


RECEIPT = ArtefactKind("RECEIPT", "application/xml", "receipt-{number}.xml")
UBL = ArtefactKind("UBL", "application/xml", "{number}.xml")
VALIDATION_REPORT = ArtefactKind(
    "VALIDATION_REPORT", "application/json", "validation-{number}.json"
)
FAILURE_REPORT = ArtefactKind("FAILURE_REPORT", "application/json", "failure-{number}.json")
ORIGINAL = ArtefactKind("ORIGINAL", "application/json", "original-{number}.json")
PDF = ArtefactKind("PDF", "application/pdf", "invoice-{number}.pdf")
PDF_RECEIPT = ArtefactKind("PDF_RECEIPT", "application/pdf", "receipt-{number}.pdf")
FACTUR_X = ArtefactKind("FACTUR_X", "application/pdf", "factur-x-{number}.pdf")
INVOICE_RESPONSE = ArtefactKind("INVOICE_RESPONSE", "application/xml", "response-{number}.xml")
TAX_DATA = ArtefactKind("TDD", "application/xml", "{number}.xml")
NETWORK_DOCUMENT = ArtefactKind("NETWORK_DOCUMENT", "application/xml", "sent-{number}.xml")
AUTHORITY_DOCUMENT = ArtefactKind("AUTHORITY_DOCUMENT", "application/xml", "legal-{number}.xml")
AUTHORITY_RECEIPT = ArtefactKind(
    "AUTHORITY_RECEIPT", "application/xml", "authority-receipt-{number}.xml"
)
MLS = ArtefactKind("MLS", "application/xml", "mls-{number}.xml")
MAIL = ArtefactKind("MAIL", "message/rfc822", "mail-{number}.eml")
MAIL_NOTICE = ArtefactKind("MAIL_NOTICE", "message/rfc822", "notice-{number}.eml")
# A file inside the document (BG-24); listed only where it is asked for.
ATTACHMENT = ArtefactKind("ATTACHMENT", "application/octet-stream", "attachment-{number}")

KINDS = {
    kind.code: kind
    for kind in (
        RECEIPT,
        UBL,
        VALIDATION_REPORT,
        FAILURE_REPORT,
        ORIGINAL,
        PDF,
        PDF_RECEIPT,
        FACTUR_X,
        INVOICE_RESPONSE,
        NETWORK_DOCUMENT,
        AUTHORITY_DOCUMENT,
        AUTHORITY_RECEIPT,
        MLS,
    )
}
