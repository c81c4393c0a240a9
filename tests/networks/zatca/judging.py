"""What the stand-in checks of a document: schema, rules, and every value of the stamp.

The values are computed here again, apart from the plugin: with lxml and cryptography alone.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from lxml import etree

from einvoice.documents.schemas import schema_errors
from einvoice.rules import Syntax
from einvoice_zatca.rules import RULES
from tests.networks.zatca.certificates import Issuer, text_of

FIRST = "NWZlY2ViNjZmZmM4NmYzOGQ5NTI3ODZjNmQ2OTZjNzljMmRiYzIzOWRkNGU5MWI0NjcyOWQ3M2EyN2ZiNTdlOQ=="
ENGINE = RULES.packs[0].engine(Syntax.UBL)
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
NAMES = {
    "cac": f"{_UBL}CommonAggregateComponents-2",
    "cbc": f"{_UBL}CommonBasicComponents-2",
    "ext": f"{_UBL}CommonExtensionComponents-2",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "xades": "http://uri.etsi.org/01903/v1.3.2#",
}
_REFERENCE = "cac:AdditionalDocumentReference[cbc:ID='{}']"
_PROPERTIES_DIGEST = "//ds:Reference[@URI='#xadesSignedProperties']/ds:DigestValue"
_TEXT = "/cac:Attachment/cbc:EmbeddedDocumentBinaryObject/text()"


def message(code: str, words: str, kind: str = "ERROR") -> dict[str, str]:
    return {"type": kind, "code": code, "category": "STAND-IN", "message": words, "status": kind}


def results(errors: list[dict[str, str]], warnings: list[dict[str, str]]) -> dict[str, Any]:
    status = "ERROR" if errors else "WARNING" if warnings else "PASS"
    return {
        "infoMessages": [],
        "warningMessages": warnings,
        "errorMessages": errors,
        "status": status,
    }


@dataclass
class Judged:
    """A document, and what is wrong with it."""

    document: bytes = b""
    uuid: str = ""
    hash: str = ""
    kind: str = ""
    type_code: str = ""
    counter: int = 0
    previous: str = ""
    errors: list[dict[str, str]] = field(default_factory=list)
    warnings: list[dict[str, str]] = field(default_factory=list)

    @property
    def status(self) -> int:
        return 400 if self.errors else 202 if self.warnings else 200

    def answer(self, name: str, status: str) -> dict[str, Any]:
        return {"validationResults": results(self.errors, self.warnings), name: status}


def judge(said: Mapping[str, str], token: str) -> Judged:
    """Judge the body of a call."""
    judged = Judged()
    try:
        judged.document = base64.b64decode(said["invoice"], validate=True)
        root = etree.fromstring(judged.document)
    except (KeyError, binascii.Error, etree.XMLSyntaxError):
        judged.errors.append(message("XML", "The invoice is no XML in Base64."))
        return judged
    for name, path in (
        ("uuid", "string(cbc:UUID)"),
        ("kind", "substring(cbc:InvoiceTypeCode/@name, 1, 2)"),
        ("type_code", "string(cbc:InvoiceTypeCode)"),
        ("previous", f"string({_REFERENCE.format('PIH')}{_TEXT})"),
    ):
        setattr(judged, name, _value(root, path))
    judged.counter = int(_value(root, f"number({_REFERENCE.format('ICV')}/cbc:UUID)") or 0)
    for error in schema_errors(root):
        judged.errors.append(message("XSD", error.message))
    for found in ENGINE.check(root, judged.document).findings:
        fatal = found.flag.value == "fatal"
        kind = "ERROR" if fatal else "WARNING"
        listed = judged.errors if fatal else judged.warnings
        listed.append(message(found.id, f"[{found.id}] is broken at {found.place}.", kind))
    _check_stamp(judged, root, token)
    if said.get("invoiceHash") != judged.hash:
        judged.errors.append(message("invoiceHash", "The hash is not that of the document."))
    if said.get("uuid") != judged.uuid:
        judged.errors.append(message("uuid", "The UUID is not that of the document."))
    return judged


def _value(root: etree._Element, path: str) -> str:
    found = root.xpath(path, namespaces=NAMES)
    return found.strip() if isinstance(found, str) else f"{found:g}" if found == found else ""


def digest_of(root: etree._Element) -> bytes:
    """The hash of a document, of a copy of it."""
    copy = etree.fromstring(etree.tostring(root))
    for path in ("ext:UBLExtensions", "cac:Signature", _REFERENCE.format("QR")):
        for element in copy.xpath(path, namespaces=NAMES):
            tail, above, before = element.tail, element.getparent(), element.getprevious()
            above.remove(element)
            if tail and before is not None:
                before.tail = (before.tail or "") + tail
            elif tail:
                above.text = (above.text or "") + tail
    return hashlib.sha256(etree.tostring(copy, method="c14n", with_comments=False)).digest()


def _hex(content: bytes) -> str:
    return base64.b64encode(hashlib.sha256(content).hexdigest().encode()).decode()


def _check_stamp(judged: Judged, root: etree._Element, token: str) -> None:
    digest = digest_of(root)
    judged.hash = base64.b64encode(digest).decode()
    certificate_text = base64.b64decode(token).decode()
    certificate = x509.load_der_x509_certificate(base64.b64decode(certificate_text))
    signature = _value(root, "string(//ds:SignatureValue)")
    wrong = []
    if _value(root, "string(//ds:X509Certificate)") != certificate_text:
        wrong.append("certificate")
    if _value(root, "string(//ds:Reference[@Id='invoiceSignedData']/ds:DigestValue)") != (
        judged.hash
    ):
        wrong.append("digest")
    if _value(root, "string(//xades:CertDigest/ds:DigestValue)") != _hex(certificate_text.encode()):
        wrong.append("certificate digest")
    has_properties = len(root.xpath("//xades:SignedProperties", namespaces=NAMES)) == 1
    if not has_properties or _properties_digest(root) != _value(
        root, f"string({_PROPERTIES_DIGEST})"
    ):
        wrong.append("signed properties")
    if not _signs(certificate, signature, digest):
        wrong.append("signature")
    wrong.extend(_code_faults(root, judged, signature, certificate))
    subject = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    (name,) = subject.value.get_values_for_type(x509.DirectoryName)
    numbers = [str(each.value) for each in name if each.oid.dotted_string.endswith("100.1.1")]
    seller = "string(cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID)"
    if _value(root, seller) not in numbers:
        wrong.append("VAT number of the seller")
    judged.errors.extend(message(f"STAMP-{each}", f"The {each} is wrong.") for each in wrong)


def _signs(certificate: x509.Certificate, signature: str, digest: bytes) -> bool:
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    try:
        key.verify(base64.b64decode(signature), digest, ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, binascii.Error):
        return False
    return True


def _code_faults(
    root: etree._Element, judged: Judged, signature: str, certificate: x509.Certificate
) -> list[str]:
    seller = "cac:AccountingSupplierParty/cac:Party"
    expected = {
        1: _value(root, f"string({seller}/cac:PartyLegalEntity/cbc:RegistrationName)").encode(),
        2: _value(root, f"string({seller}/cac:PartyTaxScheme/cbc:CompanyID)").encode(),
        3: _value(root, "concat(cbc:IssueDate, 'T', cbc:IssueTime)").encode(),
        4: _value(root, "string(cac:LegalMonetaryTotal/cbc:PayableAmount)").encode(),
        5: _value(root, "string(cac:TaxTotal/cbc:TaxAmount)").encode(),
        6: judged.hash.encode(),
        7: signature.encode(),
        8: _public(certificate),
    }
    if judged.kind == "02":
        expected[9] = certificate.signature
    found = _decoded(_value(root, f"string({_REFERENCE.format('QR')}{_TEXT})"))
    return [f"QR tag {tag}" for tag in expected if found.get(tag) != expected[tag]]


def cleared(document: bytes, issuer: Issuer) -> bytes:
    """The document with a stamp of the authority: its certificate, signature and code.

    That a cleared document has the whole stamp of the authority in place of the seller's is belief.
    """
    root = etree.fromstring(document)
    certificate, text = issuer.certificate, text_of(issuer.certificate)
    value = base64.b64encode(issuer.key.sign(digest_of(root), ec.ECDSA(hashes.SHA256()))).decode()
    names = [each.rfc4514_string() for each in certificate.issuer.rdns]
    for path, stated in (
        ("//ds:X509Certificate", text),
        ("//xades:CertDigest/ds:DigestValue", _hex(text.encode())),
        ("//xades:IssuerSerial/ds:X509IssuerName", ", ".join(reversed(names))),
        ("//xades:IssuerSerial/ds:X509SerialNumber", str(certificate.serial_number)),
        ("//ds:SignatureValue", value),
    ):
        _put(root, path, stated)
    _put(root, _PROPERTIES_DIGEST, _properties_digest(root))
    code = _decoded(_value(root, f"string({_REFERENCE.format('QR')}{_TEXT})"))
    code |= {7: value.encode(), 8: _public(certificate)}
    _put(root, f"{_REFERENCE.format('QR')}{_TEXT.removesuffix('/text()')}", _encoded(code))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _put(root: etree._Element, path: str, text: str) -> None:
    (found,) = root.xpath(path, namespaces=NAMES)
    found.text = text


def _properties_digest(root: etree._Element) -> str:
    (properties,) = root.xpath("//xades:SignedProperties", namespaces=NAMES)
    text = etree.tostring(properties, method="c14n", exclusive=True)
    return _hex(text.replace(b"></ds:DigestMethod>", b"/>"))


def _public(certificate: x509.Certificate) -> bytes:
    return certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _decoded(code: str) -> dict[int, bytes]:
    found, content = {}, base64.b64decode(code)
    while len(content) >= 2:
        found[content[0]] = content[2 : 2 + content[1]]
        content = content[2 + content[1] :]
    return found


def _encoded(values: Mapping[int, bytes]) -> str:
    parts = (bytes((tag, len(value))) + value for tag, value in sorted(values.items()))
    return base64.b64encode(b"".join(parts)).decode()
