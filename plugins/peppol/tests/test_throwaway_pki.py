"""The throw-away PKI has the shape on which the other tests rely."""

from __future__ import annotations

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature


@pytest.mark.parametrize("leaf", ["c2", "c3", "other", "expired", "revoked", "not_yet_valid"])
def test_an_access_point_is_issued_by_its_own_authority(pki, leaf):
    """Signature and names form a chain to the authority, and from there to the root."""
    getattr(pki, leaf).certificate.verify_directly_issued_by(pki.access_points.certificate)
    pki.access_points.certificate.verify_directly_issued_by(pki.root.certificate)


def test_a_foreign_certificate_differs_in_the_signature_only(pki):
    """Names are the same, so a check of names alone would take it."""
    foreign = pki.foreign.certificate

    assert foreign.subject == pki.c2.certificate.subject
    assert foreign.issuer == pki.c2.certificate.issuer
    with pytest.raises(InvalidSignature):
        foreign.verify_directly_issued_by(pki.access_points.certificate)


def test_the_revocation_list_names_one_certificate(pki):
    revoked = x509.load_der_x509_crl(pki.revocation_list)

    assert [one.serial_number for one in revoked] == [pki.revoked.certificate.serial_number]
    assert revoked.is_signature_valid(pki.access_points.certificate.public_key())


def test_the_two_networks_have_different_authorities(pki, live_pki):
    assert pki.root.subject != live_pki.root.subject
    assert pki.smp.certificate.issuer != pki.c2.certificate.issuer
