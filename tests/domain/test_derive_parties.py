"""Decisions 17.2 to 17.7: countries, addresses, names, ids of seller and buyer."""

from __future__ import annotations

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Address, Contact, Identifier, Routing

ROUTING = Routing(ParticipantId.parse("0208:0123456749"), None)


def party(**more):
    return {"name": "Party"} | more


def codes(result):
    return [(w.code, w.field) for w in result.warnings if w.code in ABOUT_PARTIES]


ABOUT_PARTIES = {"country-derived", "scheme-country-mismatch"}
DERIVED = ("country-derived", "invoice.supplier.address.countryCode")
MISMATCH = ("scheme-country-mismatch", "invoice.supplier.address.countryCode")


@pytest.mark.parametrize(
    ("address", "tax_id", "sender", "country", "warned"),
    [
        ({"countryCode": "BE"}, "FR96552100554", "0007:5560360793", "BE", []),
        ({}, "FR96552100554", "0007:5560360793", "FR", [DERIVED]),
        ({"countryCode": ""}, "EL094259216", "0088:9520000000004", "GR", [DERIVED]),
        ({}, "B12345674", "0088:9520000000004", None, []),
        ({}, "", "0208:0123456749", "BE", [DERIVED]),
        ({}, "", "0106:12345678", "NL", [DERIVED]),
        ({}, "", "0007:5560360793", "SE", [DERIVED]),
        ({}, "", "0002:552100554", "FR", [DERIVED]),
        ({}, "", "0235:1000000000", "AE", [DERIVED]),
        ({}, "", "0231:300123456700003", "SA", [DERIVED]),
        ({}, "", "0088:9520000000004", None, []),
        # 0196: the Emirates by the API's documentation, Iceland by the network's list
        ({}, "", "0196:1234567890", "AE", [DERIVED, MISMATCH]),
        ({"countryCode": "AE"}, "", "0196:1234567890", "AE", [MISMATCH]),
        ({"countryCode": "IS"}, "", "0196:1234567890", "IS", []),
    ],
)
def test_the_country_is_sent_or_follows_from_the_ids(
    derived, address, tax_id, sender, country, warned
):
    """Decisions 17.3 and 0.3: address, tax id, then scheme; an unknown one is left to the rules."""
    supplier = party(taxId=tax_id, address=address)

    result = derived(supplier=supplier, sender=sender, receiver="0088:9520000000011")

    assert result.invoice.seller.address == Address(country=country)
    assert codes(result) == warned


def test_a_party_without_an_address_has_an_empty_address(derived):
    """BR-09 and BR-11 require a country in an address."""
    result = derived(buyer={"name": "Buyer"})

    assert result.invoice.buyer.address == Address()


def test_an_address_is_written_as_sent(derived):
    """Decisions 17.4."""
    sent = {
        "line1": "Rue 1",
        "line2": "Floor 2",
        "city": "Brussels",
        "postalCode": "1000",
        "region": "BRU",
        "countryCode": "BE",
    }

    seller = derived(supplier=party(address=sent)).invoice.seller

    assert seller.address == Address("Rue 1", "Floor 2", None, "Brussels", "1000", "BRU", "BE")


@pytest.mark.parametrize(
    ("sent", "name", "trading_name"),
    [
        ({"name": "Legal BV"}, "Legal BV", "Legal BV"),
        ({"name": "Legal BV", "tradingName": "Shop"}, "Legal BV", "Shop"),
        ({"name": "Legal BV", "tradingName": ""}, "Legal BV", "Legal BV"),
    ],
)
def test_names(derived, sent, name, trading_name):
    """Decisions 17.7."""
    buyer = derived(buyer=sent).invoice.buyer

    assert (buyer.name, buyer.trading_name) == (name, trading_name)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"email": "a@example.com"}, Contact(email="a@example.com")),
        ({"name": "Ann", "phone": "1", "email": ""}, Contact(name="Ann", phone="1")),
        ({"name": ""}, None),
        ({}, None),
    ],
)
def test_a_contact_comes_only_from_the_contact(derived, sent, expected):
    """Decisions 17.7."""
    assert derived(buyer=party(contact=sent)).invoice.buyer.contact == expected


def test_both_parties_get_their_ids(derived):
    invoice = derived(
        supplier=party(taxId="0123.456.749", address={"countryCode": "BE"}),
        buyer=party(taxId="DE123456788", endpointId="9930:DE123456788"),
        sender="0088:9520000000011",
    ).invoice

    assert invoice.seller.vat_id == "BE0123456749"
    assert invoice.buyer.vat_id == "DE123456788"
    assert invoice.seller.legal_id is not None
    assert (invoice.seller.legal_id.scheme, invoice.seller.legal_id.value) == ("0208", "0123456749")
    assert invoice.seller.endpoint is not None
    assert (invoice.seller.endpoint.scheme, invoice.seller.endpoint.value) == (
        "0088",
        "9520000000011",
    )
    assert invoice.buyer.endpoint is not None
    assert (invoice.buyer.endpoint.scheme, invoice.buyer.endpoint.value) == ("9930", "DE123456788")


def test_no_party_has_a_vat_id_if_all_lines_are_outside_the_scope_of_vat(derived, a_line):
    """Beside another category they stay: that O stands beside it is what is wrong."""
    taxed = derived(a_line(), a_line("1", "1", "0")).invoice
    mixed = derived(a_line(), a_line("1", "1", "0", taxCategory="O")).invoice
    outside = derived(a_line("1", "1", "0", taxCategory="O")).invoice

    for invoice in (taxed, mixed):
        assert (invoice.seller.vat_id, invoice.buyer.vat_id) == ("BE0123456749", "DE123456788")
    assert (outside.seller.vat_id, outside.buyer.vat_id) == (None, None)


@pytest.mark.parametrize(
    ("sent", "registration"),
    [
        ({"taxRegistration": "Foretaksregisteret"}, Identifier("Foretaksregisteret", "TAX")),
        ({"taxRegistration": ""}, None),
        ({}, None),
    ],
)
def test_a_tax_registration_of_the_supplier_is_kept_beside_the_vat_id(derived, sent, registration):
    """BT-32, which the rules of Norway and Sweden ask for."""
    result = derived(supplier=party(taxId="NO123456785MVA", **sent))

    assert result.invoice.seller.tax_registration == registration
    assert result.invoice.seller.vat_id == "NO123456785MVA"


@pytest.mark.parametrize(
    ("sent", "sender", "warned"),
    [
        ({"companyId": "0208:0123456749"}, "0208:0123456749", False),
        ({}, "0208:0123456749", True),
        ({"companyId": ""}, "0208:0123456749", True),
        ({"taxId": "BE0123456749"}, "0088:9520000000011", True),
        ({"taxId": "DE123456788"}, "0088:9520000000011", False),
        ({}, "0088:9520000000011", False),
    ],
)
def test_a_derived_company_id_is_reported(derived, sent, sender, warned):
    """Decisions 20.2: each register number that was not sent as companyId has a warning."""
    result = derived(supplier=party(**sent), sender=sender)

    found = [w.field for w in result.warnings if w.code == "company-id-derived"]
    assert found == (["invoice.supplier.companyId"] if warned else [])
    assert (result.invoice.seller.legal_id is not None) is (warned or "companyId" in sent)


@pytest.mark.parametrize(
    ("tax_id", "country", "written", "code"),
    [
        ("DE123456788", "DE", "DE123456788", None),
        ("DE 123.456-788", "DE", "DE123456788", None),
        ("123456788", "DE", "DE123456788", "vat-number-completed"),
        ("BE123456749", "BE", "BE0123456749", "vat-number-completed"),
        ("5560360793", "SE", "SE556036079301", "vat-number-completed"),
        ("GR094259216", "GR", "EL094259216", "vat-number-completed"),
        ("12345678", "NL", None, "vat-number-dropped"),
        ("123456788", "", None, "vat-number-dropped"),
        ("", "DE", None, None),
    ],
)
def test_a_tax_id_that_is_not_written_as_sent_is_reported(derived, tax_id, country, written, code):
    """Decisions 20.3: an added country prefix, added digits, or a dropped number."""
    buyer = party(taxId=tax_id, address={"countryCode": country})

    result = derived(buyer=buyer)

    assert result.invoice.buyer.vat_id == written
    found = [(w.code, w.field) for w in result.warnings if w.code.startswith("vat-number-")]
    assert found == ([(code, "invoice.buyer.taxId")] if code else [])


def test_numbers_that_are_dropped_outside_the_scope_of_vat_are_reported(derived, a_line):
    """Decisions 20.3: category O leaves out the VAT numbers of both parties."""
    result = derived(a_line("1", "1", "0", taxCategory="O"))

    dropped = [w.field for w in result.warnings if w.code == "vat-number-dropped"]
    assert dropped == ["invoice.supplier.taxId", "invoice.buyer.taxId"]


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("category", ["O", "E", "S"])
def test_vat_numbers_follow_the_categories_unless_the_document_is_numbered(
    a_request, a_line, category, numbered
):
    """What is left out stays with the party for profiles that have another place for it."""
    line = a_line("1", "10", "21" if category == "S" else "0", taxCategory=category)
    buyer = {"name": "Buyer", "taxId": "123456788", "address": {"countryCode": "DE"}}
    request = a_request(line, buyer=buyer, taxExemption={"reason": "Art. 1"})
    made = derive(request, ROUTING, numbered=numbered).invoice
    kept = [numbered or category != "O", numbered or category == "S"]

    assert [each.vat_id for each in (made.seller, made.buyer)] == [
        number if is_kept else None
        for number, is_kept in zip(("BE0123456749", "DE123456788"), kept, strict=True)
    ]
    assert [each.omitted_tax_id is None for each in (made.seller, made.buyer)] == kept


@pytest.mark.parametrize(
    ("tax_id", "omitted"), [("12 345", "12345"), ("N/A", None), ("", None), ("DE123456788", None)]
)
def test_a_tax_id_that_is_no_vat_number_stays_with_the_party(derived, tax_id, omitted):
    buyer = {"name": "Buyer", "taxId": tax_id, "address": {"countryCode": "DE"}}

    assert derived(buyer=buyer).invoice.buyer.omitted_tax_id == omitted
