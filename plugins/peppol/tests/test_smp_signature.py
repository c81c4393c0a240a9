"""Signatures of SMP documents: made by the JDK, by xmlsec1 and by this test, and broken ones."""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.xml import NotXml
from einvoice_peppol import smp_signature
from einvoice_peppol.smp_signature import DSIG, InvalidSignatureOfDocument, verified
from einvoice_peppol.trust import Trust, Untrusted, seat_id
from plugins.peppol.tests import pki, smp_servers
from plugins.peppol.tests.as4_samples import anyone

VECTORS = Path(__file__).parent / "vectors" / "smp"
PARTICIPANT = ParticipantId("0208", "0123456749")
SIGNER = pki.leaf(pki.SMPS, "POP000010")
BODY = smp_servers.information(PARTICIPANT)
MAX = 1 << 20


def good():
    return smp_servers.signed(BODY, SIGNER)


@pytest.mark.parametrize("name", ["invoice", "wildcard", "redirect", "foreign-endpoint"])
def test_a_document_signed_by_the_jdk_is_verified(name):
    """Java writes an unprefixed Signature, whose canonical form lxml gets wrong in place."""
    root, signer = verified((VECTORS / f"{name}.xml").read_bytes(), MAX, anyone)

    assert seat_id(signer) == "POP000010"
    assert root.tag.endswith("SignedServiceMetadata")
    assert not [*root.iter(f"{{{DSIG}}}Signature")]


@pytest.mark.parametrize("name", ["invoice", "wildcard", "redirect"])
def test_a_changed_document_of_the_jdk_is_refused(name):
    content = (VECTORS / f"{name}.xml").read_bytes()

    with pytest.raises(InvalidSignatureOfDocument, match="changed"):
        verified(content.replace(b"example.org", b"example.net"), MAX, anyone)


def xmlsec1(tmp_path, content, *options):
    if shutil.which("xmlsec1") is None:
        pytest.skip("xmlsec1 is not installed (Debian: xmlsec1)")
    path = tmp_path / "document.xml"
    path.write_bytes(content)
    command = ["xmlsec1", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=False)


def test_xmlsec1_agrees_on_a_signature_that_is_accepted(tmp_path):
    certificate = tmp_path / "signer.pem"
    certificate.write_bytes(SIGNER.certificate.public_bytes(Encoding.PEM))
    verify = ["--verify", "--pubkey-cert-pem", str(certificate)]
    verified(good(), MAX, anyone)

    assert xmlsec1(tmp_path, good(), *verify).returncode == 0
    changed = good().replace(b"0123456749", b"0123456750")
    assert xmlsec1(tmp_path, changed, *verify).returncode != 0


TEMPLATE = (
    b'<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>'
    b'<ds:CanonicalizationMethod Algorithm="CANONICAL"/><ds:SignatureMethod '
    b'Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="">'
    b'<ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"'
    b'/><ds:Transform Algorithm="CANONICAL"/></ds:Transforms><ds:DigestMethod '
    b'Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue/></ds:Reference>'
    b"</ds:SignedInfo><ds:SignatureValue/><ds:KeyInfo><ds:X509Data/></ds:KeyInfo></ds:Signature>"
)


@pytest.mark.parametrize(
    "canonical",
    ["http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2001/10/xml-exc-c14n#"],
)
def test_a_document_signed_by_xmlsec1_is_verified(tmp_path, canonical):
    """Prefixed, with spaces and comments, and with inclusive and exclusive canonical form."""
    key = tmp_path / "key.pem"
    key.write_bytes(
        SIGNER.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    )
    certificate = tmp_path / "certificate.pem"
    certificate.write_bytes(SIGNER.certificate.public_bytes(Encoding.PEM))
    document = (
        f'<s:SignedServiceMetadata xmlns:s="{smp_servers.SMP}" xmlns="urn:other">\n <!-- c -->\n'
        f' <s:ServiceMetadata a="1"><x/>t</s:ServiceMetadata>\n '
    ).encode()
    document += TEMPLATE.replace(b"CANONICAL", canonical.encode())
    document += b"\n</s:SignedServiceMetadata>"
    made = tmp_path / "signed.xml"
    pair = f"{key},{certificate}"
    sign = ["--sign", "--privkey-pem", pair, "--output", str(made)]

    assert xmlsec1(tmp_path, document, *sign).returncode == 0
    root, signer = verified(made.read_bytes(), MAX, anyone)
    assert seat_id(signer) == "POP000010"
    assert len(root) == 1


def change(before, after):
    return lambda content: content.replace(before, after, 1)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda c: c[: c.index(b"<Signature ")] + b"</SignedServiceMetadata>", "not signed"),
        (change(b"0123456749", b"0123456750"), "changed after it was signed"),
        (change(b'URI=""', b'URI="#a"'), "none of its certificates"),
        (change(b"<SignatureValue>", b"<SignatureValue>AAAA"), "none of its certificates"),
        (change(b"<SignatureValue>", b"<SignatureValue>*"), "not base64"),
        (change(b"<X509Certificate>", b"<X509Certificate>AAAA"), "cannot be read"),
        (change(b"#rsa-sha256", b"#rsa-sha1"), "not accepted"),
        (change(b"xml-c14n-20010315", b"xml-c14n-20010315#WithComments"), "not accepted"),
        (change(b"<Reference ", b"<Reference/><Reference "), "none of its certificates"),
        (change(b"<X509Data>", b"<X509Data/><X509Data>"), None),
    ],
)
def test_a_damaged_document_is_refused(damage, words):
    if words is None:
        verified(damage(good()), MAX, anyone)
        return
    with pytest.raises(InvalidSignatureOfDocument, match=words):
        verified(damage(good()), MAX, anyone)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"uri": "#a"}, "whole document"),
        ({"digest": "http://www.w3.org/2000/09/xmldsig#sha1"}, "not accepted"),
        ({"algorithm": "http://www.w3.org/2000/09/xmldsig#rsa-sha1"}, "not accepted"),
    ],
)
def test_another_form_of_signature_is_refused(options, words):
    with pytest.raises(InvalidSignatureOfDocument, match=words):
        verified(smp_servers.signed(BODY, SIGNER, **options), MAX, anyone)


def test_a_signature_of_another_key_is_refused():
    """The certificate shown is another one than that of the key which signed."""
    other = pki.leaf(pki.SMPS, "POP000011", number=11)
    impostor = pki.Leaf(SIGNER.certificate, other.key)

    with pytest.raises(InvalidSignatureOfDocument, match="none of its certificates"):
        verified(smp_servers.signed(BODY, impostor), MAX, anyone)


def test_a_signed_document_inside_of_another_one_is_refused():
    """Signature wrapping: the signature is valid, but not over the document that would be read."""
    wrapped = b"<Other>" + good() + b"</Other>"

    with pytest.raises(InvalidSignatureOfDocument, match="below the root"):
        verified(wrapped, MAX, anyone)


def test_a_signer_that_is_not_trusted_is_refused_before_anything_is_canonicalised(monkeypatch):
    """Canonical XML costs more than a certificate's chain."""

    def nobody(certificate):
        raise Untrusted("not issued by an authority for a publisher")

    monkeypatch.setattr(smp_signature.c14n, "canonical", None)
    with pytest.raises(Untrusted, match="not issued"):
        verified(good(), MAX, nobody)


def test_the_certificate_of_an_authority_may_stand_before_that_of_the_signer():
    """It is not trusted as that of a publisher, and does not count."""
    authority = base64.b64encode(pki.SMPS.certificate.public_bytes(Encoding.DER))
    content = good().replace(
        b"<X509Certificate>",
        b"<X509Certificate>" + authority + b"</X509Certificate><X509Certificate>",
    )
    trust = Trust(pki.anchors(pki.ACCESS_POINTS), pki.anchors(pki.SMPS), Environment.TEST)
    _, signer = verified(content, MAX, lambda each: trust.check_smp(each, pki.NOW))

    assert signer == SIGNER.certificate


def test_signed_info_is_bounded():
    flooded = good().replace(b"</SignedInfo>", b"<a/>" * 5000 + b"</SignedInfo>")

    with pytest.raises(InvalidSignatureOfDocument, match="SignedInfo has more than"):
        verified(flooded, MAX, anyone)


def test_two_signatures_are_refused():
    content = good()
    start, end = content.index(b"<Signature "), content.index(b"</SignedServiceMetadata>")

    with pytest.raises(InvalidSignatureOfDocument, match="only one"):
        verified(content[:end] + content[start:end] + content[end:], MAX, anyone)


@pytest.mark.parametrize("content", [b"", b"<html><p></html>", b"<!DOCTYPE a><a/>", b" " * MAX])
def test_what_is_not_xml_is_refused(content):
    with pytest.raises(NotXml):
        verified(content, MAX, anyone)


def test_a_document_cut_at_any_place_is_refused():
    content = good()
    for length in range(0, len(content), 97):
        with pytest.raises((NotXml, InvalidSignatureOfDocument)):
            verified(content[:length], MAX, anyone)
