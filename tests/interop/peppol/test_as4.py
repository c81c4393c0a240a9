"""AS4 with foreign software: phase4 4.4.1 and Oxalis-AS4 7.2.0-RC3, each as receiver and as sender.

`make peppol-interop` compiles them and runs this file.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from as4_server import FixedDirectory, network, serving
from throwaway_pki import Pki

from einvoice.domain.identifiers import BIS_CREDIT_NOTE, ParticipantId
from einvoice.network import samples
from einvoice.network.testing import MemoryInbox, prepared_exchange
from einvoice.network.types import Delivered, NotServiced, Pending, Rejected
from einvoice_peppol import sending
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.identity import Identity
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.revocation import RevocationLists, given_lists
from einvoice_peppol.smp_documents import Endpoint
from einvoice_peppol.trust import Anchors, Trust
from tests.interop.peppol import foreign

pytestmark = pytest.mark.interop

PARTS = ("phase4", "oxalis")
UNSERVED, FAILING = ParticipantId("0208", "0000000097"), ParticipantId("0208", "0000000098")


@pytest.fixture(scope="module")
def pki():
    return Pki("TEST")


@pytest.fixture(scope="module")
def folder(pki, tmp_path_factory):
    made = tmp_path_factory.mktemp("pki")
    foreign.write_pki(pki, made)
    return made


@pytest.fixture(scope="module")
def trusted(pki):
    roots = (pki.root.certificate,)
    lists = RevocationLists(given=given_lists([pki.revocation_list]))
    issuers = [Anchors((one.certificate,), roots) for one in (pki.access_points, pki.publishers)]
    return Trust(*issuers, samples.Environment.TEST, lists)


def identity(pki, name) -> Identity:
    leaf = getattr(pki, name)
    return Identity(leaf.certificate, leaf.key)


# -- ours sends ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=PARTS)
def receiver(request, folder):
    """The name and the address of a foreign receiver."""
    with foreign.receiver(request.param, folder) as url:
        yield request.param, url


@pytest.fixture
def submitted(receiver, pki, trusted):
    """A function that submits a sample: as whom, to whose certificate, and the times."""

    def _submitted(key="c2", to="c3", times=1, **changes):
        directory = FixedDirectory(receiver[1], identity(pki, "c3"))
        directory.stranger = None
        directory.found = Endpoint(receiver[1], getattr(pki, to).certificate)
        peppol = Peppol(network(identity(pki, key), trusted=trusted, directory=directory))
        exchange = prepared_exchange(peppol, samples.envelope(**changes))
        return [peppol.submit(*exchange) for _ in range(times)][-1]

    return _submitted


@pytest.mark.parametrize("kind", ["invoice", "credit note"])
def test_a_document_is_delivered(submitted, kind):
    """With a receipt that confirms its digests."""
    changes = {} if kind == "invoice" else as_credit_note()
    outcome = submitted(**changes)

    assert isinstance(outcome, Delivered), outcome
    assert outcome.evidence


def as_credit_note():
    document = samples.envelope().document.replace(b"Invoice", b"CreditNote")
    return {"document_type": BIS_CREDIT_NOTE, "document": document}


def test_a_document_of_five_megabytes_is_delivered(submitted):
    filler = b"<!--" + b"0123456789 " * 500_000 + b"--></Invoice>"
    document = samples.envelope().document.replace(b"</Invoice>", filler)

    assert isinstance(submitted(document=document), Delivered)


def test_a_repeat_is_never_a_failure(submitted, receiver):
    """phase4 reports a duplicate, and Oxalis acknowledges it again."""
    expected = Pending if receiver[0] == "phase4" else Delivered

    assert type(submitted(times=2)) is expected


@pytest.mark.parametrize("key", ["foreign", "expired", "smp_as_access_point"])
def test_a_signer_that_is_not_trusted_is_refused(submitted, key):
    outcome = submitted(key=key)

    assert isinstance(outcome, Rejected), outcome
    assert outcome.code in {"EBMS:0101", "EBMS:0102", "EBMS:0009"}


def test_a_message_for_another_certificate_is_refused(submitted):
    assert isinstance(submitted(to="other"), Rejected)


@pytest.mark.parametrize("participant", [UNSERVED, FAILING])
def test_a_refusal_of_the_handler_has_its_words(submitted, receiver, participant):
    if receiver[0] == "oxalis":
        pytest.skip("Oxalis takes every participant")
    outcome = submitted(receiver=participant)
    words = "NOT_SERVICED" if participant == UNSERVED else "the handler failed"

    assert isinstance(outcome, Rejected)
    assert words in outcome.reason


def test_two_hundred_messages_are_delivered_over_eight_connections(receiver, pki, trusted):
    directory = FixedDirectory(receiver[1], identity(pki, "c3"))
    peppol = Peppol(network(identity(pki, "c2"), trusted=trusted, directory=directory))
    outcomes = []
    for _ in range(4):
        batch = [prepared_exchange(peppol, samples.envelope()) for _ in range(50)]
        outcomes += peppol.submit_many(batch)

    assert {type(outcome) for outcome in outcomes} == {Delivered}


# -- ours receives ---------------------------------------------------------------------------------


class Inbox(MemoryInbox):
    def deliver_inbound(self, inbound):
        if inbound.receiver == UNSERVED:
            return NotServiced("no such participant")
        return super().deliver_inbound(inbound)


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def url(pki, trusted, inbox):
    own = network(identity(pki, "c3"), trusted=trusted)
    with serving(Receiver(own, inbox).answer) as server:
        yield server.url


@pytest.fixture(scope="module")
def phase4(folder):
    with foreign.java("phase4", "Phase4Sender", folder) as process:
        yield foreign.Sender(process)


@pytest.fixture
def by_phase4(phase4, url, tmp_path):
    """A function that lets phase4 send a document; what it says."""

    def _by_phase4(document=None, **values):
        file = tmp_path / "document.xml"
        file.write_bytes(document or samples.envelope().document)
        given = {"url": url, "doc": str(file), "receiver": "0208:0123456749"} | values
        return phase4.send("\t".join(f"{name}={value}" for name, value in given.items()))

    return _by_phase4


@pytest.mark.parametrize("values", [{}, {"plain": "yes"}], ids=["compressed", "uncompressed"])
def test_a_document_of_phase4_is_stored(by_phase4, inbox, values):
    """And phase4 takes our receipt."""
    assert by_phase4(**values) == "SUCCESS"
    assert inbox.arrived[0].sender == ParticipantId("0208", "0848934496")


def test_a_large_document_of_phase4_is_stored(by_phase4, inbox):
    document = samples.envelope().document.replace(b"Sample service", b"0123456789 " * 500_000)

    assert by_phase4(document) == "SUCCESS"
    assert len(inbox.arrived[0].document) > 5_000_000


def test_a_repeated_message_of_phase4_is_stored_once(by_phase4, inbox):
    same = {"message": "m-1@phase4", "instance": "instance-1"}

    assert [by_phase4(**same), by_phase4(**same)] == ["SUCCESS", "SUCCESS"]
    assert len(inbox._first) == 1


@pytest.mark.parametrize("key", ["foreign", "expired", "revoked", "smp_as_access_point"])
def test_phase4_with_a_certificate_that_is_not_trusted_is_refused(by_phase4, inbox, key):
    said = by_phase4(key=key)

    assert said.startswith("AS4_ERROR_MESSAGE_RECEIVED EBMS:0101"), said
    assert inbox.arrived == []


def test_phase4_sends_to_another_access_point(by_phase4):
    assert "EBMS:0003" in by_phase4(to="other")


def test_phase4_reads_that_a_participant_is_not_served(by_phase4):
    assert "EBMS:0004 PEPPOL:NOT_SERVICED" in by_phase4(receiver=str(UNSERVED))


@pytest.mark.parametrize(("key", "succeeds"), [("c2", True), ("foreign", False)])
def test_an_envelope_of_oxalis(folder, url, inbox, tmp_path, key, succeeds):
    """Sent in chunks, without a length; an untrusted one is refused."""
    prepared = sending.prepared(samples.envelope(), "POP000001")
    envelope: Path = tmp_path / "envelope.xml"
    envelope.write_bytes(gzip.decompress(prepared.content))
    with foreign.java("oxalis", "OxalisSender", folder, key) as process:
        said = foreign.Sender(process).send(f"{url}\t{envelope}")

    assert (said == "SUCCESS") is succeeds, said
    assert len(inbox.arrived) == int(succeeds)
