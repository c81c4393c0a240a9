"""Additions to the PDF and the buyer's page: the QR code and the XML."""

from __future__ import annotations

from typing import Final, cast

from einvoice.domain.additions import Additions, AttachedXml, Handout, QrCode
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice.xml import parse
from einvoice_zatca.names import QR, TAGS

_CODE: Final = (
    f"cac:AdditionalDocumentReference[cbc:ID='{QR}']/cac:Attachment"
    "/cbc:EmbeddedDocumentBinaryObject/text()"
)
_SIMPLIFIED: Final = "فاتورة ضريبية مبسطة"  # simplified tax invoice
_STANDARD: Final = "فاتورة ضريبية"  # tax invoice


def additions(handout: Handout) -> Additions:
    """The QR code and the stamped XML, as soon as there is one.

    A simplified document may be handed out before it is reported.
    """
    # A validation of one file prints nothing, and needs no cryptography.
    from einvoice_zatca.stamp import is_simplified

    content = handout.evidence.get(AUTHORITY_DOCUMENT.code)
    if content is None:
        return Additions()
    root = parse(content)
    simplified = is_simplified(root)
    found = cast("list[str]", root.xpath(_CODE, namespaces=TAGS))
    caption = _SIMPLIFIED if simplified else _STANDARD
    codes = tuple(QrCode(str(text), caption) for text in found[:1])
    attached = AttachedXml("zatca-invoice.xml", content)
    return Additions(codes=codes, lines=(caption,), attached=attached, issued=simplified)
