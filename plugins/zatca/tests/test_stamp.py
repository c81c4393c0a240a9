"""Hashes, signatures and QR codes are those of the published samples."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives import serialization
from lxml import etree

from einvoice.xml import parse
from einvoice_zatca import qr
from einvoice_zatca.digests import FIRST_HASH, invoice_hash
from einvoice_zatca.identity import Identity, UnusableIdentity, key_of, key_text, new_key
from einvoice_zatca.names import CAC, CBC, EXT
from einvoice_zatca.qr import Tag
from einvoice_zatca.stamp import Place, stamped
from einvoice_zatca.verification import verify
from plugins.zatca.tests import official

MOMENT = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
SAMPLE = "samples/3.4.6/Simplified/Invoice/Simplified_Invoice.xml"
# What an older SDK wrote otherwise: a moment with a Z, and (of two prepayments) other totals.
OLD_FORM = {"qr-1", "qr-2", "qr-3", "qr-4", "qr-5", "issuer"}


def sdk_identity():
    key = serialization.load_pem_private_key(official.key_pem(), None)
    return Identity.of(key, official.certificate_text())


def unstamped(document):
    """A published document without its stamp."""
    root = parse(document)
    for path in (f"{EXT}UBLExtensions", f"{CAC}Signature"):
        root.remove(root.find(path))
    for reference in root.findall(f"{CAC}AdditionalDocumentReference"):
        if reference.findtext(f"{CBC}ID") == "QR":
            root.remove(reference)
    return etree.tostring(root)


def test_every_value_of_the_published_samples_is_computed_as_published():
    """45 documents without a fault; of the older ones exactly the named values differ."""
    differing = {}
    for row in official.table("crypto.csv"):
        checked = verify((official.there() / row["file"]).read_bytes())
        expected = {
            name
            for name, column in (
                ("hash", "hash_equals_declared"),
                ("signature", "signature_verifies"),
                ("qr-6", "qr6_equals_hash"),
                ("qr-7", "qr7_equals_signature"),
                ("qr-8", "qr8_equals_key"),
                ("qr-9", "qr9_equals_ca_signature"),
                ("certificate-digest", "cert_digest"),
            )
            if row[column] == "False"
        }
        found = set(checked.faults) - {"signed-properties"}
        old = OLD_FORM if row["file"].startswith("sdk") else set()
        if (found - old, checked.hash) != (expected, row["invoice_hash"]):
            differing[row["file"]] = found

    assert differing == {}


def test_the_first_hash_is_the_published_one():
    published = (official.there() / "sdk-R3.2.7/PIH/pih.txt").read_text().strip()

    assert published == FIRST_HASH


def test_a_document_stamped_with_the_key_of_the_sdk_has_the_hash_of_the_sample():
    original = (official.there() / SAMPLE).read_bytes()
    place = Place("8e6000cf-1a98-4174-b3e7-b5d5954bc10d", 10, FIRST_HASH)
    made = stamped(unstamped_in_place(original), place, sdk_identity(), MOMENT)

    assert made.hash == verify(original).hash
    assert verify(made.content).faults == ()


def unstamped_in_place(document):
    """The sample without its stamp, with the white space that its hash includes."""
    root = parse(document)
    invoice_hash(root)  # leaves out what a stamp adds, and keeps the rest
    return etree.tostring(root)


@pytest.mark.parametrize("version", ["2.3.8", "3.4.6"])
def test_every_sample_stamped_again_verifies(version):
    faults = {}
    for number, path in enumerate(official.samples(version), 1):
        place = Place(f"00000000-0000-4000-8000-{number:012}", number, FIRST_HASH)
        made = stamped(unstamped(path.read_bytes()), place, sdk_identity(), MOMENT)
        checked = verify(made.content)
        if checked.faults or (checked.counter, checked.hash) != (str(number), made.hash):
            faults[path.name] = checked

    assert faults == {}


CHANGES = {
    "a total": (b"<cbc:PayableAmount", b"<cbc:PayableAmount x='1'", {"hash", "signature", "qr-6"}),
    "the seller": (b"Maximum Speed", b"Maximum Spead", {"hash", "signature", "qr-1", "qr-6"}),
    "the time of signing": (b"2026-11-24T12:00:00", b"2026-11-24T12:00:01", {"signed-properties"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_after_stamping_is_found(change):
    before, after, expected = CHANGES[change]
    source = unstamped((official.there() / SAMPLE).read_bytes())
    made = stamped(source, Place("u", 1, FIRST_HASH), sdk_identity(), MOMENT)

    assert before in made.content
    assert set(verify(made.content.replace(before, after)).faults) == expected


def test_a_seller_of_255_bytes_has_a_code_and_one_of_256_is_refused():
    arabic = "ش" * 127 + "a"  # 255 bytes

    assert qr.decoded(qr.encoded({Tag.SELLER: arabic.encode()})) == {Tag.SELLER: arabic.encode()}
    with pytest.raises(ValueError, match="256 bytes"):
        qr.encoded({Tag.SELLER: ("ش" * 128).encode()})


@pytest.mark.parametrize("code", ["%", base64.b64encode(b"\x01\x09ab").decode(), "Yw==", "YwA="])
def test_a_text_that_is_no_code_is_refused(code):
    with pytest.raises(qr.UnreadableCode):
        qr.decoded(code)


def test_a_stored_key_is_read_again_and_a_certificate_of_another_key_refused():
    key = new_key()

    assert key_text(key_of(key_text(key))) == key_text(key)
    with pytest.raises(UnusableIdentity):
        Identity.of(key, official.certificate_text())
    with pytest.raises(UnusableIdentity):
        key_of("AAAA")
