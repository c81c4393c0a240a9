"""Key material: PKCS#12 and PEM files, and which certificate signs."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice_peppol import keys
from einvoice_peppol.keys import InvalidKeys
from plugins.peppol.tests import key_files, pki

OURS = pki.leaf(pki.ACCESS_POINTS, "POP000001")
OTHER = pki.leaf(pki.ACCESS_POINTS, "POP000002", number=11)


def load(tmp_path, *contents, password=None):
    paths = []
    for number, content in enumerate(contents):
        paths.append(tmp_path / f"file{number}")
        paths[-1].write_bytes(content)
    return keys.load(paths, password)


@pytest.mark.parametrize("password", ["secret", "pässword", None])
@pytest.mark.parametrize("form", [key_files.as_pkcs12, key_files.as_pem])
def test_key_and_certificate_are_read_from_a_file(tmp_path, form, password):
    """The chain, which authorities deliver with it, is left out."""
    content = form(OURS, password, chain=(pki.ACCESS_POINTS, pki.ROOT))
    found = load(tmp_path, content, password=password)

    assert (found.certificate, found.seat) == (OURS.certificate, "POP000001")
    assert found.key.private_numbers() == OURS.key.private_numbers()


def test_key_and_certificate_may_be_two_files(tmp_path):
    content = key_files.key_pem(OURS), key_files.certificates_pem(pki.ROOT, OURS)

    assert load(tmp_path, *content).certificate == OURS.certificate
    assert load(tmp_path, *reversed(content)).certificate == OURS.certificate


@pytest.mark.parametrize(
    ("contents", "password", "words"),
    [
        ([key_files.as_pkcs12(OURS)], "wrong", "password is wrong or missing"),
        ([key_files.as_pkcs12(OURS)], None, "password is wrong or missing"),
        ([key_files.as_pem(OURS, "secret")], None, "password is wrong or missing"),
        ([key_files.certificates_pem(OURS)], None, "no private key"),
        ([key_files.key_pem(OURS)], None, "password is wrong or missing"),
        ([key_files.key_pem(OURS) + key_files.certificates_pem(OTHER)], None, "no certificate of"),
        ([b"hello"], None, "no PKCS#12 or PEM"),
        ([b""], None, "no PKCS#12 or PEM"),
    ],
)
def test_a_file_without_a_usable_key_is_refused(tmp_path, contents, password, words):
    with pytest.raises(InvalidKeys, match=words) as refused:
        load(tmp_path, *contents, password=password)

    assert "file0" in str(refused.value)
    assert "wrong'" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidKeys, match=r"absent\.p12 cannot be read"):
        keys.load([tmp_path / "absent.p12"], None)


def identity(number, since, until):
    days = {"since": timedelta(days=since), "until": timedelta(days=until)}
    return pki.leaf(pki.ACCESS_POINTS, number=number, **days)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ((-700, 30), (-1, 729), "new"),
        ((-700, 30), (1, 731), "old"),
        ((-700, -1), (-10, 720), "new"),
        ((-700, -1), (1, 731), "old"),
    ],
)
def test_the_certificate_in_date_that_expires_last_signs(old, new, expected):
    """A renewed certificate signs from its first day; without one in date the first is used."""
    pair = {"old": identity(10, *old), "new": identity(11, *new)}

    assert keys.signing([*pair.values()], pki.NOW) == pair[expected]
