"""Certificates of access points and publishers against the anchors of one network."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import broken_certificates
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from throwaway_pki import USAGES, Authority

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice_peppol import trust
from einvoice_peppol.practice.authorities import key_usage
from einvoice_peppol.stages import STAGES
from einvoice_peppol.trust import Anchors, MissingAnchors, Trust, Untrusted
from plugins.peppol.tests import pki
from plugins.peppol.tests.pki import NOW


@pytest.fixture
def of_test():
    return Trust(pki.anchors(pki.ACCESS_POINTS), pki.anchors(pki.SMPS), Environment.TEST)


def test_certificates_of_each_authority_are_trusted_for_its_purpose(of_test):
    of_test.check_access_point(pki.leaf(pki.ACCESS_POINTS).certificate, NOW)
    of_test.check_smp(pki.leaf(pki.SMPS).certificate, NOW)


def test_a_publisher_is_no_access_point_and_an_access_point_no_publisher(of_test):
    """Each purpose has an authority of its own, below the same root."""
    with pytest.raises(Untrusted, match="not issued by an authority for an access point"):
        of_test.check_access_point(pki.leaf(pki.SMPS).certificate, NOW)
    with pytest.raises(Untrusted, match="not issued by an authority for a publisher"):
        of_test.check_smp(pki.leaf(pki.ACCESS_POINTS).certificate, NOW)


def test_an_authority_of_the_same_name_with_another_key_is_refused(of_test):
    """The authority is pinned by its key, not by its name."""
    with pytest.raises(Untrusted, match="not issued"):
        of_test.check_access_point(pki.leaf(pki.FOREIGN).certificate, NOW)


def test_an_authority_that_is_not_below_a_root_of_the_network_is_refused():
    anchors = Anchors((pki.ACCESS_POINTS.certificate,), (pki.FOREIGN_ROOT.certificate,))
    unrooted = Trust(anchors, anchors, Environment.TEST)

    with pytest.raises(Untrusted, match="not below a trusted root"):
        unrooted.check_access_point(pki.leaf(pki.ACCESS_POINTS).certificate, NOW)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (timedelta(days=-30, seconds=-1), "not valid yet"),
        (timedelta(days=-30), None),
        (timedelta(days=300), None),
        (timedelta(days=300, seconds=1), "expired on"),
    ],
)
def test_a_certificate_counts_between_its_dates(of_test, moment, words):
    """Both seconds included (RFC 5280, section 4.1.2.5)."""
    certificate = pki.leaf(pki.ACCESS_POINTS).certificate

    _expect(lambda: of_test.check_access_point(certificate, NOW + moment), words)


def test_a_certificate_expires_though_its_chain_was_verified_before(of_test):
    """What is remembered of a certificate is its chain, not that it is in date."""
    certificate = pki.leaf(pki.ACCESS_POINTS).certificate
    of_test.check_access_point(certificate, NOW)

    with pytest.raises(Untrusted, match="expired"):
        of_test.check_access_point(certificate, NOW + timedelta(days=400))


@pytest.mark.parametrize(("root_days", "authority_days"), [(900, 400), (400, 900)])
def test_a_certificate_of_an_expired_authority_or_root_is_refused(root_days, authority_days):
    """Though its own dates would allow it, and its chain was verified when all were in date."""
    root = Authority("CLOSED ROOT TEST CA", days=root_days)
    authority = Authority("CLOSED ACCESS POINT TEST CA", root, days=authority_days)
    anchors = pki.anchors(authority, root)
    of_test = Trust(anchors, anchors, Environment.TEST)
    certificate = pki.leaf(authority, until=timedelta(days=700)).certificate
    now = clock.now()
    of_test.check_access_point(certificate, now + timedelta(days=390))
    of_test.check_smp(certificate, now + timedelta(days=390))

    for check in (of_test.check_access_point, of_test.check_smp, of_test.check_access_point_at):
        with pytest.raises(Untrusted, match=r"CA.* expired on"):
            check(certificate, now + timedelta(days=410))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"client_auth": False}, "clientAuth"),
        ({"key_encipherment": False}, "key encipherment"),
        ({"ca": True}, "of an authority"),
        ({"bits": 1024}, "RSA of at least 2048"),
    ],
)
def test_a_certificate_for_another_purpose_is_refused(of_test, options, words):
    with pytest.raises(Untrusted, match=words):
        of_test.check_access_point(pki.leaf(pki.ACCESS_POINTS, **options).certificate, NOW)


@pytest.mark.parametrize(
    ("usages", "is_access_point", "is_publisher"),
    [
        (("digital_signature", "key_encipherment"), True, True),
        (("digital_signature",), False, True),
        (("key_encipherment",), False, False),
    ],
    ids=["signatures and keys", "signatures", "keys"],
)
def test_a_key_signs_only_where_its_certificate_says_so(usages, is_access_point, is_publisher):
    """An access point signs and decrypts; a publisher signs."""
    anchors = pki.anchors(pki.ACCESS_POINTS)
    both = Trust(anchors, anchors, Environment.TEST)
    certificate = pki.leaf(pki.ACCESS_POINTS, usages=usages).certificate

    words = "may not be used for signatures"
    _expect(lambda: both.check_access_point(certificate, NOW), None if is_access_point else words)
    _expect(lambda: both.check_smp(certificate, NOW), None if is_publisher else words)


def test_a_certificate_that_is_signed_with_sha_1_is_refused_as_such(of_test):
    """Before its signature is verified, so that the words say what is wrong with it."""
    for issuer, check in (
        (pki.ACCESS_POINTS, of_test.check_access_point),
        (pki.SMPS, of_test.check_smp),
    ):
        sha_1 = dict(broken_certificates.of(pki.leaf(issuer).der))["SHA-1"]

        with pytest.raises(Untrusted, match="not signed with SHA-256"):
            check(x509.load_der_x509_certificate(sha_1), NOW)


def test_what_a_certificate_does_not_say_is_allowed_to_a_publisher_only():
    """Extensions are optional for a publisher; an access point has to have both usages."""
    anchors = pki.anchors(pki.ACCESS_POINTS)
    both = Trust(anchors, anchors, Environment.TEST)
    key = pki.leaf(pki.ACCESS_POINTS).certificate.public_key()
    without = pki.bare(pki.ACCESS_POINTS, key)
    without_purpose = pki.bare(pki.ACCESS_POINTS, key, key_usage(*USAGES))

    both.check_smp(without, NOW)
    _expect(lambda: both.check_access_point(without, NOW), "may not be used for signatures")
    _expect(lambda: both.check_access_point(without_purpose, NOW), "clientAuth")


@pytest.mark.parametrize(
    "key", [ec.generate_private_key(ec.SECP521R1()), ed25519.Ed25519PrivateKey.generate()]
)
def test_a_key_that_is_not_rsa_is_refused(of_test, key):
    """Also one that has no size."""
    with pytest.raises(Untrusted, match="not RSA"):
        of_test.check_smp(pki.bare(pki.SMPS, key.public_key()), NOW)


@pytest.mark.parametrize("stage", Environment)
def test_a_closed_network_names_its_authorities_as_it_likes(stage):
    """The name of an authority tells the network only where it is Peppol's form."""
    closed = Authority("CLOSED ACCESS POINTS", pki.ROOT)
    anchors = pki.anchors(closed)

    Trust(anchors, anchors, stage).check_access_point(pki.leaf(closed).certificate, NOW)


def test_the_certificate_of_an_authority_is_no_publishers(of_test):
    with pytest.raises(Untrusted, match="of an authority"):
        of_test.check_smp(pki.leaf(pki.SMPS, ca=True).certificate, NOW)


def test_the_own_certificate_is_of_this_network_though_it_may_have_expired(of_test):
    """The start of the service refuses another network's; doctor tells what has expired."""
    of_test.check_own(pki.leaf(pki.ACCESS_POINTS, until=timedelta(days=-1)).certificate)

    _expect(lambda: of_test.check_own(pki.leaf(pki.FOREIGN).certificate), "not issued")
    _expect(lambda: of_test.check_own(pki.leaf(pki.SMPS).certificate), "not issued")
    _expect(lambda: of_test.check_own(pki.leaf(pki.LIVE_CA).certificate), "of the production")

    of_test.check_own_smp(pki.leaf(pki.SMPS, until=timedelta(days=-1)).certificate)

    _expect(lambda: of_test.check_own_smp(pki.leaf(pki.ACCESS_POINTS).certificate), "not issued")
    _expect(lambda: of_test.check_own_smp(pki.leaf(pki.LIVE_CA).certificate), "of the production")


def test_verified_chains_are_remembered_up_to_a_bound(of_test, monkeypatch):
    """The certificate that was not used for longest is forgotten."""
    monkeypatch.setattr(trust, "_MAX_KNOWN", 2)
    first, second, third = (
        pki.leaf(pki.ACCESS_POINTS, f"POP00000{number}").certificate for number in (1, 2, 3)
    )
    for certificate in (first, second, first, third):
        of_test.check_access_point(certificate, NOW)

    assert list(of_test._access_point._known) == _digests(first, third)


def test_a_certificate_of_the_test_network_is_refused_on_live_with_words_that_say_so():
    live = Trust(pki.anchors(pki.ACCESS_POINTS), pki.anchors(pki.SMPS), Environment.LIVE)

    with pytest.raises(Untrusted, match="of the test network, and this is the production network"):
        live.check_access_point(pki.leaf(pki.ACCESS_POINTS).certificate, NOW)


def test_a_certificate_of_the_production_network_is_refused_on_test():
    anchors = pki.anchors(pki.LIVE_CA, pki.LIVE_ROOT)
    certificate = pki.leaf(pki.LIVE_CA).certificate

    Trust(anchors, anchors, Environment.LIVE).check_access_point(certificate, NOW)
    with pytest.raises(Untrusted, match="of the production network, and this is the test"):
        Trust(anchors, anchors, Environment.TEST).check_access_point(certificate, NOW)


@pytest.mark.parametrize("stage", Environment)
def test_the_published_authorities_have_the_published_fingerprints(stage):
    """Source: fingerprints of generation G3, OpenPeppol PKI."""
    access_points, smps = trust.published(stage)
    expected = STAGES[stage]

    assert _fingerprints(access_points.issuers) == [expected.access_point_ca]
    assert _fingerprints(smps.issuers) == [expected.smp_ca]
    assert _fingerprints(access_points.roots) == _fingerprints(smps.roots) == [expected.root]


def test_anchors_are_read_from_a_directory(tmp_path):
    """A closed network has authorities of its own."""
    for name, identity in (
        ("access-point", pki.ACCESS_POINTS),
        ("smp", pki.SMPS),
        ("root", pki.ROOT),
    ):
        (tmp_path / f"{name}.pem").write_bytes(identity.certificate.public_bytes(Encoding.PEM))
    closed = Trust(*trust.from_directory(tmp_path), Environment.TEST)

    closed.check_smp(pki.leaf(pki.SMPS).certificate, NOW)


def test_a_directory_without_a_file_of_anchors_is_refused_by_its_name(tmp_path):
    with pytest.raises(MissingAnchors, match=r"access-point\.pem"):
        trust.from_directory(tmp_path)


def test_the_seat_id_is_the_common_name():
    assert trust.seat_id(pki.leaf(pki.SMPS, "POP000077").certificate) == "POP000077"


@pytest.mark.parametrize("names", [(), ("POP000077", "POP000078")])
def test_a_certificate_with_no_common_name_or_several_has_no_seat(names):
    """The first of two would let a certificate speak for a seat that is not its own."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name) for name in names])

    assert trust.seat_id(SimpleNamespace(subject=subject)) == ""


def _fingerprints(certificates):
    return [each.fingerprint(hashes.SHA256()).hex() for each in certificates]


def _digests(*certificates):
    return [each.fingerprint(hashes.SHA256()) for each in certificates]


def _expect(function, words):
    if words is None:
        function()
        return
    with pytest.raises(Untrusted, match=words):
        function()
