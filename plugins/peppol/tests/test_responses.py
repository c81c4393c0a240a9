"""Received Invoice Responses: with which invoice one is kept, and what its sender gets."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from as4_samples import header, sent
from as4_server import FixedDirectory, network

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.responses import ResponseContent
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.messages import InvoiceAnswer
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import (
    Busy,
    DirectoryUnavailable,
    InvoiceReference,
    NotServiced,
    Settled,
)
from einvoice_peppol import invoice_response, mls, sbdh
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.as4 import answers
from einvoice_peppol.exchanges import Exchanges
from einvoice_peppol.invoice_response import Clarification, InvoiceResponse, Party
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.reporting import RECEIVED, Ledger
from einvoice_peppol.smp_documents import NotOffered
from plugins.peppol.tests import official
from tests.memory_store import MemoryStore

SELLER, BUYER = samples.SENDER, samples.RECEIVER
RESPONSE = InvoiceResponse(
    id="ir-1",
    issued_at=clock.now(),
    buyer=Party(BUYER, "Buyer"),
    seller=Party(SELLER, "Seller"),
    code="RE",
    number="INV-1",
    type_code="380",
    invoice_date="2026-11-01",
    clarifications=(Clarification("REF", "No such order."), Clarification("NIN")),
)


class Inbox(MemoryInbox):
    def __init__(self, verdict=None, *, serves=True):
        super().__init__()
        self.verdict, self.kept, self.queued, self._serves = verdict, [], [], serves

    def serves(self, environment, participant, document_type, process):
        return self._serves and (environment, participant) == (Environment.TEST, SELLER)

    def deliver_evidence(self, access_point, reference, evidence):
        self.kept.append((access_point, reference, *evidence))
        return self.verdict or Settled("txn_1", changed=False, tenant_id="t")

    def queue_message(self, access_point, message):
        self.queued.append(message)
        return "msg_1"


@pytest.fixture
def ledger():
    return Ledger(MemoryStore(), "peppol-test")


@pytest.fixture
def delivered(c2, c3, trusted, ledger):
    """The inbox and the answer after a response arrived from c2."""
    own = network(c3, trusted=trusted, directory=FixedDirectory("http://127.0.0.1:9/as4", c2))

    def _delivered(inbox=None, document=None, **in_header):
        inbox = inbox or Inbox()
        route = {
            "document_type": invoice_response.DOCUMENT_TYPE,
            "process": invoice_response.PROCESS,
            "sender": BUYER,
            "receiver": SELLER,
        }
        content = document or invoice_response.write(RESPONSE)
        payload = sbdh.write(header(**route, **in_header), content)
        message = sent(c2, own.identity, payload, **route)
        headers = {"content-type": message.content.content_type}
        request = Request("POST", "/", message.content.body, headers=headers)
        return inbox, Receiver(own, inbox, Exchanges(own, ledger)).answer(request)

    return _delivered


def errors(response):
    return [each.detail or each.code for each in answers.read(response.body).errors]


def test_a_response_is_kept_with_the_invoice_that_it_names(delivered):
    inbox, response = delivered()
    ((access_point, reference, evidence),) = inbox.kept

    assert (response.status, errors(response)) == (200, [])
    assert access_point == "peppol-test"
    assert reference == InvoiceReference(
        Environment.TEST, SELLER, BUYER, "INV-1", date(2026, 11, 1)
    )
    assert (evidence.kind.code, evidence.response_code) == ("INVOICE_RESPONSE", "RE")
    assert evidence.reasons == ("No such order.", "NIN")
    assert invoice_response.read(evidence.content).code == "RE"
    assert (inbox.arrived, inbox.queued) == ([], [])


def test_a_response_whose_invoice_date_is_not_a_date_is_kept_by_its_number(delivered):
    document = invoice_response.write(replace(RESPONSE, invoice_date="yesterday"))
    inbox, _ = delivered(document=document)

    assert inbox.kept[0][1].issue_date is None


def test_a_response_for_a_receiver_that_no_tenant_has_is_not_serviced(delivered):
    inbox, response = delivered(Inbox(serves=False))

    assert (inbox.kept, errors(response)) == ([], ["PEPPOL:NOT_SERVICED"])


def test_a_sender_that_asked_for_a_status_of_its_response_gets_one(delivered):
    inbox, _ = delivered(mls_type="ALWAYS_SEND", instance_id="ir-instance")
    (message,) = inbox.queued
    status = mls.read(message.document)

    assert (status.code, status.instance_id) == ("AB", "ir-instance")
    assert (message.answers, str(message.receiver)) == (None, "0242:000001")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inbox": Inbox(NotServiced("unknown"))}, "no invoice 'INV-1'"),
        ({"document": invoice_response.write(RESPONSE).replace(b">RE<", b">??<")}, "be read"),
    ],
    ids=["unknown invoice", "unreadable"],
)
def test_a_response_that_is_not_kept_is_acknowledged_and_its_sender_gets_a_refusal(
    delivered, given, words
):
    inbox, response = delivered(**given)
    (message,) = inbox.queued
    status = mls.read(message.document)

    assert (response.status, errors(response)) == (200, [])
    assert (status.code, status.issues[0].reason) == ("RE", "FD")
    assert words in status.description


def test_a_repeated_response_has_one_status(delivered):
    """The key of the message is that of the response."""
    given = {"mls_type": "ALWAYS_SEND", "instance_id": "ir-instance"}
    keys = [delivered(**given)[0].queued[0].key for _ in range(2)]

    assert keys[0] == keys[1]


def test_a_response_that_cannot_be_stored_now_is_not_acknowledged(delivered):
    inbox, response = delivered(Inbox(Busy(7.0)))

    assert (response.status, response.headers["Retry-After"]) == (503, "7")
    assert inbox.queued == []


def test_a_response_is_an_item_of_the_reports_with_its_customer(delivered, ledger):
    delivered()
    (item,) = ledger.items(clock.today())

    assert item.direction == RECEIVED
    assert item.end_user is not None
    assert item.document_type == invoice_response.DOCUMENT_TYPE


@pytest.mark.parametrize(("known", "counted"), [("NL", "NL"), (None, "BE")])
def test_the_country_of_c4_of_a_response_is_that_of_who_sent_the_invoice(
    delivered, ledger, known, counted
):
    """Our own country, BE, stands for one that is not known."""
    delivered(Inbox(Settled("txn_1", changed=False, tenant_id="t", sender_country=known)))
    (item,) = ledger.items(clock.today())

    assert item.country_c4 == counted
    assert item.end_user is not None


# -- of our tenants --------------------------------------------------------------------------------

ANSWER = InvoiceAnswer(
    response_id="r-1",
    document_id="doc-1",
    environment=Environment.TEST,
    tenant_id="t",
    sender=BUYER,
    receiver=SELLER,
    sender_name="Buyer",
    receiver_name="Seller",
    number="INV-1",
    type_code="384",
    issue_date=date(2026, 11, 1),
    at=clock.now(),
    content=ResponseContent(
        "RE",
        reasons=(Clarification("OTH", "Something."),),
        actions=(Clarification("OTH", "Call us.", is_action=True),),
        note="Please.",
        effective_date=date(2026, 11, 2),
    ),
    sender_country="NL",
)


@pytest.fixture
def directory(c2):
    return FixedDirectory("http://127.0.0.1:9/as4", c2)


@pytest.fixture
def peppol(c3, trusted, directory):
    return Peppol(network(c3, trusted=trusted, directory=directory))


def test_a_response_of_a_tenant_keeps_the_official_rules_and_names_the_invoice(peppol):
    message = peppol.response_message(ANSWER)
    found = invoice_response.read(message.document)

    assert official.failures(official.INVOICE_RESPONSE, message.document) == []
    assert (found.code, found.number, found.type_code) == ("RE", "INV-1", "384")
    assert (found.invoice_date, found.effective_date) == ("2026-11-01", "2026-11-02")
    assert (found.buyer, found.seller) == (Party(BUYER, "Buyer"), Party(SELLER, "Seller"))
    assert (message.sender, message.receiver, message.answers) == (BUYER, SELLER, "doc-1")
    assert message.key == "response-r-1"


def test_other_as_a_reason_and_as_an_action_are_of_two_lists(peppol):
    document = peppol.response_message(ANSWER).document

    assert b'listID="OPStatusReason">OTH<' in document
    assert b'listID="OPStatusAction">OTH<' in document
    assert [each.is_action for each in invoice_response.read(document).clarifications] == [
        False,
        True,
    ]


def test_a_buyer_without_a_country_sends_with_that_of_the_provider(peppol):
    assert peppol.response_message(ANSWER).sender_country == "NL"
    assert peppol.response_message(replace(ANSWER, sender_country=None)).sender_country == "BE"


def test_only_a_participant_that_is_registered_for_responses_takes_them(peppol, directory):
    assert peppol.takes_responses(SELLER) is True

    directory.found = NotOffered("not for this type")
    assert peppol.takes_responses(SELLER) is False

    directory.available = False
    with pytest.raises(DirectoryUnavailable):
        peppol.takes_responses(SELLER)
