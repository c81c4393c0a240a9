"""Stamp a document: its place in the chain of a unit, its hash, signature and QR code.

The signature is no general XML signature: it signs the bytes of the document's hash, and the block
around it is a fixed text with four values. Its indentation is that of the published samples, since
white space is part of the digest of the signed properties.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from lxml import etree

from einvoice.xml import parse
from einvoice_zatca import qr
from einvoice_zatca.digests import hexadecimal, invoice_hash
from einvoice_zatca.names import (
    CAC,
    CBC,
    COUNTER,
    DS,
    ENVELOPED,
    EXT,
    PREVIOUS,
    QR,
    SAC,
    SBC,
    SHA256,
    SIG,
    SIGNATURE_ID,
    SIGNATURE_INFORMATION_ID,
    XADES,
)
from einvoice_zatca.qr import Tag

if TYPE_CHECKING:
    # A validation of one file stamps nothing, and needs no cryptography.
    from einvoice_zatca.identity import Identity

_SIMPLIFIED: Final = "02"
_TIME_ZONE_LESS: Final = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a document in the chain of its unit."""

    uuid: str
    counter: int
    previous: str  # the hash of the document before
    time: str | None = None  # of issue; None: as the document says


@dataclass(frozen=True, slots=True)
class Stamped:
    """A document that is ready to be sent."""

    content: bytes
    uuid: str
    counter: int
    hash: str  # in Base64, which the next document has as that of the one before


def stamped(document: bytes, place: Place, identity: Identity, moment: datetime) -> Stamped:
    """Stamp an unstamped document. `moment` is the time of signing.

    Raises ValueError for a name that is too long for a QR code.
    """
    root = parse(document)
    put_in_place(root, place)
    digest = invoice_hash(root)
    text = base64.b64encode(digest).decode()
    signature = base64.b64encode(identity.signature(digest)).decode()
    code = qr.encoded(_values(root, text, signature, identity))
    _add_code(root, code)
    root.insert(0, etree.fromstring(_extensions(text, signature, identity, moment)))
    content = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return Stamped(content, place.uuid, place.counter, text)


def put_in_place(root: etree._Element, place: Place) -> None:
    """Write the unique id, the time, the counter and the hash of the document before."""
    _require(root.find(f"{CBC}UUID")).text = place.uuid
    if place.time is not None:
        _require(root.find(f"{CBC}IssueTime")).text = place.time
    for reference in root.findall(f"{CAC}AdditionalDocumentReference"):
        match reference.findtext(f"{CBC}ID"):
            case str(name) if name == COUNTER:
                _require(reference.find(f"{CBC}UUID")).text = str(place.counter)
            case str(name) if name == PREVIOUS:
                _require(reference.find(f"{CAC}Attachment/")).text = place.previous


def is_simplified(root: etree._Element) -> bool:
    """Whether a document is a simplified one: it is reported, and its QR code has nine values."""
    code = root.find(f"{CBC}InvoiceTypeCode")
    return code is not None and (code.get("name") or "").startswith(_SIMPLIFIED)


def values_of_document(root: etree._Element) -> dict[Tag, bytes]:
    """The values of the QR code that a document names itself (tags 1 to 5).

    The total is the payable amount, as in the published samples.
    """
    seller = f"{CAC}AccountingSupplierParty/{CAC}Party"
    moment = f"{_text(root, f'{CBC}IssueDate')}T{_text(root, f'{CBC}IssueTime')}"
    texts = {
        Tag.SELLER: _text(root, f"{seller}/{CAC}PartyLegalEntity/{CBC}RegistrationName"),
        Tag.VAT_NUMBER: _text(root, f"{seller}/{CAC}PartyTaxScheme/{CBC}CompanyID"),
        Tag.MOMENT: moment,
        Tag.TOTAL: _text(root, f"{CAC}LegalMonetaryTotal/{CBC}PayableAmount"),
        Tag.VAT_TOTAL: _text(root, f"{CAC}TaxTotal/{CBC}TaxAmount"),
    }
    return {tag: text.encode() for tag, text in texts.items()}


def _values(
    root: etree._Element, digest: str, signature: str, identity: Identity
) -> dict[Tag, bytes]:
    values = values_of_document(root) | {
        Tag.HASH: digest.encode(),
        Tag.SIGNATURE: signature.encode(),
        Tag.PUBLIC_KEY: identity.public_key,
    }
    if is_simplified(root):
        values[Tag.CERTIFICATE_SIGNATURE] = identity.certificate.signature
    return values


def _text(root: etree._Element, path: str) -> str:
    return (root.findtext(path) or "").strip()


def _require(element: etree._Element | None) -> etree._Element:
    if element is None:
        raise ValueError("the document has no place for its counter")
    return element


def _add_code(root: etree._Element, code: str) -> None:
    """Add the QR code and the note of a signature before the seller, as the schema orders them."""
    supplier = _require(root.find(f"{CAC}AccountingSupplierParty"))
    at = root.index(supplier)
    for content in (signature_note(), reference(QR, code)):
        root.insert(at, content)


def reference(name: str, content: str) -> etree._Element:
    """A reference whose content is a text."""
    element = etree.Element(f"{CAC}AdditionalDocumentReference")
    etree.SubElement(element, f"{CBC}ID").text = name
    attachment = etree.SubElement(element, f"{CAC}Attachment")
    binary = etree.SubElement(attachment, f"{CBC}EmbeddedDocumentBinaryObject")
    binary.set("mimeCode", "text/plain")
    binary.text = content
    return element


def signature_note() -> etree._Element:
    """The element that names the signature in the extensions."""
    element = etree.Element(f"{CAC}Signature")
    etree.SubElement(element, f"{CBC}ID").text = SIGNATURE_ID
    etree.SubElement(element, f"{CBC}SignatureMethod").text = ENVELOPED
    return element


_XPATH: Final = "http://www.w3.org/TR/1999/REC-xpath-19991116"
_C14N: Final = "http://www.w3.org/2006/12/xml-c14n11"
_ECDSA: Final = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"
_EXCLUDED: Final = (
    "ext:UBLExtensions",
    "cac:Signature",
    "cac:AdditionalDocumentReference[cbc:ID='QR']",
)
_TRANSFORMS: Final = "".join(
    f'<ds:Transform Algorithm="{_XPATH}">'
    f"<ds:XPath>not(//ancestor-or-self::{path})</ds:XPath></ds:Transform>"
    for path in _EXCLUDED
)


def unsigned_frame() -> etree._Element:
    """The extensions before a document is stamped: what names the signature, without one."""
    return etree.fromstring(_frame(""))


def _frame(signature: str) -> str:
    return (
        f'<ext:UBLExtensions xmlns:ext="{EXT[1:-1]}"><ext:UBLExtension>'
        f"<ext:ExtensionURI>{ENVELOPED}</ext:ExtensionURI><ext:ExtensionContent>"
        f'<sig:UBLDocumentSignatures xmlns:sig="{SIG}" xmlns:sac="{SAC}" xmlns:sbc="{SBC}"'
        f' xmlns:cbc="{CBC[1:-1]}"><sac:SignatureInformation>'
        f"<cbc:ID>{SIGNATURE_INFORMATION_ID}</cbc:ID>"
        f"<sbc:ReferencedSignatureID>{SIGNATURE_ID}</sbc:ReferencedSignatureID>"
        f"{signature}</sac:SignatureInformation></sig:UBLDocumentSignatures>"
        "</ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>"
    )


def _extensions(digest: str, signature: str, identity: Identity, moment: datetime) -> str:
    properties = _signed_properties(identity, moment)
    declared = properties.format(xades=f' xmlns:xades="{XADES}"', ds=f' xmlns:ds="{DS}"')
    return _frame(
        f'<ds:Signature xmlns:ds="{DS}" Id="signature"><ds:SignedInfo>'
        f'<ds:CanonicalizationMethod Algorithm="{_C14N}"/>'
        f'<ds:SignatureMethod Algorithm="{_ECDSA}"/>'
        f'<ds:Reference Id="invoiceSignedData" URI=""><ds:Transforms>{_TRANSFORMS}'
        f'<ds:Transform Algorithm="{_C14N}"/></ds:Transforms>{_digest(digest)}</ds:Reference>'
        f'<ds:Reference Type="{DS}SignatureProperties" URI="#xadesSignedProperties">'
        f"{_digest(hexadecimal(declared.encode()))}</ds:Reference></ds:SignedInfo>"
        f"<ds:SignatureValue>{signature}</ds:SignatureValue>"
        "<ds:KeyInfo><ds:X509Data>"
        f"<ds:X509Certificate>{identity.certificate_text}</ds:X509Certificate>"
        "</ds:X509Data></ds:KeyInfo><ds:Object>"
        f'<xades:QualifyingProperties xmlns:xades="{XADES}" Target="signature">'
        f"{properties.format(xades='', ds='')}</xades:QualifyingProperties>"
        "</ds:Object></ds:Signature>"
    )


def _digest(value: str) -> str:
    return f'<ds:DigestMethod Algorithm="{SHA256}"/><ds:DigestValue>{value}</ds:DigestValue>'


_INDENT: Final = "\n" + 32 * " "


def _signed_properties(identity: Identity, moment: datetime) -> str:
    """The signed properties, with places for the namespaces that their digest declares."""
    serial = identity.certificate.serial_number
    issuer = escape(identity.issuer).replace("{", "{{").replace("}", "}}")
    lines = (
        (0, '<xades:SignedProperties{xades} Id="xadesSignedProperties">'),
        (1, "<xades:SignedSignatureProperties>"),
        (2, f"<xades:SigningTime>{moment.strftime(_TIME_ZONE_LESS)}</xades:SigningTime>"),
        (2, "<xades:SigningCertificate>"),
        (3, "<xades:Cert>"),
        (4, "<xades:CertDigest>"),
        (5, f'<ds:DigestMethod{{ds}} Algorithm="{SHA256}"/>'),
        (5, f"<ds:DigestValue{{ds}}>{identity.digest}</ds:DigestValue>"),
        (4, "</xades:CertDigest>"),
        (4, "<xades:IssuerSerial>"),
        (5, f"<ds:X509IssuerName{{ds}}>{issuer}</ds:X509IssuerName>"),
        (5, f"<ds:X509SerialNumber{{ds}}>{serial}</ds:X509SerialNumber>"),
        (4, "</xades:IssuerSerial>"),
        (3, "</xades:Cert>"),
        (2, "</xades:SigningCertificate>"),
        (1, "</xades:SignedSignatureProperties>"),
        (0, "</xades:SignedProperties>"),
    )  # fmt: skip
    return _INDENT.join("    " * depth + text for depth, text in lines)
