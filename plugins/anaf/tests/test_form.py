"""CIUS-RO as the form of invoices: addresses, consumers, currencies, kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from lxml import etree

from einvoice.documents.ubl.read import read_invoice
from einvoice.domain.additions import Handout
from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION
from einvoice.domain.invoice import (
    Address,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    TaxCategory,
    TaxSubtotal,
)
from einvoice.network.profile_testing import ProfileContract
from einvoice.rules.cius_ro import SPECIFICATION
from einvoice.validation import Light, judge
from einvoice.xml import parse
from einvoice_anaf import addresses, form
from plugins.anaf.tests import official
from plugins.anaf.tests.official import DAY
from plugins.anaf.tests.romanian import (
    BERLIN,
    BUCHAREST,
    CLUJ,
    INVOICES,
    in_euro,
    romanian_invoice,
    to_consumer,
)


def written(invoice: Invoice) -> bytes:
    return form.PROFILE.write(form.PROFILE.adapt(invoice).invoice)


def codes(invoice: Invoice) -> list[tuple[str, str | None]]:
    return [(each.code, each.field) for each in form.PROFILE.adapt(invoice).warnings]


def broken(document: bytes) -> set[str]:
    judged = judge(document, on=DAY)
    assert judged.verdict is not None
    return {each.id for each in judged.verdict.findings}


class TestCiusRo(ProfileContract):
    @pytest.fixture
    def profile(self):
        return form.PROFILE

    @pytest.fixture
    def evidence(self):
        return {"AUTHORITY_RECEIPT": b"<header/>"}

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        return [make() for make in INVOICES.values()]


@official.needed
@pytest.mark.parametrize("name", INVOICES)
def test_a_converted_invoice_passes_the_official_combined_rules(name):
    """EN 16931 and CIUS-RO in one file, run by Saxon."""
    assert official.verdict(written(INVOICES[name]())) == set()


@official.needed
def test_converted_examples_of_other_countries_have_the_official_findings():
    """What a conversion cannot supply is found by the same rules."""
    examples = sorted(Path(official.ROOT / "tests" / "samples").glob("*ubl.xml"))
    assert examples
    for file in examples:
        document = written(read_invoice(parse(file.read_bytes())))

        assert broken(document) == {rule for rule, _ in official.verdict(document)}, file.name


@pytest.mark.parametrize(("delivered", "lines"), [(True, ("RO e-Factura: 77",)), (False, ())])
def test_the_upload_index_is_printed_once_the_invoice_is_cleared(delivered, lines):
    handout = Handout(romanian_invoice(), b"<Invoice/>", delivered, {}, "77")

    assert form.PROFILE.additions(handout).lines == lines


def test_it_names_its_specification_and_no_process():
    root = etree.fromstring(written(romanian_invoice()))

    assert root.findtext("{*}CustomizationID") == SPECIFICATION != BIS_BILLING_CUSTOMIZATION
    assert root.find("{*}ProfileID") is None


def test_a_document_in_ron_has_one_vat_total_and_one_in_euro_has_two():
    counts = [
        len(etree.fromstring(written(make())).findall("{*}TaxTotal"))
        for make in (romanian_invoice, in_euro)
    ]

    assert counts == [1, 2]


def test_no_rate_of_exchange_is_assumed():
    assert broken(written(romanian_invoice(currency="EUR"))) == {"BR-RO-030"}


@pytest.mark.parametrize(
    ("region", "code"),
    [
        ("RO-CJ", "RO-CJ"),
        ("CJ", "RO-CJ"),
        ("Județul Bistrița-Năsăud", "RO-BN"),
        ("jud. Caraş Severin", "RO-CS"),
        ("MUNICIPIUL BUCUREȘTI", "RO-B"),
        ("Bucharest", "RO-B"),
        ("Transilvania", "Transilvania"),
        ("RO-XX", "RO-XX"),
        (None, None),
    ],
)
def test_a_region_is_written_as_the_code_of_its_county(region, code):
    assert addresses.romanian(replace(CLUJ, region=region)).region == code


@pytest.mark.parametrize(
    ("fields", "city"),
    [
        ({"city": "București", "line2": "Sectorul 6"}, "SECTOR6"),
        ({"city": "Bucuresti, sect. 2"}, "SECTOR2"),
        ({"city": "Sector 4"}, "SECTOR4"),
        ({"city": "SECTOR5", "region": "RO-B"}, "SECTOR5"),
        ({"city": "București"}, "București"),
        ({"city": "București", "line1": "Sector 7"}, "București"),
        ({"city": "București", "line1": "Sector 1", "line2": "Sector 2"}, "București"),
        ({"city": "Cluj", "line1": "Sector 1", "region": "CJ"}, "Cluj"),
        ({"city": "București", "postal_code": "030011"}, "București"),
    ],
)
def test_a_city_is_written_as_a_sector_only_where_the_address_names_one(fields, city):
    assert addresses.romanian(Address(country="RO", **fields)).city == city


def test_a_bucharest_address_without_sector_has_a_finding_that_asks_for_it():
    made = romanian_invoice()
    buyer = replace(made.buyer, address=replace(BUCHAREST, line2=None))

    assert broken(written(replace(made, buyer=buyer))) == {"BR-RO-101"}


def test_addresses_of_other_countries_stay_as_they_are():
    assert addresses.romanian(replace(BERLIN, region="Cluj")) == replace(BERLIN, region="Cluj")


def test_each_change_of_an_address_is_a_warning():
    assert codes(romanian_invoice()) == [
        ("county-written-as-code", "invoice.supplier.address.region"),
        ("county-written-as-code", "invoice.buyer.address.region"),
        ("city-written-as-sector", "invoice.buyer.address.city"),
    ]
    again = form.PROFILE.adapt(romanian_invoice()).invoice
    assert codes(again) == []


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({}, form.UNKNOWN_PERSON),
        ({"legal_id": Identifier("1960101123456")}, "1960101123456"),
        ({"address": BERLIN}, None),
    ],
)
def test_a_romanian_consumer_without_a_number_has_thirteen_zeros(changes, number):
    adapted = form.PROFILE.adapt(to_consumer(**changes))

    legal_id = adapted.invoice.buyer.legal_id
    assert (legal_id.value if legal_id else None) == number
    assumed = "consumer-assumed" in [each.code for each in adapted.warnings]
    assert assumed is (number == form.UNKNOWN_PERSON)


@pytest.mark.parametrize(
    ("omitted", "given", "legal_id", "identifiers"),
    [
        ("RO14399840", None, "14399840", []),
        ("14399840", None, "14399840", []),
        ("1960101123456", None, "1960101123456", []),
        ("DE123456788", None, "DE123456788", []),
        ("RO14399840", Identifier("J40/1/1990"), "J40/1/1990", ["14399840"]),
        (None, None, form.UNKNOWN_PERSON, []),
    ],
)
def test_a_tax_id_that_is_no_vat_number_is_the_number_of_the_buyer(
    omitted, given, legal_id, identifiers
):
    """As of who pays no VAT, whose invoices are of category O: a buyer with it is no consumer."""
    made = to_consumer(omitted_tax_id=omitted, legal_id=given)
    adapted = form.PROFILE.adapt(made)
    buyer = adapted.invoice.buyer

    assert buyer.legal_id.value == legal_id
    assert [each.value for each in buyer.identifiers] == identifiers
    named = ("tax-id-as-company-id", "invoice.buyer.taxId") in codes(made)
    assert named is (omitted is not None)
    assert ("vat-number-dropped invoice.buyer.taxId" in adapted.settled) is named


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        (Address(country="DE"), False),
        (Address(city="Hof", country="DE"), True),
        (Address(country="FR"), True),
        (None, True),
    ],
)
def test_a_delivery_of_which_only_the_country_is_known_is_one_to_the_buyer(address, kept):
    """As of an intra-community supply, for which the buyer's country was assumed."""
    berlin = replace(BERLIN, region="DE-BE")
    made = replace(romanian_invoice(), delivery=Delivery(address=address))
    made = replace(made, buyer=replace(made.buyer, address=berlin))
    found = form.PROFILE.adapt(made).invoice

    assert found.delivery.address == (address if kept else berlin)
    assumed = ("delivery-address-assumed", "invoice.deliveryAddress")
    assert (assumed in codes(made)) is not kept
    if not kept:
        assert broken(written(made)) == set()


def exported() -> Invoice:
    """An invoice in dollars, without VAT."""
    made, free, none = romanian_invoice(), TaxCategory("G", Decimal(0)), Decimal("0.00")
    lines = tuple(replace(each, item=replace(each.item, category=free)) for each in made.lines)
    net = made.totals.tax_exclusive
    totals = replace(made.totals, tax=none, tax_inclusive=net, payable=net)
    taxes = (TaxSubtotal(net, none, free, None, "VATEX-EU-G"),)
    return replace(made, currency="USD", lines=lines, totals=totals, taxes=taxes)


def test_an_invoice_without_vat_needs_no_amount_in_lei():
    """It is 0 by any rate; VAT of another amount is the sender's to convert (BR-RO-030)."""
    assert form.adapt(exported()).invoice.accounting_currency == "RON"
    assert broken(written(exported())) == set()
    assert "BR-RO-030" in broken(written(replace(romanian_invoice(), currency="USD")))


def test_a_seller_who_pays_no_vat_has_its_code_as_both_registrations():
    """BR-CO-26 asks for one of BT-29 to BT-31, BR-RO-065 for BT-31 or BT-32."""
    made = romanian_invoice()
    seller = replace(made.seller, vat_id=None, legal_id=None, omitted_tax_id="RO18547290")
    adapted = form.PROFILE.adapt(replace(made, seller=seller)).invoice.seller

    assert adapted.legal_id == Identifier("18547290")
    assert adapted.tax_registration == Identifier("18547290", "TAX")
    assert codes(replace(made, seller=adapted))[0][0] != "tax-id-as-company-id"


def test_a_self_billed_credit_note_is_not_taken():
    """CIUS-RO has no code for it: 381 is the only type of a credit note."""
    assert form.PROFILE.type_of(DocumentKind.SELF_BILLED_CREDIT_NOTE) is None
    assert form.PROFILE.type_of(DocumentKind.SELF_BILLED_INVOICE) == form.INVOICE


def test_a_document_that_is_cius_ro_already_is_green():
    assert judge(written(romanian_invoice()), on=DAY).light is Light.GREEN


def test_a_credit_note_needs_no_due_date_and_an_invoice_does():
    """The official rule BR-CO-25 is one of invoices."""
    found = {
        name: broken(written(replace(INVOICES[name](), due_date=None)))
        for name in ("invoice", "credit note")
    }

    assert found == {"invoice": {"BR-CO-25"}, "credit note": set()}
