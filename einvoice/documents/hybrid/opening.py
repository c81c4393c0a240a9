"""Opens a PDF and reads the invoice that is attached to it.

A PDF is hostile input: it is opened in a computing process (services/computing), which bounds
memory and time. Here the number of attachments, the length of names, and the sizes of metadata and
invoice are bounded. Nothing of the pages is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

import pikepdf

from einvoice.documents.hybrid import OpenedPdf, xmp
from einvoice.xml import MAX_BYTES, NotXml, parse

_MAX_ATTACHMENTS: Final = 100
_MAX_METADATA_BYTES: Final = 1024**2
_MAX_NAME: Final = 200
# The names of Factur-X, ZUGFeRD 1 and 2, XRechnung in a PDF, and our own PDFs; the first is used.
NAMES: Final = ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "invoice.xml")


def opened(pdf: bytes) -> OpenedPdf:
    """The invoice in a PDF. Raises no error of a PDF: it is the `problem`."""
    try:
        with pikepdf.open(BytesIO(pdf)) as document:
            return _with_metadata(_attached(document), document)
    except pikepdf.PasswordError:
        return OpenedPdf(problem="pdf-encrypted")
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, AttributeError, RuntimeError):
        return OpenedPdf(problem="pdf-damaged")


def _attached(document: pikepdf.Pdf) -> OpenedPdf:
    """The first attachment with a name of an invoice, else the only XML."""
    found = list(_candidates(document))
    named = [each for each in found if each[0] in NAMES]
    found = sorted(named, key=lambda each: NAMES.index(each[0])) or found
    if not found:
        return OpenedPdf(problem="pdf-without-invoice")
    (name, attachment), *others = found
    content = _content(attachment)
    # Two of one name: nothing says which of them a receiver takes.
    if any(not named or (rival == name and _content(each) != content) for rival, each in others):
        return OpenedPdf(problem="pdf-several-invoices")
    if len(content) > MAX_BYTES:
        return OpenedPdf(problem="pdf-too-large")
    return OpenedPdf(
        content,
        None,
        name,
        relationship=_name(attachment.obj.get("/AFRelationship", "")),
        associated=_is_associated(document, attachment.obj),
        mime=_name(attachment.get_file().obj.get("/Subtype", "")).lower(),
        rivals=tuple(rival for rival, _ in others if rival != name),
    )


def _content(attachment: Any) -> bytes:
    content: bytes = attachment.get_file().read_bytes()
    return content


def _name(value: object) -> str:
    """The text of a name of PDF."""
    return str(value).removeprefix("/")[:_MAX_NAME]


def _candidates(document: pikepdf.Pdf) -> Iterator[tuple[str, Any]]:
    """The attachments that are XML by their names, in lower case."""
    for number, (name, attachment) in enumerate(document.attachments.items()):
        if number >= _MAX_ATTACHMENTS:
            return
        file = (attachment.filename or str(name))[:_MAX_NAME].rpartition("/")[2].lower()
        if file.endswith(".xml"):
            yield file, attachment


def _is_associated(document: pikepdf.Pdf, specification: Any) -> bool:
    listed = document.Root.get("/AF", ())
    return any(each.objgen == specification.objgen for each in list(listed)[:_MAX_ATTACHMENTS])


def _with_metadata(found: OpenedPdf, document: pikepdf.Pdf) -> OpenedPdf:
    stream = document.Root.get("/Metadata")
    if stream is None or found.problem is not None:
        return found
    try:
        root = parse(stream.read_bytes(), max_bytes=_MAX_METADATA_BYTES)
    except NotXml:
        return found
    return replace(
        found,
        part=xmp.of_pdfa(root, "part"),
        conformance=xmp.of_pdfa(root, "conformance"),
        level=xmp.of_factur_x(root, "ConformanceLevel"),
        file=xmp.of_factur_x(root, "DocumentFileName").lower(),
        document_type=xmp.of_factur_x(root, "DocumentType"),
        version=xmp.of_factur_x(root, "Version"),
        undescribed=tuple(xmp.undescribed(root)),
    )
