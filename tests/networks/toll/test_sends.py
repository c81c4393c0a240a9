"""Sends to a network with documents of its own and without a directory: no file of the service
knows it."""

from __future__ import annotations

import base64

import pytest
from lxml import etree

from einvoice.documents.ubl.read import read_invoice
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.services.inbound import reception
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER
from tests.networks.toll import form
from tests.networks.toll.selling import BUYER, a_send
from tests.web.caller import slug
from tests.web.submission.documents import encoded, request_of, ubl


def taken(app):
    """What the authority got."""
    return runtime_of(app).access_points["toll-test"].taken


def test_an_invoice_goes_out_in_the_form_of_its_network(app, caller):
    """Judged by the rules of the network, and with UBL for those who read it here."""
    answer = caller.send(a_send(note="Thank you"))
    assert answer.status_code == 200, answer.text
    caller.work()

    envelope = taken(app)[0]
    assert etree.fromstring(envelope.document).tag == form.ROOT
    assert (envelope.document_type, envelope.process) == (form.BILL_TYPE, form.PROFILE.process)
    assert [each["code"] for each in answer.json["warnings"]].count("dropped-note") == 1
    path = f"/api/invoices/{answer.json['invoiceId']}"
    assert caller.get(path).json["networkStatus"] == "Delivered"
    artefacts = {each["type"]: each for each in caller.get(f"{path}/artefacts").json["items"]}
    stored = caller.get(f"{path}/artefacts/{artefacts['UBL']['artefactId']}").data
    assert etree.QName(etree.fromstring(stored)).localname == "Invoice"
    sent = artefacts["NETWORK_DOCUMENT"]["artefactId"]
    assert caller.get(f"{path}/artefacts/{sent}").data == envelope.document
    report = caller.get(f"{path}/artefacts/{artefacts['VALIDATION_REPORT']['artefactId']}").json
    assert (report["ruleSet"], report["ruleSetChosenBy"]) == ("toll-bill-1.0", "network")
    seal = artefacts["TOLL_SEAL"]
    assert seal["legalOriginal"] is True
    assert (seal["authorityReference"], seal["retentionYears"]) == ("TOLL-T-1", 10)
    of_kind = caller.get(f"{path}/artefacts?type=TOLL_SEAL").json["items"]
    assert of_kind == [seal]


@pytest.mark.parametrize(
    ("change", "refusal", "where"),
    [
        ({"number": "T-1234567890"}, None, None),
        ({"number": "T-12345678901"}, "validation-failed", "invoice.number"),
        ({"buyer": {"name": "Somebody", "address": {"countryCode": "NL"}}}, "validation-failed",
         "invoice.buyer.taxId"),
        ({"type": "creditNote"}, "document-type-not-supported", None),
        ({"attachments": [{"filename": "a.pdf", "mimeType": "application/pdf",
                           "content": base64.b64encode(b"%PDF-1.4").decode()}]},
         "invalid-field", "/invoice/attachments"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dry_run", [True, False])
def test_what_the_network_does_not_take_is_refused_with_the_field(
    app, caller, change, refusal, where, dry_run
):
    """In the answer to the send, whether it is a dry run or not."""
    answer = caller.send(a_send(**change) | {"options": {"dryRun": dry_run}})

    assert answer.status_code == (400 if refusal else 200), answer.text
    if refusal:
        assert slug(answer) == refusal
        found = answer.json.get("findings") or answer.json.get("errors") or [{}]
        assert where in (None, found[0].get("field"), found[0].get("pointer"))


def test_a_send_to_a_network_with_a_directory_still_needs_a_reference(caller):
    body = a_send(network=None)
    body["routing"]["receiverParticipantId"] = RECEIVER

    assert slug(caller.send(body)) == "missing-routing"


@pytest.mark.parametrize("network", [None, "toll", "toll-test"])
def test_the_only_network_that_serves_the_receiver_need_not_be_named(app, caller, network):
    assert caller.send(a_send(network)).status_code == 200
    caller.work()

    assert len(taken(app)) == 1


@pytest.mark.parametrize(
    ("network", "refusal"), [("zatca", "network-not-supported"), ("Toll!", "invalid-field")]
)
def test_a_network_that_is_not_there_is_refused(caller, network, refusal):
    assert slug(caller.send(a_send(network))) == refusal


def test_an_invoice_as_ubl_is_converted_for_the_network_and_says_so(app, caller):
    document = ubl(receiver=BUYER, number="T-2", buyer=a_send()["invoice"]["buyer"])
    body = request_of(document, to=BUYER, network="toll")

    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    caller.work()

    assert [each["code"] for each in answer.json["warnings"]] == ["converted-for-network"]
    assert answer.json["validation"]["ruleSet"] == "toll-bill-1.0"
    assert etree.fromstring(taken(app)[0].document).tag == form.ROOT


def test_an_invoice_as_ubl_that_breaks_a_rule_of_the_network_is_refused(caller):
    document = ubl(receiver=BUYER, number="T-12345678901", buyer=a_send()["invoice"]["buyer"])
    body = request_of(document, to=BUYER, network="toll")

    answer = caller.bearer("POST", "/v1/invoices", body)

    assert slug(answer) == "validation-failed"
    found = answer.json["validation"]["findings"]
    assert [(each["ruleId"], each["field"]) for each in found] == [("TOLL-01", "invoice.number")]


def test_a_document_of_the_network_is_taken_as_it_is(app, caller):
    bill = form.write(form.adapt(_invoice(ubl(receiver=BUYER, number="T-3"))).invoice)
    bill = bill.replace(b"<Buyer>", b'<Buyer number="1">')
    body = request_of(bill, to=BUYER, network="toll", format=None)

    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    caller.work()

    assert taken(app)[0].document == bill
    assert answer.json["warnings"] == []
    assert answer.json["validation"]["ruleSetChosenBy"] == "document"


def _invoice(document: bytes):
    return read_invoice(etree.fromstring(document))


@pytest.mark.parametrize(
    ("number", "rules"), [("T-4", ["TOLL-02"]), ("T-12345678901", ["TOLL-01", "TOLL-02"])]
)
def test_validate_judges_what_a_document_becomes_at_the_network(caller, number, rules):
    """It is a correct invoice of Peppol; the network asks for more."""
    body = {"invoice": encoded(ubl(receiver=BUYER, number=number)), "network": "toll"}

    answer = caller.bearer("POST", "/v1/invoices/validate", body)

    assert (answer.json["ruleSet"], answer.json["ruleSetChosenBy"]) == ("toll-bill-1.0", "network")
    assert [each["ruleId"] for each in answer.json["findings"]] == rules


@pytest.mark.parametrize("network", ["peppol", "toll"])
def test_validate_judges_the_body_of_a_send_for_the_network_that_it_names(caller, network):
    body = a_send(network, number="T-12345678901")

    answer = caller.bearer("POST", "/v1/invoices/validate", body)

    light = {"peppol": "green", "toll": "red"}[network]
    assert answer.json["trafficLight"] == light


def test_a_received_document_of_the_network_is_judged_read_and_shown(app, caller):
    """By the rule set and the reader of its profile; UBL is made of it for PDF and books."""
    caller.own(BUYER)
    bill = form.write(_invoice(ubl(receiver=BUYER, number="T-9"))).replace(
        b"<Buyer>", b'<Buyer number="1">'
    )
    parts = runtime_of(app)
    arrived = samples.inbound(
        document=bill, document_type=form.BILL_TYPE, receiver=ParticipantId.parse(BUYER)
    )
    with app.app_context():
        received = reception.receive(arrived, parts.caches, parts.computing, parts.forms)

    path = f"/api/invoices/{received.document_id}"
    found = caller.get(path).json
    assert (found["number"], found["totals"]["grandTotal"]) == ("T-9", 121.0)
    artefacts = {each["type"]: each for each in caller.get(f"{path}/artefacts").json["items"]}
    assert caller.get(f"{path}/artefacts/{artefacts['ORIGINAL']['artefactId']}").data == bill
    report = caller.get(f"{path}/artefacts/{artefacts['VALIDATION_REPORT']['artefactId']}").json
    assert (report["ruleSet"], report["format"]) == ("toll-bill-1.0", "toll")
    assert report["trafficLight"] == "green"
