"""`invoice.profile: "xrechnung"`: a send to a German public buyer."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from einvoice import clock
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION, XRECHNUNG_INVOICE
from einvoice.store.sending import registrations, transmissions
from tests.web.caller import slug

LEITWEG = "04011000-12345-03"
BUYER = f"0204:{LEITWEG}"
STREET = {"line1": "Am Markt 2", "city": "Bremen", "postalCode": "28195", "countryCode": "DE"}
CONTACT = {"name": "Erika Muster", "phone": "+49 421 123456", "email": "erika@lieferant.example"}
SUPPLIER = {"name": "Lieferant", "taxId": "DE123456788", "address": STREET, "contact": CONTACT}
INVOICE: dict[str, Any] = {
    "profile": "xrechnung",
    "supplier": SUPPLIER,
    "buyer": {"name": "Amt", "address": STREET},
    "buyerReference": LEITWEG,
    "paymentMeans": {"method": "58", "iban": "DE02120300000000202051"},
    "paymentTerms": "#SKONTO#TAGE=14#PROZENT=2.00#",
    "deliveryDate": "2026-11-02",
}


@pytest.fixture
def body(caller):
    """The body of a complete send, with changed fields of the invoice; None leaves one out."""

    def build(**changes: Any) -> dict[str, Any]:
        made = caller.body(BUYER, **(INVOICE | changes))
        made["invoice"] = {name: it for name, it in made["invoice"].items() if it is not None}
        return made

    return build


def document(answer) -> etree._Element:
    return etree.fromstring(answer.json["document"].encode())


def dry(body: dict[str, Any]) -> dict[str, Any]:
    return body | {"options": {"dryRun": True, "includeDocument": True}}


def test_the_document_is_an_xrechnung_with_its_document_type(caller, body):
    answer = caller.send(body())
    assert answer.status_code == 200, answer.text

    with caller.app.app_context():
        work = transmissions.find(answer.json["transactionId"])
    root = etree.fromstring(work.document)
    assert (work.profile, work.document_type) == ("xrechnung", str(XRECHNUNG_INVOICE))
    assert root.findtext("{*}CustomizationID") == XRECHNUNG_CUSTOMIZATION
    assert root.findtext("{*}ProfileID") == "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
    assert root.findtext("{*}BuyerReference") == LEITWEG
    assert root.findtext("{*}PaymentTerms/{*}Note") == f"{INVOICE['paymentTerms']}\n"


@pytest.mark.parametrize(
    ("field", "rule", "named"),
    [
        ("contact", "BR-DE-2", "invoice.supplier.contact"),
        ("paymentMeans", "BR-DE-1", "invoice.paymentMeans"),
    ],
)
def test_what_is_missing_is_refused_with_the_field(caller, body, field, rule, named):
    supplier = {name: it for name, it in SUPPLIER.items() if name != field}
    changes = {"supplier": supplier} if field == "contact" else {field: None}
    answer = caller.send(body(**changes))

    assert slug(answer) == "validation-failed"
    assert any(each.startswith(rule) and f"({named})" in each
               for each in answer.json["validationErrors"])  # fmt: skip


def test_the_leitweg_id_of_the_receiver_replaces_the_number_of_the_invoice(caller, body):
    """Only one warning about the reference: the invoice number does not stand for it."""
    answer = caller.send(dry(body(buyerReference=None)))

    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert document(answer).findtext("{*}BuyerReference") == LEITWEG
    assert "buyer-reference-assumed" in codes
    assert "buyer-reference-defaulted" not in codes


def test_a_receiver_that_lists_only_xrechnung_gets_one(caller, body):
    """Without a profile in the request, the lookup decides."""
    sending = body(profile=None)
    with caller.app.app_context():
        reference = sending["routing"]["accessPointRef"]
        types = [str(XRECHNUNG_INVOICE)]
        registrations.refresh(reference, registered=True, document_types=types, now=clock.now())
    answer = caller.send(dry(sending))

    assert document(answer).findtext("{*}CustomizationID") == XRECHNUNG_CUSTOMIZATION


def test_the_body_of_a_send_is_validated_as_xrechnung(caller, body):
    answer = caller.bearer("POST", "/v1/invoices/validate", body(deliveryDate=None))

    assert answer.json["ruleSet"] == "xrechnung-3.0.2-schematron-2.6.0"
    assert answer.json["trafficLight"] == "green"
    assert [each["ruleId"] for each in answer.json["findings"]] == ["BR-DE-TMP-32"]
    assert [each["field"] for each in answer.json["findings"]] == ["invoice.deliveryDate"]


@pytest.mark.parametrize("to", ["ubl", "cii"])
def test_the_body_of_a_send_becomes_an_xrechnung_in_both_syntaxes(caller, body, to):
    """With the discount and the contact."""
    answer = caller.bearer("POST", f"/v1/invoices/convert?to={to}", body())
    assert answer.status_code == 200, answer.text

    written = answer.json["document"]
    assert answer.json["validation"]["ruleSet"] == "xrechnung-3.0.2-schematron-2.6.0"
    assert answer.json["validation"]["trafficLight"] == "green"
    for text in (XRECHNUNG_CUSTOMIZATION, INVOICE["paymentTerms"], CONTACT["name"], LEITWEG):
        assert text in written
