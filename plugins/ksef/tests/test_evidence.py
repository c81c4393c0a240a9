"""A UPO is evidence if its digest and its signature are right, and is kept as it is."""

from __future__ import annotations

import shutil
import subprocess
from datetime import timedelta

import pytest
from lxml import etree

from einvoice import clock
from einvoice_ksef import evidence, seal
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.evidence import NotEvidence
from plugins.ksef.tests import company, official
from tests.networks.ksef import samples, storage, xades
from tests.networks.ksef.client import Client


@pytest.fixture
def upo(service):
    """The UPO of an invoice."""
    client = Client(service).sign_in()
    status = client.sent(client.opened(), samples.fa3("A/1"))
    service.exchanges.clear()
    return client.call("GET", status["upoDownloadUrl"], token="").content


@official.needed
def test_the_official_samples_are_read():
    """They are not signed, so none of them is evidence."""
    files = sorted((official.FOLDER / "upo-samples").rglob("*.xml"))
    assert len(files) == 6
    for file in files:
        content = file.read_bytes()
        found = evidence.read(content)

        assert len(found.invoices) == (2 if "sesja" in file.name else 1), file.name
        assert found.context[0] in ("Nip", "IdWewnetrzny", "IdZlozonyVatUE")
        assert all(each.ksef_number[:10] == each.seller for each in found.invoices)
        with pytest.raises(NotEvidence, match="0 signatures"):
            evidence.checked(content, digest_of(content))


def test_a_sealed_upo_says_what_was_sent(upo):
    found = evidence.checked(upo, digest_of(upo))
    (invoice,) = found.invoices

    assert (invoice.number, invoice.mode, invoice.seller) == ("A/1", "Offline", company.SELLER)
    assert found.context == ("Nip", company.SELLER)
    assert abs((invoice.numbered_at - clock.now()).total_seconds()) < 60
    assert found.confirms(invoice.digest)
    assert not found.confirms(digest_of(b""))


def test_a_wrong_digest_is_a_fault(upo):
    with pytest.raises(NotEvidence, match="digest is not the one"):
        evidence.checked(upo, digest_of(upo + b" "))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"A/1<", b"A/2<"),
        (b"Z</xades:SigningTime>", b"</xades:SigningTime>"),
        (b"<ds:DigestValue>", b"<ds:DigestValue>AAAA"),
        (b"<ds:SignatureValue>", b"<ds:SignatureValue>AAAA"),
        (b"rsa-sha256", b"hmac-sha1"),
        (b"rsa-sha256", b"rsa-sha512"),
        (b"xmlenc#sha256", b"xmldsig#sha1"),
        (b'URI=""', b'URI="other.xml"'),
        (b"xmldsig#enveloped-signature", b"xmldsig#base64"),
        (b"<ds:X509Certificate>", b"<ds:X509Certificate>AAAA"),
        (b"<xades:CertDigest>", b"<xades:CertDigest><a/>"),
        (b"Potwierdzenie", b"Zaprzeczenie"),
        (b"<NumerKSeFDokumentu>", b"<!DOCTYPE a><NumerKSeFDokumentu>"),
    ],
)
def test_a_changed_upo_is_a_fault(upo, old, new):
    changed = upo.replace(old, new)
    assert changed != upo

    with pytest.raises(NotEvidence):
        evidence.checked(changed, digest_of(changed))


def test_a_second_signature_is_a_fault(upo):
    root = etree.fromstring(upo)
    key, certificate = samples.seal_of()
    twice = xades.sealed(root, key, certificate, clock.now())

    with pytest.raises(NotEvidence, match="2 signatures"):
        evidence.checked(twice, None)


def test_a_signature_of_another_part_is_a_fault(upo):
    """The document that was signed stands inside of another one."""
    signed = upo.partition(b"?>")[2]
    wrapped = b'<Potwierdzenie xmlns="' + evidence.NAMESPACE.encode() + b'">' + signed
    wrapped += b"</Potwierdzenie>"

    with pytest.raises(NotEvidence, match="digest of the document"):
        evidence.checked(wrapped, None)


def test_an_elliptic_key_seals_too():
    root = etree.fromstring(b'<a xmlns="urn:a"><b>1</b></a>')
    key, certificate = samples.seal_of(key=samples.elliptic_key())
    sealed = xades.sealed(root, key, certificate, clock.now())

    assert seal.verify(etree.fromstring(sealed)) == certificate
    with pytest.raises(seal.NotSealed):
        seal.verify(etree.fromstring(sealed.replace(b"<b>1", b"<b>2")))


@pytest.mark.skipif(shutil.which("xmlsec1") is None, reason="xmlsec1 is not installed")
def test_xmlsec1_verifies_the_same_seal(upo, tmp_path):
    (tmp_path / "upo.xml").write_bytes(upo)
    properties = f"{seal.XADES}:SignedProperties"
    command = ["xmlsec1", "--verify", "--insecure", "--id-attr:Id", properties, "upo.xml"]
    run = lambda: subprocess.run(command, cwd=tmp_path, capture_output=True)  # noqa: E731

    assert run().returncode == 0, run().stderr
    (tmp_path / "upo.xml").write_bytes(upo.replace(b"A/1<", b"A/2<"))
    assert run().returncode != 0


def _of_another(root):
    root.find(".//{*}SkrotDokumentu").text = digest_of(b"another")
    return root


@pytest.mark.parametrize("wrong", ["signature", "document"])
def test_a_upo_that_is_not_trusted_is_fetched_again(bound, authority, monkeypatch, wrong):
    """The invoice is delivered; its UPO comes later."""
    real, one = xades.sealed, company.envelope()
    changed = {
        "signature": lambda *given: real(*given).replace(b"Offline", b"Online"),
        "document": lambda root, *given: real(_of_another(root), *given),
    }
    monkeypatch.setattr(xades, "sealed", changed[wrong])
    outcome = company.sent(bound, one)

    assert [each.kind.code for each in outcome.evidence] == ["AUTHORITY_DOCUMENT"]
    assert outcome.follow_up is not None
    monkeypatch.undo()
    for session in authority.sessions.values():
        for invoice in session.invoices:
            invoice.upo = None
    later = bound.poll(one, outcome.follow_up)
    assert "AUTHORITY_RECEIPT" in [each.kind.code for each in later.evidence]


@pytest.mark.parametrize("way", ["expired", "redirected", "digest"])
def test_a_upo_whose_link_does_not_work_is_fetched_by_its_number(
    bound, authority, service, monkeypatch, way
):
    """A redirect is not followed; a file with another digest is not taken."""
    one, evil = company.envelope(), f"{service.url}/elsewhere"
    if way == "expired":
        monkeypatch.setattr(storage, "LIFE", timedelta(0))
    elif way == "redirected":
        authority.storage.moved_to = evil
    else:
        monkeypatch.setattr(storage, "digest", lambda content: digest_of(b"another"))
    outcome = company.sent(bound, one)

    assert [each.kind.code for each in outcome.evidence] == ["AUTHORITY_DOCUMENT"]
    later = bound.poll(one, outcome.follow_up)
    assert "AUTHORITY_RECEIPT" in [each.kind.code for each in later.evidence]
    assert not any("elsewhere" in each.request.path for each in service.exchanges)


def test_signers_that_are_set_are_the_only_ones(upo, authority):
    other = samples.seal_of()[1]

    assert evidence.checked(upo, None, [other, authority.seal])
    with pytest.raises(NotEvidence, match="not an accepted signer"):
        evidence.checked(upo, None, [other])


def test_a_certificate_of_an_issuer_that_is_set_is_accepted():
    issuer, (key, certificate) = samples.issued_seal()
    sealed = xades.sealed(etree.fromstring(b'<a xmlns="urn:a"/>'), key, certificate, clock.now())

    assert seal.verify(etree.fromstring(sealed), [issuer]) == certificate
    with pytest.raises(seal.NotSealed, match="not an accepted signer"):
        seal.verify(etree.fromstring(sealed), [samples.seal_of()[1]])


def test_a_upo_of_another_signer_is_not_stored(service, authority):
    point = company.point_at(service.url)
    point.api.signers = (samples.seal_of()[1],)
    connection = company.connected(point, {"token": authority.issue_token(company.SELLER)})
    outcome = company.sent(company.bound(point, connection), company.envelope())

    assert [each.kind.code for each in outcome.evidence] == ["AUTHORITY_DOCUMENT"]
