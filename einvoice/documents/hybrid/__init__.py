"""PDFs that carry an invoice as XML (Factur-X, ZUGFeRD): what is attached, and what they say of it.

`opening` opens a PDF; here is what it finds, as plain values that another process can send.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MARK: Final = b"%PDF-"
_MARK_WITHIN: Final = 1024  # bytes: readers look for it there


@dataclass(frozen=True, slots=True)
class OpenedPdf:
    """The invoice in a PDF, and what the PDF says of it.

    xml           the attachment; empty if there is a problem
    problem       why there is none: pdf-damaged, pdf-encrypted, pdf-without-invoice,
                  pdf-several-invoices, pdf-too-large
    name          of the attached file
    relationship  AFRelationship of the attachment: Data, Source, Alternative …; "" if none is given
    associated    whether the document lists the attachment among its associated files (AF)
    mime          the MIME type of the attachment (Subtype); "" if none is given
    rivals        other attachments that have a name of an invoice too
    part          the part of PDF/A that the metadata claim, such as "3"; "" if none
    conformance   the level of PDF/A that they claim, such as "B"; "" if none
    level, file, document_type, version
                  what the metadata of Factur-X say; "" without
    undescribed   the properties of Factur-X that no extension schema describes
    """

    xml: bytes = b""
    problem: str | None = None
    name: str = ""
    relationship: str = ""
    associated: bool = False
    mime: str = ""
    rivals: tuple[str, ...] = ()
    part: str = ""
    conformance: str = ""
    level: str = ""
    file: str = ""
    document_type: str = ""
    version: str = ""
    undescribed: tuple[str, ...] = ()


def is_pdf(data: bytes) -> bool:
    """Whether the bytes are a PDF, by their beginning."""
    return _MARK in data[:_MARK_WITHIN] and not data.lstrip().startswith(b"<")
