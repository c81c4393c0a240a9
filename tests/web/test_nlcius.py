"""`invoice.profile: "nlcius"`: a send to a Dutch public buyer."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from einvoice import clock
from einvoice.domain.identifiers import NLCIUS_CUSTOMIZATION, NLCIUS_INVOICE
from einvoice.store.sending import registrations, transmissions
from tests.web.caller import slug

STREET = {"line1": "Plein 2", "city": "Den Haag", "postalCode": "2511 CR", "countryCode": "NL"}
SUPPLIER = {
    "name": "Leverancier", "taxId": "NL123456782B90", "companyId": "0106:12345678",
    "address": STREET,
}  # fmt: skip
INVOICE: dict[str, Any] = {
    "profile": "nlcius",
    "supplier": SUPPLIER,
    "buyer": {"name": "Gemeente", "companyId": "0106:87654321", "address": STREET},
    "paymentMeans": {"method": "58", "iban": "NL91ABNA0417164300"},
}


@pytest.fixture
def body(caller):
    """The body of a complete send to a receiver that lists NLCIUS only, with changed fields."""

    def build(**changes: Any) -> dict[str, Any]:
        made: dict[str, Any] = caller.body("0106:87654321", **(INVOICE | changes))
        with caller.app.app_context():
            reference, types = made["routing"]["accessPointRef"], [str(NLCIUS_INVOICE)]
            registrations.refresh(reference, registered=True, document_types=types, now=clock.now())
        return made

    return build


def test_the_document_is_one_of_nlcius_with_its_document_type(caller, body):
    answer = caller.send(body())
    assert answer.status_code == 200, answer.text

    with caller.app.app_context():
        work = transmissions.find(answer.json["transactionId"])
    root = etree.fromstring(work.document)
    assert (work.profile, work.document_type) == ("nlcius", str(NLCIUS_INVOICE))
    assert root.findtext("{*}CustomizationID") == NLCIUS_CUSTOMIZATION
    assert root.findtext("{*}ProfileID") == "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"


def test_what_its_rules_refuse_is_named_with_the_field(caller, body):
    supplier = SUPPLIER | {"companyId": "0088:9520000000004"}
    answer = caller.send(body(supplier=supplier))

    assert slug(answer) == "validation-failed"
    [error] = answer.json["validationErrors"]
    assert error.startswith("BR-NL-1:")
    assert error.endswith("(invoice.supplier.companyId)")


def test_a_receiver_that_lists_only_nlcius_gets_it(caller, body):
    """Without a profile in the request, the lookup decides."""
    sending = body(profile=None)
    sending["options"] = {"dryRun": True, "includeDocument": True}
    answer = caller.send(sending)

    root = etree.fromstring(answer.json["document"].encode())
    assert root.findtext("{*}CustomizationID") == NLCIUS_CUSTOMIZATION


def test_the_body_of_a_send_is_validated_by_its_rules(caller, body):
    answer = caller.bearer("POST", "/v1/invoices/validate", body())

    assert (answer.json["ruleSet"], answer.json["trafficLight"]) == ("nlcius-2.0.3.13", "green")
