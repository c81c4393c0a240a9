"""Certificates of access points and publishers against the anchors of one network."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from throwaway_pki import Authority

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice_peppol import trust
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
    ("days", "words"), [(-31, "not valid yet"), (301, "expired on"), (-29, None), (299, None)]
)
def test_a_certificate_counts_between_its_dates(of_test, days, words):
    certificate = pki.leaf(pki.ACCESS_POINTS).certificate

    _expect(lambda: of_test.check_access_point(certificate, NOW + timedelta(days=days)), words)


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


def _fingerprints(certificates):
    return [each.fingerprint(hashes.SHA256()).hex() for each in certificates]


def _expect(function, words):
    if words is None:
        function()
        return
    with pytest.raises(Untrusted, match=words):
        function()
