"""The stand-in for KSeF as a foreign client uses it, and encryption both ways.

Not part of `make test`: `make ksef-interop` makes the environment, then runs this.
"""

from __future__ import annotations

import base64
import json
import secrets

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice import clock
from einvoice_ksef import evidence
from einvoice_ksef.encryption import SessionKey, digest_of
from tests.interop.ksef import foreign
from tests.networks import ksef
from tests.networks.ksef import judging, keys, queries, samples, sessions
from tests.networks.ksef.authority import Authority

pytestmark = pytest.mark.interop


# A member of packages that ksef-client needs, and the interface 2.7.0 does not have.
NEWER = {"compressionType": "Zip"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What ksef-client has read, with the faults of the exchanges and the invoice that it sent."""
    authority = Authority()
    folder = tmp_path_factory.mktemp("journey")
    foreign.write_identity(folder, *samples.seal_of())
    invoice = samples.fa3("K/1")
    (folder / "single.xml").write_bytes(invoice)
    for number in (1, 2):
        (folder / f"batch-{number}.xml").write_bytes(samples.fa3(f"K/B{number}"))
    with ksef.running(authority) as service, pytest.MonkeyPatch.context() as patched:
        package = queries._package
        patched.setattr(queries, "_package", lambda *given: package(*given) | NEWER)
        token = authority.issue_token(samples.SELLER)
        given = {"url": service.url, "token": token, "nip": samples.SELLER}
        (folder / "given.json").write_text(json.dumps(given))
        read = foreign.read_from("journey.py", folder)
        kept = [each for each in service.exchanges if "exports/{" not in each.name]
        faults = judging.faults(kept) if judging.DOCUMENT.exists() else []
    return read | {"faults": faults, "invoice": invoice}


def test_it_logs_in_by_signature_and_by_token(found):
    assert (found["by signature"], found["by token"]) == (2, 2)  # points of a JWT


def test_it_sends_and_reads_the_status_and_the_upo(found):
    single = found["single"]
    upo = evidence.checked(base64.b64decode(single["upo"]), None)

    assert (single["code"], single["number is right"], single["session code"]) == (200, True, 200)
    assert upo.confirms(digest_of(found["invoice"]))
    assert [each.ksef_number for each in upo.invoices] == [single["number"]]
    assert single["session upo"] > 1000


def test_it_reads_the_original_of_a_duplicate(found):
    single = found["single"]

    assert single["duplicate"] == {
        "originalKsefNumber": single["number"],
        "originalSessionReferenceNumber": single["session"],
    }


def test_it_sends_a_batch_lists_and_exports(found):
    names, count = found["exported"]

    assert found["batch"] == [200, 2]
    assert sorted(found["listed"]) == ["K/1", "K/B1", "K/B2"]
    assert (len(names), count) == (3, 3)


def test_its_requests_and_the_answers_keep_the_published_interface(found):
    assert found["faults"] == []


def test_each_side_decrypts_what_the_other_one_encrypts(tmp_path):
    invoice = samples.fa3("K/2")
    ours = SessionKey(secrets.token_bytes(32), secrets.token_bytes(16))
    certificate = keys.certificate(keys.private_key(1), "KSeF", clock.now())
    files = {
        "invoice.xml": invoice,
        "certificate.pem": certificate.public_bytes(Encoding.PEM),
        "key.bin": ours.key,
        "vector.bin": ours.vector,
        "ours.bin": ours.encrypted(invoice),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    read = foreign.read_from("crypto.py", tmp_path)

    assert base64.b64decode(read["decrypted"]) == invoice
    theirs, encryption = read["theirs"], read["encryption"]
    wrapped = base64.b64decode(encryption["encryptedSymmetricKey"])
    key = keys.private_key(1).decrypt(wrapped, keys.OAEP)
    vector = base64.b64decode(encryption["initializationVector"])
    content = base64.b64decode(theirs["encryptedInvoiceContent"])
    assert SessionKey(key, vector).decrypted(content) == invoice
    assert sessions.decrypted(content, key, vector) == invoice
    assert (theirs["invoiceHash"], theirs["invoiceSize"]) == (digest_of(invoice), len(invoice))
    assert theirs["encryptedInvoiceHash"] == digest_of(content)
    assert len(content) == len(ours.encrypted(invoice))
