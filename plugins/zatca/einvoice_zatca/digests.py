"""The digests of Fatoora: of a document, of signed properties, of a certificate.

The hash of a document leaves out the extensions, the signature and the reference with the QR code,
and keeps the white space around them. Two digests are written as text of hexadecimal digits before
they are in Base64 (security features standard 1.2).
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from lxml import etree

from einvoice_zatca.names import CAC, CBC, EXT, QR

FIRST_HASH: Final = base64.b64encode(hashlib.sha256(b"0").hexdigest().encode()).decode()
_LEFT_OUT: Final = (f"{EXT}UBLExtensions", f"{CAC}Signature")
_REFERENCE: Final = f"{CAC}AdditionalDocumentReference"


def invoice_hash(root: etree._Element) -> bytes:
    """The SHA-256 of a document without what is added to it when it is stamped; changes `root`."""
    for child in list(root):
        if child.tag in _LEFT_OUT or _is_qr(child):
            _remove(child)
    return hashlib.sha256(etree.tostring(root, method="c14n", with_comments=False)).digest()


def hexadecimal(content: bytes) -> str:
    """The Base64 of the hexadecimal text of a SHA-256."""
    return base64.b64encode(hashlib.sha256(content).hexdigest().encode()).decode()


def signed_properties_digest(properties: etree._Element) -> str:
    """The digest of the signed properties as they are written in the document."""
    text = etree.tostring(properties, method="c14n", exclusive=True, with_comments=False)
    return hexadecimal(text.replace(b"></ds:DigestMethod>", b"/>"))


def _is_qr(child: etree._Element) -> bool:
    return child.tag == _REFERENCE and (child.findtext(f"{CBC}ID") or "").strip() == QR


def _remove(element: etree._Element) -> None:
    """Remove an element, and keep the text that follows it."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)
