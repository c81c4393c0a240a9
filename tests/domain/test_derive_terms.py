"""Decisions 33.1: the terms of EN 16931 that are written as they are sent."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from einvoice.domain.errors import InvalidField
from einvoice.domain.invoice import (
    Address,
    Attribute,
    CreditTransfer,
    DocumentKind,
    Identifier,
    Payee,
    PaymentCard,
    PaymentMeans,
    PrecedingInvoice,
    Price,
    SupportingDocument,
    TaxRepresentative,
)
from einvoice.domain.request import SendDefaults

D = Decimal
GLN = {"scheme": "0088", "id": "9520000000011"}
METER = {"scheme": "MG", "id": "541440110000000018"}
OWN = SendDefaults(iban="BE68539007547034", bic="KREDBEBB", account_name="Seller NV")
BANK = {"iban": "NL91 ABNA 0417 1643 00", "bic": "abnanl2a", "accountName": "Seller"}
TRANSFER = CreditTransfer("NL91ABNA0417164300", "Seller", "ABNANL2A")


# Member and value of the invoice, attribute of the Invoice and its value.
DOCUMENT: list[tuple[dict[str, Any], str, Any]] = [
    ({"taxPointCode": "35"}, "tax_point_code", "35"),
    ({"receivingReference": "RA"}, "receiving_advice", "RA"),
    ({"tenderReference": "T"}, "tender", "T"),
    ({"objectReference": METER}, "invoiced_object", Identifier(METER["id"], "MG")),
    ({"objectReference": {"id": "7"}}, "invoiced_object", Identifier("7")),
    (
        {"note": "a", "notes": [{"text": "b", "subjectCode": "REG"}, {"text": "c"}]},
        "notes",
        ((None, "a"), ("REG", "b"), (None, "c")),
    ),
    ({"notes": [{"text": "b", "subjectCode": ""}]}, "notes", ((None, "b"),)),
    (
        {
            "precedingInvoice": {"number": "1", "issueDate": date(2026, 1, 2)},
            "precedingInvoices": [{"number": "2"}, {"number": "3", "authorityNumber": "K"}],
        },
        "preceding",
        (
            PrecedingInvoice("1", date(2026, 1, 2)),
            PrecedingInvoice("2"),
            PrecedingInvoice("3", None, "K"),
        ),
    ),
    ({"precedingInvoices": [{"number": "2"}]}, "preceding", (PrecedingInvoice("2"),)),
    (
        {"payee": {"name": "Factor", "identifier": GLN, "companyId": "0106:87654321"}},
        "payee",
        Payee("Factor", Identifier(GLN["id"], "0088"), Identifier("87654321", "0106")),
    ),
    ({"payee": {"name": "F", "companyId": "1"}}, "payee", Payee("F", None, Identifier("1"))),
    (
        {
            "taxRepresentative": {
                "name": "Fiscal",
                "taxId": "NL 1234.56782.B90",
                "address": {"line3": "c", "countryCode": "NL"},
            }
        },
        "tax_representative",
        TaxRepresentative("Fiscal", "NL123456782B90", Address(line3="c", country="NL")),
    ),
    (
        {
            "supportingDocuments": [
                {"reference": "R", "description": "D", "url": "https://x.example"}
            ]
        },
        "supporting",
        (SupportingDocument("R", "D", "https://x.example"),),
    ),
]


def test_each_term_of_the_document_is_written_as_it_is_sent(derived):
    wrong = [
        (sent, found)
        for sent, name, expected in DOCUMENT
        if (found := getattr(derived(**sent).invoice, name)) != expected
    ]

    assert wrong == []


def test_an_attachment_may_have_a_number_and_an_address(derived):
    file = {"filename": "a.pdf", "mimeType": "application/pdf", "content": b"%PDF-"}
    named = file | {"reference": "TS-1", "url": "https://x.example"}
    first, second = derived(attachments=[file, named]).invoice.supporting

    assert (first.reference, first.url) == ("a.pdf", None)
    assert (second.reference, second.url) == ("TS-1", "https://x.example")
    assert first.attachment == second.attachment


def test_the_place_of_delivery_may_have_a_name_and_an_identifier_alone(derived):
    named = derived(deliveryName="Depot").invoice.delivery
    located = derived(deliveryLocation=GLN).invoice.delivery

    assert (named.name, named.location, named.date, named.address) == ("Depot", None, None, None)
    assert (located.name, located.location) == (None, Identifier(GLN["id"], "0088"))


def test_parties_may_have_further_identifiers(derived):
    """As they are sent, in their order: a SIRET, a service code, a customer number."""
    sent = [{"scheme": "0009", "id": "73282932000074"}, {"id": "C-1", "scheme": ""}]
    written = (Identifier("73282932000074", "0009"), Identifier("C-1"))
    invoice = derived(
        supplier={"name": "A", "identifiers": sent}, buyer={"name": "B", "identifiers": sent}
    ).invoice

    assert (invoice.seller.identifiers, invoice.buyer.identifiers) == (written, written)


def test_the_supplier_may_have_further_legal_information(derived):
    supplier = {"name": "Seller", "legalInformation": "Capital 1 EUR"}

    assert derived(supplier=supplier).invoice.seller.legal_form == "Capital 1 EUR"


def test_each_term_of_a_line_is_written_as_it_is_sent(derived, a_line):
    line = a_line(
        objectReference=METER,
        attributes=[{"name": "Colour", "value": "Black"}],
        classifications=[{"scheme": "STI", "value": "1", "version": "26"}],
        lineId="10",
        grossPrice=D(110),
        priceDiscount=D(10),
    )
    [written] = derived(line).invoice.lines

    assert written.id == "10"
    assert written.object_id == Identifier(METER["id"], "MG")
    assert written.item.attributes == (Attribute("Colour", "Black"),)
    assert written.item.classifications == (Identifier("1", "STI", "26"),)
    assert written.price == Price(D(100), discount=D(10), gross=D(110))


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ((None, None), ["1", "2"]),
        (("7", None), ["7", "2"]),
        (("b", "a"), ["b", "a"]),
        (("", "2"), ["1", "2"]),
        (("2", None), None),
        (("x", "x"), None),
    ],
)
def test_lines_have_the_identifiers_that_are_sent_else_their_numbers(
    derived, a_line, sent, written
):
    """Two of the same are refused, also where one of them is a number that was not sent."""
    lines = [a_line() if each is None else a_line(lineId=each) for each in sent]
    if written is not None:
        assert [line.id for line in derived(*lines).invoice.lines] == written
        return
    with pytest.raises(InvalidField) as refused:
        derived(*lines)

    assert [(e.pointer, e.code) for e in refused.value.errors] == [
        ("/invoice/lineItems/1/lineId", "repeated")
    ]


CARD = {"number": "1234", "holder": "Ann", "network": "VISA"}
PAYMENT: list[tuple[dict[str, Any], PaymentMeans]] = [
    ({"accounts": [BANK]}, PaymentMeans("30", transfers=(TRANSFER,))),
    (
        {"iban": "BE1", "accounts": [BANK]},
        PaymentMeans("30", transfers=(CreditTransfer("BE1"), TRANSFER)),
    ),
    (
        {"accounts": [{"iban": "50501055", "bic": "SE:BANKGIRO"}]},
        PaymentMeans("30", transfers=(CreditTransfer("50501055", None, "SE:BANKGIRO"),)),
    ),
    ({"card": CARD}, PaymentMeans("48", card=PaymentCard("1234", "Ann", "VISA"))),
    (
        {"card": {"number": "1234"}, "method": "54", "methodText": "Credit card"},
        PaymentMeans("54", text="Credit card", card=PaymentCard("1234")),
    ),
    (
        {"method": "59", "iban": "be2", "mandateReference": "M", "creditorId": "C"},
        PaymentMeans("59", mandate="M", creditor="C", debited_account="BE2"),
    ),
    ({"debitedAccount": "be2"}, PaymentMeans("59", debited_account="BE2")),
    (
        {"method": "59", "debitedAccount": "BE2", "accounts": [BANK]},
        PaymentMeans("59", transfers=(TRANSFER,), debited_account="BE2"),
    ),
    (
        {"method": "30", "iban": "BE1", "mandateReference": "M"},
        PaymentMeans("30", transfers=(CreditTransfer("BE1"),), mandate="M"),
    ),
    ({"creditorId": "C"}, PaymentMeans("1", creditor="C")),
]


def test_payment_means_are_written_as_they_are_sent(derived):
    wrong = [
        (sent, found)
        for sent, expected in PAYMENT
        if (found := derived(paymentMeans=sent).invoice.payment) != (expected,)
    ]

    assert wrong == []


@pytest.mark.parametrize("sent", [{"card": CARD}, {"accounts": [BANK]}, {"debitedAccount": "BE2"}])
def test_the_account_of_the_profile_is_not_added_to_other_ways_to_pay(derived, sent):
    [means] = derived(paymentMeans=sent, defaults=OWN).invoice.payment

    assert "BE68539007547034" not in [transfer.account for transfer in means.transfers]


@pytest.mark.parametrize(
    ("sent", "kind", "code"),
    [
        ({"typeCode": "326"}, DocumentKind.INVOICE, "326"),
        ({"typeCode": "384", "type": "invoice"}, DocumentKind.INVOICE, "384"),
        ({"typeCode": "386"}, DocumentKind.INVOICE, "386"),
        ({"typeCode": "877"}, DocumentKind.INVOICE, "877"),
        ({"typeCode": "381"}, DocumentKind.CREDIT_NOTE, "381"),
        ({"typeCode": "396", "type": "creditNote"}, DocumentKind.CREDIT_NOTE, "396"),
        ({"typeCode": "389"}, DocumentKind.SELF_BILLED_INVOICE, "389"),
        ({"typeCode": "527", "type": "selfBilledInvoice"}, DocumentKind.SELF_BILLED_INVOICE, "527"),
        ({"typeCode": "261"}, DocumentKind.SELF_BILLED_CREDIT_NOTE, "261"),
        ({"typeCode": "81", "type": "invoice"}, DocumentKind.INVOICE, "81"),
        ({"typeCode": "", "type": "creditNote"}, DocumentKind.CREDIT_NOTE, "381"),
    ],
)
def test_the_type_code_is_that_of_the_request_and_decides_the_kind(derived, sent, kind, code):
    invoice = derived(**sent).invoice

    assert (invoice.document_kind, invoice.kind, invoice.type_code) == (kind, kind.form, code)


@pytest.mark.parametrize(
    ("type_", "code", "allowed"),
    [
        ("creditNote", "380", "381"),
        ("invoice", "389", "380"),
        ("selfBilledCreditNote", "381", "261"),
    ],
)
def test_a_type_code_of_another_type_is_refused_with_those_it_has(derived, type_, code, allowed):
    with pytest.raises(InvalidField) as refused:
        derived(type=type_, typeCode=code)

    [error] = refused.value.errors
    assert (error.pointer, error.code) == ("/invoice/typeCode", "contradicts-type")
    assert allowed in error.message.split("which has ")[1].split(", ")
