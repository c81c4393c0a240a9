"""VAT in the currency in which it is accounted for (BT-6, BT-111; decisions 20.8), in and out."""

from __future__ import annotations

import re

import pytest

from einvoice import xml
from einvoice.documents.cii.read import read_invoice as read_cii
from einvoice.documents.cii.write import document_xml as as_cii
from einvoice.documents.ubl.read import read_invoice as read_ubl
from einvoice.domain.identifiers import BIS_INVOICE_CII
from tests.web.caller import slug
from tests.web.inbox import Inbox
from tests.web.submission.documents import encoded, request_of, ubl

ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
TOTALS = {"subtotal": 100.0, "taxAmount": 21.0, "grandTotal": 121.0}
SEK = {"taxCurrency": "SEK", "totals": TOTALS | {"taxAmountInTaxCurrency": 242.5}}


def artefact(caller, invoice: str, kind: str) -> bytes:
    [found] = caller.get(f"/api/invoices/{invoice}/artefacts?type={kind}").json["items"]
    content: bytes = caller.get(f"/api/invoices/{invoice}/artefacts/{found['artefactId']}").data
    return content


def test_a_send_writes_both_and_answers_both(caller):
    invoice = caller.sent(**SEK)

    document = artefact(caller, invoice, "UBL")
    assert b"<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>" in document
    assert b'<cbc:TaxAmount currencyID="SEK">242.50</cbc:TaxAmount>' in document
    answer = caller.get(f"/api/invoices/{invoice}")
    assert answer.json["taxCurrency"] == "SEK"
    assert b'"taxAmountInTaxCurrency":242.50' in answer.data


def test_without_it_both_are_null(caller):
    invoice = caller.sent()

    assert b"TaxCurrencyCode" not in artefact(caller, invoice, "UBL")
    answer = caller.get(f"/api/invoices/{invoice}").json
    assert (answer["taxCurrency"], answer["totals"]["taxAmountInTaxCurrency"]) == (None, None)


@ONE_DATABASE
@pytest.mark.parametrize(
    ("changes", "expected", "field"),
    [
        ({"taxCurrency": "SEK"}, "validation-failed", "invoice.totals.taxAmountInTaxCurrency"),
        (
            {"taxCurrency": "EUR", "totals": SEK["totals"]},
            "validation-failed",
            "invoice.taxCurrency",
        ),
        (
            {**SEK, "totals": TOTALS | {"taxAmountInTaxCurrency": -242.5}},
            "validation-failed",
            "invoice.totals.taxAmountInTaxCurrency",
        ),
        (
            {**SEK, "totals": TOTALS | {"taxAmountInTaxCurrency": 242.505}},
            "invalid-field",
            "/invoice/totals/taxAmountInTaxCurrency",
        ),
        ({"totals": SEK["totals"]}, "invalid-field", "/invoice/taxCurrency"),
        ({**SEK, "taxCurrency": "KR"}, "invalid-field", "/invoice/taxCurrency"),
        ({**SEK, "taxCurrency": ""}, "invalid-field", "/invoice/taxCurrency"),
    ],
)
def test_what_cannot_be_booked_is_refused_at_its_field(caller, changes, expected, field):
    """One without the other (BR-53), the invoice's own currency (R005), another sign (R055)."""
    answer = caller.send(caller.body(**changes))

    assert (answer.status_code, slug(answer)) == (400, expected)
    places = [each.get("field") or each["pointer"] for each in found_in(answer.json)]
    assert field in places


def found_in(problem):
    return problem.get("findings") or problem["errors"]


@ONE_DATABASE
@pytest.mark.parametrize("form", ["ubl", "cii"])
def test_received_documents_are_read(caller, form):
    document = ubl(**SEK)
    inbox = Inbox(caller)
    if form == "cii":
        document = as_cii(read_ubl(xml.parse(document)))
        bill = inbox.arrives(document=document, document_type=BIS_INVOICE_CII)
    else:
        bill = inbox.arrives(document=document)

    answer = caller.get(f"/api/invoices/{bill}").json

    assert (answer["taxCurrency"], answer["totals"]["taxAmountInTaxCurrency"]) == ("SEK", 242.5)


@ONE_DATABASE
@pytest.mark.parametrize(
    "damage",
    [
        (b">SEK<", b">Kronor<"),
        (b'<cbc:TaxAmount currencyID="SEK">242.50', b'<cbc:TaxAmount currencyID="SEK">many'),
    ],
)
def test_what_a_received_document_does_not_say_is_null(caller, damage):
    bill = Inbox(caller).arrives(document=ubl(**SEK).replace(*damage))

    answer = caller.get(f"/api/invoices/{bill}").json

    found = (answer["taxCurrency"], answer["totals"]["taxAmountInTaxCurrency"])
    assert None in found
    assert found[1] is None


def test_the_two_syntaxes_say_the_same(caller):
    """From JSON to UBL, to CII, and back."""
    invoice = read_ubl(xml.parse(ubl(**SEK)))

    again = read_cii(xml.parse(as_cii(invoice)))

    assert (again.accounting_currency, again.totals.tax_in_accounting_currency) == (
        invoice.accounting_currency,
        invoice.totals.tax_in_accounting_currency,
    )
    assert again.accounting_currency == "SEK"


def test_a_submitted_document_is_answered_with_both(caller):
    sent = caller.bearer("POST", "/v1/invoices", request_of(ubl(**SEK)))

    assert sent.status_code in (200, 202), sent.text
    answer = caller.bearer("GET", f"/v1/invoices/{sent.json['id']}")
    assert answer.json["taxCurrency"] == "SEK"
    assert answer.json["taxAmountInTaxCurrency"] == 242.5


@ONE_DATABASE
def test_a_missing_amount_of_a_document_is_placed_at_the_field_of_a_send(caller):
    """BR-53 names the field that the JSON contract has for it."""
    document = re.sub(
        rb'<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">.*?</cac:TaxTotal>',
        b"",
        ubl(**SEK),
        flags=re.DOTALL,
    )
    answer = caller.bearer("POST", "/v1/invoices/validate", {"invoice": encoded(document)})

    fields = {f["ruleId"]: f["field"] for f in answer.json["findings"]}
    assert fields["BR-53"] == "invoice.totals.taxAmountInTaxCurrency"
    assert fields["PEPPOL-EN16931-R054"] == "invoice.totals.taxAmountInTaxCurrency"
