"""The files that a UBL or CII document has inside, found without reading the rest of it."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field

from lxml import etree

from einvoice import xml

_FILES = ("{*}EmbeddedDocumentBinaryObject", "{*}AttachmentBinaryObject")
# The description of the reference that has the file (BT-123): in UBL, in CII.
_DESCRIPTIONS = ("{*}DocumentDescription", "{*}Name")
_REFERENCES = ("AdditionalDocumentReference", "AdditionalReferencedDocument")


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file in a document (BG-24). `name` and `media_type` are as the document states them."""

    name: str
    media_type: str
    description: str | None
    content: bytes = field(repr=False)


def files_in(document: bytes) -> list[AttachedFile]:
    """The files of a document in their order; none of what is not XML, or whose base64 is wrong."""
    try:
        root = xml.parse(document, max_bytes=xml.MAX_RECEIVED_BYTES)
    except xml.NotXml:
        return []
    found = map(_file, root.iter(*_FILES))
    return [file for file in found if file is not None]


def _file(element: etree._Element) -> AttachedFile | None:
    try:
        content = base64.b64decode("".join((element.text or "").split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    name = element.get("filename", "").strip()
    return AttachedFile(name, element.get("mimeCode", "").strip(), _description(element), content)


def _description(element: etree._Element) -> str | None:
    """The kind that the reference around the file names."""
    for parent in element.iterancestors():
        if etree.QName(parent).localname in _REFERENCES:
            texts = (parent.findtext(path) for path in _DESCRIPTIONS)
            return next((text.strip() for text in texts if text and text.strip()), None)
    return None
