"""Sends to receivers without a participant id: consumers, and buyers known by their tax number."""

from __future__ import annotations

import pytest

import einvoice_loopback
from einvoice.domain.invoice import Identifier
from einvoice.network import samples
from einvoice.network.testing import AccessPointContract
from tests.builders import SENDER, send_body
from tests.networks import toll
from tests.networks.toll.access_point import Toll
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.submission.documents import encoded, request_of, ubl

CONSUMER = {"name": "Ana Pop", "address": {"city": "Cluj", "countryCode": "RO"}}
COMPANY = {"name": "Buyer BV", "taxId": "123456789B12", "companyId": "0106:12345678",
           "address": {"countryCode": "NL"}}  # fmt: skip


class TestToll(AccessPointContract):
    @pytest.fixture
    def access_point(self):
        return Toll()

    @pytest.fixture
    def an_envelope(self):
        return lambda: samples.envelope(receiver=samples.ParticipantId("0190", "1"))


def a_sale(network: str | None = "toll", **invoice):
    """A send to a consumer, who has no participant id."""
    body = send_body("", **({"number": "T-1", "buyer": CONSUMER} | invoice))
    body["routing"] = {"senderParticipantId": SENDER}
    if network:
        body["routing"]["network"] = network
    return body


def test_a_consumer_sale_is_delivered_and_shown_without_a_receiver(caller, point):
    """In the envelope, and in every answer that names the receiver of other invoices."""
    sent = caller.send(a_sale())
    assert sent.status_code == 200, sent.text
    caller.work()

    [envelope] = point.taken
    assert (envelope.receiver, envelope.receiver_country) == (None, "RO")
    assert (envelope.buyer.name, envelope.buyer.country) == ("Ana Pop", "RO")
    assert not envelope.buyer.has_number
    assert envelope.profile == "toll-bill"
    found = caller.get(f"/api/invoices/{sent.json['invoiceId']}").json
    assert (found["networkStatus"], found["receiverParticipantId"]) == ("Delivered", None)
    [listed] = caller.get("/api/invoices").json["items"]
    assert (listed["receiverParticipantId"], listed["buyerName"]) == (None, "Ana Pop")
    tracked = caller.bearer("GET", f"/v1/invoices/{sent.json['invoiceId']}").json
    assert tracked["receiver"] == {"peppolId": None, "country": "RO"}
    [listed] = caller.bearer("GET", "/v1/invoices").json["items"]
    assert listed["receiver"] == {"peppolId": None, "country": "RO"}
    assert caller.get("/api/invoices?receiverParticipantId=0190:1").json["items"] == []
    assert caller.get(f"/api/invoices/{sent.json['invoiceId']}/pdf").status_code == 200


def test_a_consumer_is_shared_with_and_added_to_the_directory(caller):
    """Neither needs a participant id: the page is for who has its address."""
    sent = caller.send(a_sale()).json
    caller.work()
    people = Dashboard(caller.app, caller.tenant)

    token = people.post(f"/api/invoices/{sent['invoiceId']}/share").json["shareToken"]
    page = caller.app.test_client().get(f"/api/invoices/view/{token}")
    assert (page.status_code, page.json["invoiceNumber"]) == (200, "T-1")
    assert people.post("/api/customers/seed-from-invoices").json["created"] == 1
    [customer] = people.get("/api/customers").json["items"]
    assert (customer["name"], customer["peppolId"]) == ("Ana Pop", None)
    [listed] = caller.get(f"/api/invoices?customerId={customer['customerId']}").json["items"]
    assert listed["invoiceId"] == sent["invoiceId"]


@pytest.mark.parametrize("network", [None, "toll", "toll-test"])
def test_a_buyer_is_known_by_the_tax_number(caller, point, network):
    """As it was sent, completed, and with the number of the register."""
    assert caller.send(a_sale(network, buyer=COMPANY)).status_code == 200
    caller.work()

    buyer = point.taken[0].buyer
    assert (buyer.tax_id, buyer.vat_id) == ("123456789B12", "NL123456789B12")
    assert buyer.legal_id == Identifier("12345678", "0106")


def test_a_named_receiver_comes_with_the_buyer_too(caller, point):
    body = a_sale(buyer=COMPANY)
    body["routing"]["receiverParticipantId"] = "0190:00000003123456780000"

    assert caller.send(body).status_code == 200
    caller.work()
    assert str(point.taken[0].receiver) == "0190:00000003123456780000"
    assert point.taken[0].buyer.vat_id == "NL123456789B12"


@pytest.mark.parametrize("network", ["peppol", "simulator"])
def test_a_network_that_needs_a_participant_id_refuses_and_says_what_to_do(caller, network):
    refused = caller.send(a_sale(network))

    assert slug(refused) == "missing-routing"
    assert refused.json["detail"] == (
        f"missing: routing.receiverParticipantId; the network {network} reaches receivers by their "
        "participant id only: send it, or name a network that needs none (toll)"
    )


def test_a_reference_is_that_of_a_named_receiver(caller):
    """It comes from the lookup of one."""
    body = a_sale()
    body["routing"]["accessPointRef"] = "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"

    refused = caller.send(body)
    assert slug(refused) == "missing-routing"
    assert "routing.receiverParticipantId" in refused.json["detail"]


def test_a_credential_with_allowed_receivers_sends_to_nobody_else(app):
    """Who has no participant id is not on its list."""
    caller = Caller(app, allowed_receivers=("0190:1",))

    assert slug(caller.send(a_sale())) == "receiver-not-allowed"


def test_a_dry_run_stores_nothing(caller, point):
    answer = caller.send(a_sale() | {"options": {"dryRun": True}})

    assert (answer.status_code, answer.json["dryRun"]) == (200, True)
    caller.work()
    assert point.taken == []
    assert caller.get("/api/invoices").json["items"] == []


def test_a_key_is_replayed_for_a_consumer_sale(caller, point):
    """Duplicates and keys are those of every send."""
    first = caller.send(a_sale(), Idempotency_Key="k")
    again = caller.send(a_sale(), Idempotency_Key="k")
    other = caller.send(a_sale())
    caller.work()

    assert again.json["transactionId"] == first.json["transactionId"]
    assert "possible-duplicate" in [each["code"] for each in other.json["warnings"]]
    assert len(point.taken) == 2


def test_a_failed_consumer_sale_is_sent_again(caller, point):
    point.refused = {"T-1"}
    sent = caller.send(a_sale(), Prefer="respond-async").json
    caller.work()
    point.refused = set()

    again = caller.call("POST", f"/api/invoices/{sent['invoiceId']}/resend")
    assert again.status_code == 200, again.text
    caller.work()
    assert [envelope.receiver for envelope in point.taken] == [None, None]
    assert point.taken[1].buyer == point.taken[0].buyer
    assert point.taken[1].profile == "toll-bill"


@pytest.mark.parametrize("receiver", [None, {}, {"country": "NL"}])
def test_a_document_is_submitted_without_a_receiver(caller, point, receiver):
    document = ubl(number="T-2", buyer=COMPANY)
    body = request_of(document, network="toll", receiver=receiver)

    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    caller.work()

    assert answer.json["receiver"] == {"peppolId": None, "country": "NL"}
    assert point.taken[0].receiver is None
    assert point.taken[0].buyer.vat_id == "NL123456789B12"


def test_a_document_for_a_network_that_needs_a_receiver_is_refused_with_the_field(caller):
    body = request_of(ubl(number="T-2"), receiver=None)

    refused = caller.bearer("POST", "/v1/invoices", body)
    assert slug(refused) == "missing-routing"
    assert refused.json["detail"].startswith("missing: receiver.peppolId; ")


def test_a_batch_holds_documents_with_and_without_receivers(caller, point):
    document = encoded(ubl(number="T-2", buyer=COMPANY))
    entry = {"invoice": document, "network": "toll", "sender": {"peppolId": SENDER}}

    answer = caller.bearer("POST", "/v1/invoices/batch", {"invoices": [
        entry, entry | {"network": "peppol"}, request_of(ubl(number="T-3")),
    ]})  # fmt: skip
    caller.work()

    assert [each["httpStatus"] for each in answer.json["results"]] == [202, 400, 202]
    assert [envelope.receiver for envelope in point.taken] == [None]


def test_validation_takes_a_send_without_a_receiver(caller):
    answer = caller.bearer("POST", "/v1/invoices/validate", a_sale())

    assert (answer.status_code, answer.json["trafficLight"]) == (200, "green"), answer.text


def test_documents_wait_if_the_network_needs_a_participant_id_now(caller, point, app):
    """Another release of the plugin: it is never given an envelope without receiver."""
    sent = caller.send(a_sale(), Prefer="respond-async").json
    point.capabilities = toll.access_point.Capabilities(needs_lookup=False, formats=("toll",))
    caller.work()

    assert point.taken == []
    assert caller.get(f"/api/invoices/{sent['invoiceId']}").json["networkStatus"] == "Processing"


def test_without_such_a_network_a_receiver_is_missing(make_app):
    """As ever."""
    refused = Caller(make_app([einvoice_loopback])).send(a_sale(None))

    assert slug(refused) == "missing-routing"
    assert refused.json["detail"] == (
        "missing: routing.receiverParticipantId, routing.accessPointRef"
    )
