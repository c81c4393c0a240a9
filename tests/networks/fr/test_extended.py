"""EXTENDED-CTC-FR: sent as it is submitted, never made, and received."""

from __future__ import annotations

import base64
import re

import pytest

from einvoice.rules.br_fr import EXTENDED
from einvoice_fr_ctc import form
from tests.networks.fr import company
from tests.networks.fr.selling import a_send, connect
from tests.web.caller import Caller
from tests.workers import fetch_mailboxes

PROFILES = ("fr-s1", "fr-s1-cii")


@pytest.fixture
def seller(app, service, move):
    caller = Caller(app)
    caller.connection = connect(caller, service, company.SELLER)
    caller.reference(f"0225:{company.BUYER}")
    return caller


def extended(profile: str, **invoice) -> bytes:
    """A document of the extension."""
    made = next(each for each in form.PROFILES if each.name == profile)
    document = made.write(made.adapt(company.french_invoice(**invoice)).invoice)
    return re.sub(rb"urn:cen\.eu:en16931:2017(?=<)", EXTENDED.encode(), document, count=1)


def submitted(seller, document: bytes):
    body = {
        "format": "auto",
        "network": "fr-ctc",
        "sender": {"peppolId": f"0225:{company.SELLER}", "country": "FR"},
        "receiver": {"peppolId": f"0225:{company.BUYER}"},
        "invoice": base64.b64encode(document).decode(),
    }
    return seller.bearer("POST", "/v1/invoices", body)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_document_of_the_extension_is_sent_as_it_was_submitted(seller, move, platform, profile):
    """And named as what it is."""
    document = extended(profile)
    answer = submitted(seller, document)
    assert answer.status_code in (200, 201, 202), answer.text
    for _ in range(3):
        seller.work()
        move(seconds=30)

    (flow,) = [each for each in platform.flows.values() if each.direction == "Out"]
    assert (flow.content, flow.profile) == (document, "Extended-CTC-FR")


@pytest.mark.parametrize("profile", PROFILES)
def test_what_breaks_its_rules_is_refused_with_the_rule(seller, platform, profile):
    answer = submitted(seller, extended(profile, number="F 1 $"))

    assert (answer.status_code, answer.json["validation"]["ruleSet"]) == (
        400, "br-fr-extended-1.4.0",
    )  # fmt: skip
    assert "BR-FR-02_BT-1" in {each["ruleId"] for each in answer.json["validation"]["findings"]}
    assert not platform.flows


def test_a_send_of_json_makes_none(seller):
    refused = seller.send(a_send(seller, profile="fr-extended"))

    assert refused.status_code == 400
    assert "/invoice/profile" in [each["pointer"] for each in refused.json["errors"]]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_purchase_of_the_extension_is_received(app, service, move, platform, profile):
    buyer = Caller(app)
    connect(buyer, service, company.BUYER)
    syntax = "CII" if profile.endswith("cii") else "UBL"
    document = extended(profile, number="F-EXT")
    platform.arrive(company.BUYER, "SupplierInvoice", syntax, "F-EXT.xml", document)
    for _ in range(2):
        fetch_mailboxes(buyer, move)

    (bill,) = buyer.get("/api/invoices?processed=false").json["items"]
    assert (bill["number"], bill["grandTotal"]) == ("F-EXT", 120.0)
    original = buyer.artefacts(bill["invoiceId"])["ORIGINAL"]
    path = f"/api/invoices/{bill['invoiceId']}/artefacts/{original['artefactId']}"
    assert buyer.get(path).data == document
