"""Foreign senders and our receiver: phase4 4.4.1 and Oxalis-AS4 7.2.0-RC3."""

from __future__ import annotations

import gzip

import pytest
from as4_server import FixedDirectory, network, serving

from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE, ParticipantId
from einvoice.network import samples
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import Busy, KeptDocument, NotServiced, Settled
from einvoice_peppol import mls, sending
from einvoice_peppol.receiving import Receiver
from tests.interop.peppol import documents, foreign

pytestmark = pytest.mark.interop

UNSERVED, FAILING = ParticipantId("0208", "0000000097"), ParticipantId("0208", "0000000098")
BUSY = ParticipantId("0208", "0000000099")


class Inbox(MemoryInbox):
    """Takes documents but for three receivers, and keeps statuses in `evidence`."""

    def __init__(self):
        super().__init__()
        self.evidence = []

    def deliver_inbound(self, inbound):
        if inbound.receiver == UNSERVED:
            return NotServiced("no such participant")
        if inbound.receiver == FAILING:
            raise OSError("the disk is full")
        if inbound.receiver == BUSY and not self.arrived:
            self.arrived.append(inbound)
            return Busy(1.0)
        return super().deliver_inbound(inbound)

    def kept_document(self, access_point, reference):
        return KeptDocument(documents.BUYER, BIS_INVOICE, BIS_BILLING_PROCESS, ())

    def deliver_evidence(self, access_point, reference, evidence):
        self.evidence.append((reference, evidence[0].content))
        return Settled("txn_1", changed=False)

    @property
    def stored(self):
        return list(self._first.values())


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def url(identity, trusted, inbox):
    directory = FixedDirectory("http://127.0.0.1:9/as4", identity("c2"))
    own = network(identity("c3"), trusted=trusted, directory=directory)
    with serving(Receiver(own, inbox).answer) as server:
        yield server.url


class Phase4:
    """Documents by phase4, which makes the envelope."""

    name = "phase4"

    def __init__(self, folder):
        self._java = foreign.java("phase4", "Phase4Sender", folder)

    def __enter__(self):
        self._sender = foreign.Sender(self._java.__enter__())
        return self

    def __exit__(self, *fault):
        self._java.__exit__(*fault)

    def send(self, file, envelope, **values):
        file.write_bytes(envelope.document)
        given = {"doc": file, "sender": envelope.sender, "receiver": envelope.receiver}
        return self._sender.send(**given, instance=envelope.instance_id, **values)

    def load(self, file, **values):
        file.write_bytes(samples.envelope().document)
        return self._sender.send(doc=file, receiver=documents.BUYER, **values)


class Oxalis:
    """Whole envelopes by Oxalis, which has one key in a process."""

    name = "oxalis"

    def __init__(self, folder):
        self._folder, self._running = folder, {}

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        for java, _ in self._running.values():
            java.__exit__(*fault)

    def send(self, file, envelope, key="c2", **values):
        prepared = sending.prepared(envelope, "POP000001")
        file.write_bytes(gzip.decompress(prepared.content))
        return self._sender(key).send(doc=file, **values)

    def load(self, file, **values):
        envelope = samples.envelope(**documents.of_kind("invoice"))
        return self.send(file, envelope, instance=envelope.instance_id, **values)

    def _sender(self, key):
        if key not in self._running:
            java = foreign.java("oxalis", "OxalisSender", self._folder, key)
            self._running[key] = java, foreign.Sender(java.__enter__())
        return self._running[key][1]


@pytest.fixture(scope="module", params=[Phase4, Oxalis], ids=["phase4", "oxalis"])
def sender(request, folder):
    with request.param(folder) as running:
        yield running


@pytest.fixture
def sent(sender, url, tmp_path):
    """A function that lets the foreign sender send a document to us; what it says."""

    def _sent(kind="invoice", *, fields=None, **values):
        envelope = samples.envelope(**documents.of_kind(kind) | (fields or {}))
        return sender.send(tmp_path / "document.xml", envelope, url=url, **values)

    return _sent


@pytest.mark.parametrize("kind", [each for each in documents.KINDS if "status" not in each])
def test_a_document_is_stored(sent, inbox, kind):
    """And the sender takes our receipt."""
    assert sent(kind) == "SUCCESS"
    (stored,) = inbox.stored
    expected = samples.envelope(**documents.of_kind(kind))
    assert (stored.sender, stored.receiver) == (documents.SELLER, documents.BUYER)
    assert (stored.document_type, stored.process) == (expected.document_type, expected.process)


def test_a_message_level_status_is_evidence_of_the_document_that_it_names(sent, inbox):
    assert sent("message level status", fields=documents.status("instance-9")) == "SUCCESS"
    ((reference, content),) = inbox.evidence

    assert reference == "instance-9"
    assert mls.read(content).code == mls.REJECTED


def test_an_uncompressed_document_is_stored(sender, sent, inbox):
    if sender.name == "oxalis":
        pytest.skip("Oxalis always compresses")
    assert sent(plain="yes") == "SUCCESS"
    assert len(inbox.stored) == 1


def test_a_document_of_five_megabytes_is_stored(sent, inbox):
    assert sent(fields={"document": documents.of_size(5_000_000)}) == "SUCCESS"
    assert len(inbox.stored[0].document) > 5_000_000


def test_a_document_of_more_than_a_hundred_megabytes_is_refused(sent, inbox):
    """It is small on the wire: the limit holds for what is decompressed."""
    said = sent(fields={"document": documents.of_size(100 << 20)})

    assert "the payload has more than 104857600 bytes" in said, said
    assert inbox.arrived == []


def test_a_repeated_message_is_stored_once(sent, inbox):
    """With the same receipt."""
    envelope = documents.of_kind("invoice") | {
        "instance_id": "0d1f6f3c-2b8e-4f0e-9d4a-1c2f3a4b5c6d"
    }
    said = [sent(fields=envelope, message="m-1@foreign") for _ in range(2)]

    assert said == ["SUCCESS", "SUCCESS"]
    assert (len(inbox.arrived), len(inbox.stored)) == (2, 1)


@pytest.mark.parametrize("key", ["foreign", "expired", "revoked", "smp_as_access_point"])
def test_a_certificate_that_is_not_trusted_is_refused(sender, sent, inbox, key):
    """The error is unsigned for one that is not trusted, and Oxalis does not read those."""
    said = sent(key=key)

    assert ("EBMS:0101" if sender.name == "phase4" else "Soap Body is not SIGNED") in said, said
    assert inbox.arrived == []


def test_a_message_for_another_access_point_is_refused(sent, inbox):
    """The signer is trusted, so the error is signed, and both read it."""
    said = sent(to="other")

    assert "To/PartyId is not the seat of this access point" in said, said
    assert inbox.arrived == []


def test_the_sender_reads_that_a_participant_is_not_served(sent):
    assert "PEPPOL:NOT_SERVICED" in sent(fields={"receiver": UNSERVED})


def test_without_a_place_to_store_it_there_is_no_receipt(sent, inbox):
    said = sent(fields={"receiver": FAILING})

    assert "SUCCESS" not in said, said
    assert inbox.stored == []


def test_a_document_that_cannot_be_stored_now_is_stored_when_it_is_sent_again(sent, inbox):
    envelope = documents.of_kind("invoice") | {
        "receiver": BUSY, "instance_id": "0d1f6f3c-2b8e-4f0e-9d4a-1c2f3a4b5c6e",
    }  # fmt: skip
    first, second = (sent(fields=envelope, message="m-2@foreign") for _ in range(2))

    assert second == "SUCCESS", (first, second)
    assert len(inbox.stored) == 1


def test_two_hundred_messages_of_eight_threads_are_stored(sender, url, inbox, tmp_path):
    said = sender.load(tmp_path / "document.xml", url=url, count=200, threads=8)

    assert said.startswith("200 of 200 "), said
    assert len(inbox.stored) == 200
