"""The tax authority behind foreign access points: they take our reports, and phase4 sends the
authority's answer.

What is judged is the stand-in's book; who receives and signs is phase4 or Oxalis.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from as4_server import FixedDirectory, network, serving

from einvoice.documents.tax_data import TaxAuthority
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.sent_documents import SentOutcome
from einvoice.network.testing import MemoryInbox, prepared_exchange
from einvoice.network.types import Delivered, KeptDocument, Pending, Rejected, Settled
from einvoice_peppol import mls
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.practice.tax_authority import faults_of
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.smp_documents import Endpoint
from einvoice_peppol.tax_authorities import TAX_PROCESS, TAX_TYPES, Authority
from tests.interop.peppol import documents, foreign
from tests.interop.peppol.test_senders import Phase4
from tests.rules import samples as written
from tests.rules.pint_samples import PINT_AE, PINT_OM

pytestmark = pytest.mark.interop

SEAT = documents.C3_PROVIDER
PARTIES = {
    "AE": ("0235:1987654321", "0235:1345678901", PINT_AE),
    "OM": ("0248:1987654321", "0248:1345678901", PINT_OM),
    "SK": ("0245:2020317068", "0245:2020317069", written.GOOD),
}


def report(peppol, country):
    """The envelope of the report of a delivered document."""
    sender, receiver, document = PARTIES[country]
    about = samples.envelope(
        sender=ParticipantId.parse(sender), receiver=ParticipantId.parse(receiver),
        sender_country=country, receiver_country=country, document=document.encode(),
        accepted_at=datetime(2026, 11, 20, tzinfo=UTC),
    )  # fmt: skip
    outcome = SentOutcome(
        "peppol-test", about, submitted=True, delivered=True, means=DeliveredMeans.RECEIVER,
        at=datetime(2026, 11, 20, tzinfo=UTC),
    )  # fmt: skip
    (made,) = peppol.sent_outcome(outcome)
    return samples.envelope(
        sender=made.sender, receiver=made.receiver, document=made.document,
        sender_country=made.sender_country, receiver_country=country,
        document_type=made.document_type, process=made.process,
    )  # fmt: skip


@pytest.fixture
def reporting(identity, trusted):
    """A function that makes our access point, which reports to an authority at this address."""

    def _reporting(url):
        directory = FixedDirectory(url, identity("c3"))
        directory.found = Endpoint(url, identity("c3").certificate)
        own = network(identity("c2"), trusted=trusted, directory=directory)
        named = TaxAuthority("SK-FD")
        authorities = {
            each: Authority(each, SEAT, date(2026, 1, 1), named if each == "SK" else None)
            for each in PARTIES
        }
        return Peppol(replace(own, authorities=authorities))

    return _reporting


@pytest.mark.parametrize("part", foreign.RECEIVERS)
def test_a_foreign_access_point_takes_the_reports_of_every_country(part, folder, reporting):
    """Its receipt is verified, and the report is open until the authority answers."""
    with foreign.receiver(part, folder) as url:
        peppol = reporting(url)
        for country in PARTIES:
            sent = report(peppol, country)
            assert faults_of(sent.document) == []
            outcome = peppol.submit(*prepared_exchange(peppol, sent))
            assert isinstance(outcome, Pending), (country, outcome)
            assert outcome.reference == sent.instance_id
            assert outcome.evidence


class Inbox(MemoryInbox):
    """Has sent a report, and keeps what settles it."""

    def __init__(self):
        super().__init__()
        self.settled = []

    def kept_document(self, access_point, reference):
        return KeptDocument(SEAT, TAX_TYPES["AE"], TAX_PROCESS, ())

    def settle(self, access_point, reference, outcome):
        self.settled.append((reference, outcome))
        return Settled("msg_1", changed=True)


ANSWERS = {mls.ACCEPTED: Delivered, mls.REJECTED: Rejected}


def test_the_answer_that_phase4_sends_settles_the_report(folder, identity, trusted, tmp_path):
    """phase4 has the certificate of the authority here, and our side is the provider that asks."""
    inbox = Inbox()
    directory = FixedDirectory("http://127.0.0.1:9/as4", identity("c2"))
    own = network(identity("c3"), trusted=trusted, directory=directory)
    with serving(Receiver(own, inbox).answer) as server, Phase4(folder) as phase4:
        for code in ANSWERS:
            refused = (mls.Issue(mls.RULE, "ibr-tdd-35: the tax total", "/TaxData[1]"),)
            status = mls.Mls(
                f"s-{code}", datetime.now(UTC), documents.C2_PROVIDER, documents.C3_PROVIDER, code,
                f"report-{code}", "1 fault" if code == mls.REJECTED else None,
                refused if code == mls.REJECTED else (),
            )  # fmt: skip
            about = documents.status() | {"document": mls.write(status)}
            said = phase4.send(tmp_path / "mls.xml", samples.envelope(**about), url=server.url)
            assert said == "SUCCESS"

    found = {reference: type(outcome) for reference, outcome in inbox.settled}
    assert found == {f"report-{code}": kind for code, kind in ANSWERS.items()}
    assert "ibr-tdd-35: the tax total" in inbox.settled[-1][1].reason
