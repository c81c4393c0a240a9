"""Recorded messages and answers: our own of an earlier version, and those of phase4 and Oxalis.

tests/interop/peppol/record.py recorded them (vectors/foreign). EINVOICE_AS4_VECTORS names another
folder of exchanges as raw HTTP, with index.json and the receiver's key in pki/.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from as4_samples import anyone, only
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from einvoice import xml
from einvoice_peppol import sbdh
from einvoice_peppol.as4 import answers, incoming, signals, verification
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.identity import Identity

OWN = Path(__file__).with_name("vectors")
FOREIGN = Path(os.environ.get("EINVOICE_AS4_VECTORS") or OWN / "foreign")
MAX_BYTES = 20 * 1024 * 1024


def identity(folder: Path, name: str) -> Identity:
    key = load_pem_private_key((folder / f"{name}.key").read_bytes(), None)
    return Identity(certificate(folder, name), key)


def certificate(folder: Path, name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / f"{name}.pem").read_bytes())


# -- our own ---------------------------------------------------------------------------------------


def test_a_message_of_an_earlier_version_is_opened():
    content_type = (OWN / "message.type").read_text()
    received = incoming.received(content_type, (OWN / "message.bin").read_bytes())
    found = incoming.opened(received, [identity(OWN, "c3")], anyone, max_bytes=MAX_BYTES)

    assert b"VECTOR-1" in found.payload
    assert found.signer == certificate(OWN, "c2")


def test_a_receipt_of_an_earlier_version_is_verified():
    """Against the digests of its message."""
    content_type = (OWN / "message.type").read_text()
    soap = incoming.received(content_type, (OWN / "message.bin").read_bytes()).soap
    sent = verification.verified(soap, anyone).references
    answer = answers.read((OWN / "receipt.xml").read_bytes())

    answers.verify_receipt(answer, soap.message_id, sent, only(identity(OWN, "c3")))


# -- those of others -------------------------------------------------------------------------------


def exchanges() -> list[dict]:
    return json.loads((FOREIGN / "index.json").read_text())


def http(name: str) -> tuple[str, dict[str, str], bytes]:
    """First line, headers and body of a raw message, decompressed."""
    head, _, body = (FOREIGN / name).read_bytes().partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {key.strip().lower(): value.strip() for key, _, value in pairs}
    return first, headers, gzip.decompress(body) if "content-encoding" in headers else body


def received(name: str) -> incoming.Received:
    _, headers, body = http(f"{name}.request")
    return incoming.received(headers["content-type"], body)


def of_another(name: str) -> bool:
    """Whether the message is meant for another receiver than c3."""
    return name == "wrong-receiver"


@pytest.mark.parametrize("name", [one["name"] for one in exchanges()])
def test_a_message_of_foreign_software_is_opened_and_answered(name):
    """Its envelope is valid, and our receipt repeats all of its references."""
    own, given = identity(FOREIGN / "pki", "c3"), received(name)
    if of_another(name):
        with pytest.raises(Refused):
            incoming.opened(given, [own], anyone, max_bytes=MAX_BYTES)
        return
    found = incoming.opened(given, [own], anyone, max_bytes=MAX_BYTES)
    envelope = sbdh.read(found.payload, max_bytes=MAX_BYTES)
    info = signals.Info("s-1@test", "2026-11-22T12:00:00.000Z", found.message.message_id)
    answer = answers.read(signals.receipt(info, found.references, own))

    assert envelope.header.receiver == found.message.receiver
    answers.verify_receipt(answer, found.message.message_id, found.references, only(own))


@pytest.mark.parametrize("name", [one["name"] for one in exchanges()])
def test_an_answer_of_foreign_software_is_understood(name):
    """A receipt confirms the recorded message; an error belongs to it."""
    soap = received(name).soap
    _, _, body = http(f"{name}.response")
    answer = answers.read(body)
    assert answer is not None
    assert answer.in_reply_to == soap.message_id
    assert bool(answer.errors) is not answer.has_receipt
    if answer.has_receipt:
        sent = verification.verified(soap, anyone).references
        receiver = identity(FOREIGN / "pki", "c3")
        answers.verify_receipt(answer, soap.message_id, sent, only(receiver))


@pytest.mark.parametrize("name", [one["name"] for one in exchanges()])
def test_a_signature_is_right_whatever_was_parsed_after_the_message(name, monkeypatch):
    """Oxalis signs with a PrefixList, of which lxml knows the prefixes of the newest dictionary."""
    monkeypatch.setattr(xml, "_DICTIONARY_BYTES", 0)
    soap = received(name).soap
    xml.parse(b"<another/>")

    assert verification.verified(soap, anyone).references


def test_an_unsigned_error_with_status_500_is_understood():
    """Oxalis refuses a foreign signer so."""
    found = [http(f"{one['name']}.response") for one in exchanges()]
    (body,) = [body for first, _, body in found if " 500 " in first]

    assert b"SignatureValue" not in body
    assert [error.code for error in answers.read(body).errors] == ["EBMS:0009"]
