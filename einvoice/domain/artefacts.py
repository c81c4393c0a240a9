"""The kinds of artefacts of an invoice (decisions 5): name, content type, file name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ArtefactKind:
    """`code` is the public `type`; `file_name` takes the invoice number as `{number}`."""

    code: str
    content_type: str
    file_name: str

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
FACTUR_X = ArtefactKind("FACTUR_X", "application/pdf", "factur-x-{number}.pdf")
INVOICE_RESPONSE = ArtefactKind("INVOICE_RESPONSE", "application/xml", "response-{number}.xml")
MLS = ArtefactKind("MLS", "application/xml", "mls-{number}.xml")

KINDS = {
    kind.code: kind
    for kind in (
        RECEIPT,
        UBL,
        VALIDATION_REPORT,
        FAILURE_REPORT,
        ORIGINAL,
        PDF,
        FACTUR_X,
        INVOICE_RESPONSE,
        MLS,
    )
}
