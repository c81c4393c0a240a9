"""The seal is checked as other software checks it."""

from __future__ import annotations

import io
import shutil
import subprocess
import tracemalloc
import zipfile

import pytest

from einvoice_anaf import signature
from einvoice_anaf.sealed import NotAFile, NotSealed, errors_in, opened
from tests.networks.anaf import seal, texts

DOCUMENT = b"<Invoice>\r\n  <ID>1</ID>\n</Invoice>"


@pytest.fixture(scope="module")
def signer():
    return seal.ministry()


def test_the_parts_of_a_file_are_the_document_and_its_seal(signer):
    file = opened(signer.archive("12", DOCUMENT))

    file.verify([signer.certificate])
    assert file.document == DOCUMENT


@pytest.mark.skipif(shutil.which("xmlsec1") is None, reason="xmlsec1 is not installed")
def test_xmlsec1_verifies_the_same_seal(signer, tmp_path):
    file = opened(signer.archive("12", DOCUMENT))
    (tmp_path / "12.xml").write_bytes(file.document)
    (tmp_path / "seal.xml").write_bytes(file.seal)
    (tmp_path / "signer.pem").write_bytes(signer.pem())
    command = ["xmlsec1", "--verify", "--trusted-pem", "signer.pem", "seal.xml"]
    run = lambda: subprocess.run(command, cwd=tmp_path, capture_output=True)  # noqa: E731

    assert run().returncode == 0, run().stderr
    (tmp_path / "12.xml").write_bytes(DOCUMENT + b" ")
    assert run().returncode != 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<DigestValue>", b"<DigestValue>AA"),
        (b"<SignatureValue>", b"<SignatureValue>AAAA"),
        (b"rsa-sha256", b"hmac-sha1"),
        (b"xmlenc#sha256", b"xmldsig#sha1"),
        (b"REC-xml-c14n-20010315", b"other"),
        (b"<X509Certificate>", b"<X509Certificate>AAAA"),
        (b"KeyInfo", b"Info"),
        (b"<Signature ", b"<Other "),
        (b'URI="12.xml"', b'URI="13.xml"'),
    ],
)
def test_a_changed_seal_is_refused(signer, old, new):
    made = signer.signature("12.xml", DOCUMENT)
    changed = made.replace(old, new)
    assert changed != made

    with pytest.raises(NotSealed):
        signature.verify(DOCUMENT, changed, [signer.certificate])


def test_a_changed_document_is_refused(signer):
    with pytest.raises(NotSealed, match="changed"):
        signature.verify(DOCUMENT + b" ", signer.signature("12.xml", DOCUMENT), [])


def test_without_known_signers_any_certificate_is_taken(signer):
    signature.verify(DOCUMENT, signer.signature("12.xml", DOCUMENT), [])
    other = seal.Signer("another").certificate
    with pytest.raises(NotSealed, match="not a signer"):
        signature.verify(DOCUMENT, signer.signature("12.xml", DOCUMENT), [other])


@pytest.mark.parametrize("content", [b"", b'{"eroare": "x"}', b"PK\x03\x04", seal.zipped({})])
def test_what_is_no_such_archive_is_refused(content):
    with pytest.raises(NotAFile):
        opened(content)


def test_a_gigabyte_in_an_archive_is_not_read(signer):
    """An entry is read up to the largest upload, whatever its header says."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("semnatura_12.xml", signer.signature("12.xml", DOCUMENT))
        with file.open("12.xml", "w", force_zip64=True) as entry:
            for _ in range(1024):
                entry.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(NotAFile, match="more than"):
            opened(archive.getvalue())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 64 << 20


def test_errors_have_the_id_of_their_rule_apart_from_the_text():
    named = ["x [BR-CO-09]-The", "eroare: R_CUI_1 gresit", "Altceva",
             texts.DUPLICATE.format(77, "2026-01-20")]  # fmt: skip
    found = list(errors_in(texts.error_file("1", "2", named)))

    assert [each.rule for each in found] == ["BR-CO-09", "R_CUI_1", "", ""]
    assert [each.earlier_index for each in found] == [None, None, None, "77"]


def test_an_invoice_has_no_errors():
    assert list(errors_in(DOCUMENT)) == []
