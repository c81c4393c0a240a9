"""FA(3) as invoices: the published samples, and the documents that we write."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

import einvoice_ksef
from einvoice.documents.type_id import declared_type, type_in
from einvoice.documents.ubl.read import read_invoice as read_ubl
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import (
    Address,
    DocumentKind,
    Identifier,
    Party,
    Period,
    PrecedingInvoice,
    TaxCategory,
)
from einvoice.services import forms
from einvoice.services.inbound.document_content import read_on
from einvoice.services.invoices.content import content_of
from einvoice.xml import parse
from einvoice_ksef.fa3 import form
from plugins.ksef.tests import official, polish

_SAMPLES = list(official.samples()) if official.FOLDER.exists() else []


def read(document: bytes):
    assert form.PROFILE.read is not None
    return form.PROFILE.read(document)


def sample(number: int):
    documents = official.samples()
    name = next(name for name in documents if name.endswith(f"_{number}.xml"))
    return read(documents[name])


def again(made):
    """The invoice as it is after it was written and read."""
    return read(form.write(form.adapt(made).invoice))


@official.needed
@pytest.mark.parametrize("name", _SAMPLES)
def test_a_published_sample_is_read_and_written_again_without_loss(name):
    """Every term of EN 16931 that was read is read again, from a document that is valid."""
    invoice = read(official.samples()[name])

    assert again(invoice) == invoice
    assert official.errors(form.write(invoice)) == []


@official.needed
@pytest.mark.parametrize("name", _SAMPLES)
def test_a_published_sample_is_a_bill_whose_sums_agree(name):
    """As EN 16931 has it, also where FA(3) has advances, margins and rounded totals."""
    invoice = read(official.samples()[name])
    totals = invoice.totals

    assert totals.lines == totals.tax_exclusive == sum(tax.taxable for tax in invoice.taxes)
    assert totals.tax == sum(tax.tax for tax in invoice.taxes)
    assert totals.tax_inclusive == totals.tax_exclusive + totals.tax
    paid, rounding = totals.prepaid or 0, totals.rounding or 0
    assert totals.payable == totals.tax_inclusive - paid + rounding
    assert read_ubl(parse(document_xml(invoice))).totals.payable == totals.payable


@official.needed
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, {"number": "FV2026/02/150", "type_code": "380", "order": "4354343"}),
        (2, {"kind": DocumentKind.CREDIT_NOTE, "type_code": "381",
             "preceding": (PrecedingInvoice("FV2026/02/150", date(2026, 2, 15),
                                            "9999999999-20230908-8BEF280C8D35-4D"),)}),
        (4, {"despatch_advice": "44343434/2026", "due_date": date(2026, 3, 15)}),
        (5, {"type_code": "384", "notes": (("ACD", "błędna nazwa nabywcy"),
                                         (None, "Kapiał zakładowy 5 000 000"))}),
        (8, {"payment_terms": "30 Dzień Otrzymanie faktury"}),
        (9, {"period": Period(date(2026, 1, 1), date(2026, 1, 1))}),
        (10, {"type_code": "386"}),
        (14, {"type_code": "380", "due_date": date(2026, 9, 15),
              "payment_terms": "Terminy płatności: 2026-09-15, 2026-10-15",
              "preceding": (PrecedingInvoice("9999999999-20230908-8BEF280C8D35-4D"),)}),
        (20, {"currency": "EUR", "accounting_currency": "PLN"}),
    ],
)  # fmt: skip
def test_terms_of_the_samples(number, expected):
    invoice = sample(number)

    assert {name: getattr(invoice, name) for name in expected} == expected


@official.needed
@pytest.mark.parametrize(
    ("number", "payable", "taxes"),
    [
        (1, "0.00", [("S", "23", "1666.66", "383.33"), ("S", "5", "0.95", "0.05")]),
        (2, "200", [("S", "23", "162.60", "37.40")]),
        (8, "5000", [("E", "0", "15000", "0")]),
        (9, "2760", [("S", "23", "2000", "460"), ("E", "0", "300", "0")]),
        (16, "450", [("S", "23", "365.85", "84.15")]),
        (19, "3000", [("E", "0", "2000", "0"), ("S", "23", "813", "187")]),
        (22, "4000", [("K", "0", "4000", "0")]),
        (23, "8000", [("G", "0", "8000", "0")]),
    ],
)
def test_vat_of_the_samples(number, payable, taxes):
    invoice = sample(number)
    found = [(tax.category.code, tax.category.rate, tax.taxable, tax.tax) for tax in invoice.taxes]

    assert invoice.totals.payable == Decimal(payable)
    assert found == [(code, *map(Decimal, amounts)) for code, *amounts in taxes]


@official.needed
def test_parties_of_a_sample():
    invoice = sample(1)

    assert (invoice.seller.name, invoice.seller.vat_id) == ("ABC AGD sp. z o. o.", "PL9999999999")
    assert invoice.seller.legal_id == Identifier("0000099999")
    assert invoice.seller.address == Address(
        "ul. Kwiatowa 1 m. 2", city="Warszawa", postal_code="00-001", country="PL"
    )
    assert invoice.buyer.identifiers == (Identifier("fdfd778343"),)
    assert invoice.buyer.contact is not None
    assert invoice.buyer.contact.email == "jan@kowalski.pl"


@official.needed
def test_the_margin_scheme_of_a_sample_is_why_it_is_exempt():
    assert [tax.exemption_code for tax in sample(8).taxes] == ["VATEX-EU-F"]


@official.needed
def test_lines_of_the_state_before_a_correction_have_the_other_sign():
    quantities = [line.quantity for line in sample(2).lines]

    assert quantities == [1, -1]  # of a credit note: what is taken back, what is charged instead


@official.needed
def test_what_advances_have_settled_is_a_line():
    names = [(line.item.name, line.extension) for line in sample(14).lines[2:]]

    assert names == [
        ("Rozliczenie zaliczek", Decimal("-399.84")),
        ("Rozliczenie zaliczek", Decimal("-27322.41")),
    ]


@pytest.mark.parametrize("name", polish.INVOICES)
def test_our_documents_are_read_and_written_again_without_loss(name):
    first = again(polish.INVOICES[name]())

    assert again(first) == first
    assert first.totals.payable == polish.INVOICES[name]().totals.payable
    assert first.totals.tax_inclusive == polish.INVOICES[name]().totals.tax_inclusive


@pytest.mark.parametrize(
    "term",
    ["number", "issue_date", "due_date", "currency", "type_code", "buyer_reference", "project",
     "contract", "order", "despatch_advice", "accounting_cost", "payment_terms", "payment",
     "delivery", "taxes", "totals"],
)  # fmt: skip
def test_terms_of_an_invoice_are_read_as_they_were(term):
    """Without document allowances, which become lines."""
    made = polish.invoice(**{
        name: getattr(polish.rich(), name)
        for name in ("buyer_reference", "project", "contract", "order", "despatch_advice",
                     "accounting_cost", "payment_terms", "payment")
    })  # fmt: skip
    made = replace(made, delivery=replace(polish.rich().delivery, address=polish.WARSAW))

    assert getattr(again(made), term) == getattr(made, term)


@pytest.mark.parametrize("vat_id", [None, "CHE123456788", "DE123456788"])
def test_the_country_of_a_buyer_without_an_address_is_read(vat_id):
    country = "DE" if vat_id == "DE123456788" else "CH"
    made = polish.invoice(buyer=Party("Buyer", vat_id=vat_id, address=Address(country=country)))

    assert again(made).buyer == made.buyer


def test_terms_of_a_line_are_read_as_they_were():
    made = polish.rich().lines[0]
    line = again(polish.rich()).lines[0]

    assert line.item.attributes == made.item.attributes
    assert set(line.item.classifications) == set(made.item.classifications)
    assert line.item.description == made.item.description.strip()
    assert (line.note, line.order_line, line.period) == (made.note, made.order_line, made.period)
    assert line.adjustments == made.adjustments
    assert line.price.net == Decimal("525.00")


@pytest.mark.parametrize(
    ("name", "category", "code"),
    [
        ("exempt", TaxCategory("E", Decimal(0)), "VATEX-EU-132-1I"),
        ("margin", TaxCategory("E", Decimal(0)), "VATEX-EU-F"),
        ("services into the EU", TaxCategory("AE", Decimal(0)), "VATEX-EU-AE"),
        ("reverse charge", TaxCategory("AE", Decimal(0)), "VATEX-EU-AE"),
        ("outside", TaxCategory("O"), "VATEX-EU-O"),
    ],
)
def test_why_no_vat_is_charged_is_read(name, category, code):
    (tax,) = again(polish.INVOICES[name]()).taxes

    assert (tax.category, tax.exemption_code) == (category, code)


@pytest.mark.parametrize(
    "document",
    [b"", b"<Faktura/>", b"<a", form.write(polish.invoice()).replace(b"<P_15>123.00</P_15>", b""),
     form.write(polish.invoice()).replace(b"123.00", b"many")],
)  # fmt: skip
def test_what_holds_no_invoice_is_unreadable(document):
    with pytest.raises(UnreadableDocument):
        read(document)


@official.needed
def test_a_received_fa_3_is_readable_as_data():
    """As the JSON of a send, from the UBL that was made of it."""
    ksef = forms.of_plugins([einvoice_ksef]).of("ksef")
    for name, document in official.samples().items():
        kept = read_on(document, declared_type(type_in(document)), date(2026, 11, 24), ksef)
        found = content_of([document, kept.ubl], ksef)
        assert not isinstance(found, str), (name, found)
        invoice = read(document)
        assert (found.syntax, found.invoice["number"]) == ("ubl", invoice.number), name
        assert len(found.invoice["lineItems"]) == len(invoice.lines), name
