"""Receipts as proofs: `einvoice peppol verify`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from as4_samples import INFO, sent
from as4_server import network
from click.testing import CliRunner
from throwaway_pki import DAY, NOW

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice_peppol import commands, proofs
from einvoice_peppol.as4 import signals
from einvoice_peppol.as4.answers import InvalidReceipt
from einvoice_peppol.identity import Identity

NOW_INFO = replace(INFO, timestamp=clock.timestamp(NOW))


@pytest.fixture
def receipt(c2, c3):
    return signals.receipt(NOW_INFO, sent(c2, c3).references, c3)


@pytest.fixture
def verify(c2, trusted, tmp_path):
    """A function that runs the command on a file."""

    def _verify(content):
        path = tmp_path / "receipt.xml"
        path.write_bytes(content)
        group = commands.group({"peppol-test": network(c2, trusted=trusted)}, None)
        return CliRunner().invoke(group, ["verify", str(path)])

    return _verify


def test_a_receipt_says_what_it_proves(verify, receipt):
    result = verify(receipt)

    assert result.exit_code == 0
    for words in (INFO.in_reply_to, "CN=POP000002", "peppol-test", "cid:p-1@test", "good"):
        assert words in result.output


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"m-1@test", b"m-2@test"), (b"p-1@test", b"p-2@test"), (b"<eb:Receipt>", b"<eb:Receipt >x")],
)
def test_a_changed_receipt_proves_nothing(verify, receipt, old, new):
    assert old in receipt
    result = verify(receipt.replace(old, new))

    assert result.exit_code == 1
    assert "not valid" in result.output


def test_a_receipt_by_a_foreign_signer_proves_nothing(verify, c2, c3, pki):
    foreign = Identity(pki.foreign.certificate, pki.foreign.key)
    result = verify(signals.receipt(NOW_INFO, sent(c2, c3).references, foreign))

    assert result.exit_code == 1
    assert "is not trusted" in result.output


@pytest.mark.parametrize("content", [b"", b"<a/>", b"\x00"])
def test_what_is_no_receipt_is_refused(verify, content):
    assert verify(content).exit_code == 1


def test_the_certificate_is_checked_by_the_time_of_the_receipt(c2, c3, pki, trusted):
    """It expired since, or was not valid yet when the receipt claims to have been made."""
    expired = Identity(pki.expired.certificate, pki.expired.key)
    references = sent(c2, c3).references

    def made(moment):
        return signals.receipt(
            replace(INFO, timestamp=clock.timestamp(moment)), references, expired
        )

    assert proofs.read(made(NOW - 2 * DAY), [trusted]).network is Environment.TEST
    with pytest.raises(InvalidReceipt, match="expired"):
        proofs.read(made(NOW), [trusted])


def test_without_a_configured_network_the_published_authorities_count(receipt):
    """Which did not issue the certificates of the tests."""
    with pytest.raises(InvalidReceipt, match="not issued by an authority"):
        proofs.read(receipt, proofs.published())


@pytest.mark.parametrize("text", ["", "yesterday", "2026-11-22T12:00:00"])
def test_a_receipt_must_say_when_it_was_made(c2, c3, trusted, text):
    content = signals.receipt(replace(INFO, timestamp=text), sent(c2, c3).references, c3)

    with pytest.raises(InvalidReceipt):
        proofs.read(content, [trusted])
