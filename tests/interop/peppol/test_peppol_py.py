"""peppol-py 1.2.5 as sender, our receiver: MIME parts in base64 and 7-bit, an indented header."""

from __future__ import annotations

import pytest
from as4_server import FixedDirectory, network, serving

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import NotServiced
from einvoice_peppol.receiving import Receiver
from tests.interop.peppol import documents, foreign

pytestmark = pytest.mark.interop

UNSERVED = ParticipantId("0208", "0000000097")


class Inbox(MemoryInbox):
    def deliver_inbound(self, inbound):
        if inbound.receiver == UNSERVED:
            return NotServiced("no such participant")
        return super().deliver_inbound(inbound)


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def sent(identity, trusted, inbox, folder, tmp_path):
    """A function that lets peppol-py send a document of a kind to us; what it says."""

    def _sent(kind="invoice", key="c2", receiver=documents.BUYER):
        envelope = samples.envelope(**documents.of_kind(kind))
        (tmp_path / "document.xml").write_bytes(envelope.document)
        directory = FixedDirectory("http://127.0.0.1:9/as4", identity("c2"))
        own = network(identity("c3"), trusted=trusted, directory=directory)
        with serving(Receiver(own, inbox).answer) as server:
            parties = (str(envelope.sender), str(receiver))
            return foreign.by_peppol_py(
                folder, key, server.url, tmp_path / "document.xml", *parties
            )

    return _sent


@pytest.mark.parametrize("kind", [each for each in documents.KINDS if "status" not in each])
def test_a_document_is_stored(sent, inbox, kind):
    assert sent(kind) == "SUCCESS"
    (stored,) = inbox.arrived
    expected = samples.envelope(**documents.of_kind(kind))
    assert (stored.sender, stored.receiver) == (documents.SELLER, documents.BUYER)
    assert (stored.document_type, stored.process) == (expected.document_type, expected.process)


@pytest.mark.parametrize("key", ["foreign", "expired", "revoked", "smp_as_access_point"])
def test_a_certificate_that_is_not_trusted_is_refused(sent, inbox, key):
    """It shows the words of the error, which say why."""
    said = sent(key=key)
    words = {"expired": "expired on", "revoked": "is revoked"}.get(key, "not issued by")

    assert said.startswith("FAILURE Endpoint error"), said
    assert words in said
    assert inbox.arrived == []


def test_the_sender_reads_that_a_participant_is_not_served(sent):
    assert "PEPPOL:NOT_SERVICED" in sent(receiver=UNSERVED)
