"""Offline certificates, and QR code II as the guide of the ministry wants it."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from einvoice import clock
from einvoice.network.connections import NeedsPerson, Works
from einvoice_ksef import offline
from einvoice_ksef.identity import Identity
from plugins.ksef.tests import company
from plugins.ksef.tests.company import decoded, verify
from tests.networks.ksef import samples

HOST, NIP, SERIAL = "qr-test.ksef.mf.gov.pl", "1111111111", "01F20A5D352AE590"
DIGEST = "UtQp9Gpc51y-u3xApZjIjgkpZ01js-J8KflSPW8WzIE"
# The examples of kody-qr.md.
SIGNED = f"{HOST}/certificate/Nip/{NIP}/{NIP}/{SERIAL}/{DIGEST}"
SIGNATURE_CHARACTERS = 342  # of RSA with 2,048 bits
KEYS = {
    "rsa": lambda: rsa.generate_private_key(65537, 2048),
    "p-256": lambda: ec.generate_private_key(ec.SECP256R1()),
}


def test_the_signed_text_is_that_of_the_guide():
    assert offline.signed_path(HOST, ("Nip", NIP), NIP, SERIAL, DIGEST) == SIGNED


def test_the_serial_number_is_written_as_in_the_guide():
    _, certificate = company.offline_certificate()

    assert offline.serial_of(certificate) == SERIAL


@pytest.mark.parametrize("kind", KEYS)
def test_the_link_is_that_of_the_guide_with_a_signature_of_the_certificate(kind):
    key, certificate = company.offline_certificate(KEYS[kind]())
    identity = Identity(certificate, key)
    url = offline.certificate_url(HOST, ("Nip", NIP), NIP, identity, DIGEST)
    path, _, signature = url.removeprefix("https://").rpartition("/")

    assert path == SIGNED
    assert "=" not in signature
    assert kind != "rsa" or len(signature) == SIGNATURE_CHARACTERS
    verify(certificate.public_key(), path.encode(), decoded(signature))
    with pytest.raises(InvalidSignature):
        verify(certificate.public_key(), b"https://" + path.encode(), decoded(signature))


# -- what a tenant gives ---------------------------------------------------------------------------


def opened(point, authority, **given):
    token = {"token": authority.issue_token(company.SELLER)}
    return point.open(company.new_connection(token | given))


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("files", [company.in_pem, company.in_pkcs12])
def test_an_offline_certificate_is_taken_beside_the_way_of_logging_in(
    point, authority, kind, files
):
    given = company.offline_credentials(KEYS[kind](), files)

    assert isinstance(opened(point, authority, **given), Works)


def test_a_person_s_certificate_is_taken(point, authority):
    """KSeF knows the rights of the person for the company (guide, example 2)."""
    given = company.offline_credentials(person="PNOPL-97082102345")

    assert isinstance(opened(point, authority, **given), Works)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: company.offline_credentials(until=clock.now() - timedelta(days=1)),
            "The Offline certificate is valid from",
        ),
        (
            lambda: company.offline_credentials(nip=company.BUYER),
            f"The Offline certificate is that of the NIP {company.BUYER}.",
        ),
        (
            lambda: company.offline_credentials(ec.generate_private_key(ec.SECP384R1())),
            "The Offline certificate has another curve than P-256.",
        ),
        (
            lambda: {"offlineCertificate": base64.b64encode(b"?").decode()},
            "Offline certificate: The certificate is neither PEM nor PKCS#12",
        ),
        (lambda: {"offlineUse": "always"}, "Give the Offline certificate, too."),
        (
            lambda: company.offline_credentials(use="never"),
            "“Issue offline” is 'always', 'needed' or empty.",
        ),
    ],
)
def test_an_offline_certificate_that_cannot_be_used_is_refused(point, authority, make, words):
    outcome = opened(point, authority, **make())

    assert isinstance(outcome, NeedsPerson)
    assert words in outcome.reason


@pytest.mark.parametrize("kind", ["Authentication", None])
def test_a_certificate_of_another_type_is_refused(point, authority, kind):
    """One for logging in, or one that says nothing about its use."""
    made = samples.ksef_certificate(kind) if kind else samples.seal_of(company.SELLER)
    given = company.in_pem(*made)
    renamed = {"offlineCertificate": given["certificate"], "offlineKey": given["key"]}
    outcome = opened(point, authority, **renamed)

    assert isinstance(outcome, NeedsPerson)
    assert "not of the type Offline" in outcome.reason


def test_a_connection_works_on_after_its_offline_certificate_has_ended(point, authority, move):
    """It is only not used any more."""
    given = company.offline_credentials(until=clock.now() + timedelta(minutes=5))
    connection = company.connected(point, {"token": authority.issue_token(company.SELLER)} | given)
    bound, one = company.bound(point, connection), company.envelope()
    before = bound.prepare(one).state
    move(minutes=6)

    assert before
    assert bound.prepare(one).state == {}
    assert isinstance(point.check(connection), Works)
