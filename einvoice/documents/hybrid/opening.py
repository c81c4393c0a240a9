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
from lxml import etree

from einvoice.documents.hybrid import OpenedPdf
from einvoice.xml import MAX_BYTES, NotXml, parse

_MAX_ATTACHMENTS: Final = 100
_MAX_METADATA_BYTES: Final = 1024**2
_MAX_NAME: Final = 200
# The names of Factur-X, ZUGFeRD 1 and 2, XRechnung in a PDF, and our own PDFs; the first is used.
NAMES: Final = ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "invoice.xml")
_PDFA: Final = "http://www.aiim.org/pdfa/ns/id/"
_FACTUR_X: Final = (
    "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#",
)


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
    found = dict(_candidates(document))
    known = [name for name in NAMES if name in found]
    names = known[:1] if known else list(found)
    if not names:
        return OpenedPdf(problem="pdf-without-invoice")
    if len(names) > 1:
        return OpenedPdf(problem="pdf-several-invoices")
    [name] = names
    content = found[name].get_file().read_bytes()
    if len(content) > MAX_BYTES:
        return OpenedPdf(problem="pdf-too-large")
    specification = found[name].obj
    relationship = str(specification.get("/AFRelationship", "")).removeprefix("/")[:_MAX_NAME]
    return OpenedPdf(content, None, name, relationship, _is_associated(document, specification))


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
        part=_property(root, "part", _PDFA),
        level=_property(root, "ConformanceLevel", *_FACTUR_X),
        file=_property(root, "DocumentFileName", *_FACTUR_X).lower(),
    )


def _property(root: etree._Element, name: str, *namespaces: str) -> str:
    """A property of XMP, as an element or as an attribute; "" if there is none."""
    for namespace in namespaces:
        for element in root.iter(f"{{{namespace}}}{name}"):
            return (element.text or "").strip()[:_MAX_NAME]
        for element in root.iter("{*}Description"):
            written = element.get(f"{{{namespace}}}{name}")
            if written:
                return written.strip()[:_MAX_NAME]
    return ""
