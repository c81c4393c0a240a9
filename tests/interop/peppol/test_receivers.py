"""Our sender and foreign receivers: phase4 4.4.1 and Oxalis-AS4 7.2.0-RC3.

`make peppol-interop` compiles them and runs this folder.
"""

from __future__ import annotations

import pytest
from as4_server import FixedDirectory, network

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.testing import prepared_exchange
from einvoice.network.types import Delivered, NotSent, Pending, Rejected
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.identity import Identity
from einvoice_peppol.smp_documents import Endpoint
from plugins.peppol.tests import smp_servers
from tests.interop.peppol import documents, foreign

pytestmark = pytest.mark.interop

UNSERVED, FAILING = ParticipantId("0208", "0000000097"), ParticipantId("0208", "0000000098")


@pytest.fixture(scope="module", params=foreign.RECEIVERS)
def receiver(request, folder):
    """The name and the address of a foreign receiver."""
    with foreign.receiver(request.param, folder) as url:
        yield request.param, url


@pytest.fixture
def sender(identity, trusted):
    """A function that makes our access point: with whose key, for whom, encrypting for whom."""

    def _sender(url, own, certificate):
        directory = FixedDirectory(url, identity("c3"))
        directory.stranger = None
        directory.found = Endpoint(url, certificate)
        return Peppol(network(own, trusted=trusted, directory=directory))

    return _sender


@pytest.fixture
def submitted(receiver, sender, identity, pki):
    """A function that submits a document: as whom, to whose certificate, and the times."""

    def _submitted(key="c2", to="c3", times=1, **changes):
        peppol = sender(receiver[1], identity(key), getattr(pki, to).certificate)
        exchange = prepared_exchange(peppol, samples.envelope(**changes))
        return [peppol.submit(*exchange) for _ in range(times)][-1]

    return _submitted


@pytest.mark.parametrize("kind", documents.KINDS)
def test_a_document_is_delivered(submitted, kind):
    """With a receipt that confirms its digests."""
    outcome = submitted(**documents.of_kind(kind))

    assert isinstance(outcome, Delivered), outcome
    assert outcome.evidence


def test_a_document_of_five_megabytes_is_delivered(submitted):
    assert isinstance(submitted(document=documents.of_size(5_000_000)), Delivered)


def test_a_repeat_is_never_a_failure(submitted, receiver):
    """phase4 reports a duplicate, and Oxalis acknowledges it again."""
    expected = Pending if receiver[0] == "phase4" else Delivered

    assert type(submitted(times=2)) is expected


@pytest.mark.parametrize("key", ["foreign", "expired", "smp_as_access_point"])
def test_a_signer_that_is_not_trusted_is_refused(submitted, key):
    outcome = submitted(key=key)

    assert isinstance(outcome, Rejected), outcome
    assert outcome.code in {"EBMS:0101", "EBMS:0102", "EBMS:0009"}


@pytest.mark.parametrize("part", foreign.RECEIVERS)
def test_a_revoked_signer_is_refused(part, pki, sender, tmp_path):
    """By the list at the address in its certificate; one that is not on the list is taken."""
    foreign.write_pki(pki, tmp_path)
    with smp_servers.serving() as lists:
        address = f"{lists.url}/access-points.crl"
        revoked, good = (pki.access_points.leaf(f"POP00002{n}", crl=address) for n in (1, 2))
        lists.put("/access-points.crl", pki.access_points.crl(revoked.certificate))
        with foreign.receiver(part, tmp_path, crl="yes") as url:
            signers = [Identity(leaf.certificate, leaf.key) for leaf in (revoked, good)]
            outcomes = [_one(sender(url, signer, pki.c3.certificate)) for signer in signers]

    assert isinstance(outcomes[0], Rejected | NotSent), outcomes  # phase4: EBMS:0004
    assert isinstance(outcomes[1], Delivered), outcomes


def _one(peppol):
    return peppol.submit(*prepared_exchange(peppol, samples.envelope()))


def test_a_message_for_another_certificate_is_refused(submitted):
    assert isinstance(submitted(to="other"), Rejected)


@pytest.mark.parametrize(
    ("participant", "kind", "words"),
    [(UNSERVED, Rejected, "NOT_SERVICED"), (FAILING, NotSent, "the handler failed")],
)
def test_a_refusal_of_the_handler_has_its_words(submitted, participant, kind, words):
    """EBMS:0004 in general words may be of a backend that is away: it is repeated."""
    outcome = submitted(receiver=participant)

    assert isinstance(outcome, kind)
    assert words in outcome.reason


def test_two_hundred_messages_are_delivered_over_eight_connections(receiver, sender, identity, pki):
    peppol = sender(receiver[1], identity("c2"), pki.c3.certificate)
    outcomes = []
    for _ in range(4):
        batch = [prepared_exchange(peppol, samples.envelope()) for _ in range(50)]
        outcomes += peppol.submit_many(batch)

    assert {type(outcome) for outcome in outcomes} == {Delivered}
