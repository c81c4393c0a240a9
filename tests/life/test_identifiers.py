"""Tax numbers as people have them (decisions 31.1): each case is one of other systems' users.

No number is on the document that the sender did not have.
"""

from __future__ import annotations

import copy
import json
import time
from datetime import date
from typing import Any

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidField
from einvoice.domain.request import DerivedInvoice
from einvoice.domain.tax_words import means_none, without_words
from einvoice.domain.vat_ids import tax_number, vat_id
from einvoice.validation import findings
from einvoice.web.shared.send_bodies import read_send
from tests.builders import SEND, send_body
from tests.tables import each_row

BE, DE, FR, GB, US = ({"countryCode": code} for code in ("BE", "DE", "FR", "GB", "US"))
LINE = {"description": "Consulting", "quantity": 2, "unitPrice": 50.0, "taxRate": 21.0}
EXEMPT: dict[str, Any] = {
    "lineItems": [LINE | {"taxRate": 0, "taxCategory": "E"}],
    "taxExemption": {"reason": "TVA non applicable, art. 293 B du CGI"},
    "totals": {"subtotal": 100.0, "taxAmount": 0, "grandTotal": 100.0},
}


def sent(**invoice: Any) -> DerivedInvoice:
    """The invoice of the body of a send; keyword arguments replace fields."""
    request = read_send(json.dumps(send_body("ref", **invoice)).encode())
    return derive(request["invoice"], request["routing"])


def alone(**invoice: Any) -> DerivedInvoice:
    """As `sent`, by participants that tell nothing of the parties: GLNs."""
    body = send_body("ref", **invoice)
    body["routing"]["senderParticipantId"] = "0088:9520000000011"
    request = read_send(json.dumps(body).encode())
    return derive(request["invoice"], request["routing"])


def party(role: str, tax_id: str, address: dict[str, str] | None, **more: Any) -> dict[str, Any]:
    given = copy.deepcopy(SEND["invoice"][role])
    given |= {"taxId": tax_id, "address": (given["address"] | address) if address else {}}
    return {role: {k: v for k, v in (given | more).items() if v is not None}}


def told(found: DerivedInvoice, field: str) -> list[str]:
    return [f"{w.code} {w.variant}".strip() for w in found.warnings if w.field == field]


# name, tax id, country: BT-31, BT-32, warning of the supplier; BT-48, warning of the buyer
CASES = [
    ("German tax number with slashes", "12/345/67890", DE,
     None, "12/345/67890", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("German tax number of nine digits", "21/815/0815", DE,
     None, "21/815/0815", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("German tax number of thirteen digits", "1121081508150", DE,
     None, "1121081508150", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("German tax number with its name", "Steuernummer: 12/345/67890", DE,
     None, "12/345/67890", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("German VAT number", "DE 123 456 788", DE, "DE123456788", None, None, "DE123456788", None),
    ("German VAT number without prefix", "123456788", DE, "DE123456788", None,
     "vat-number-completed supplier", "DE123456788", "vat-number-completed buyer"),
    ("N/A", "N/A", BE, None, None, "vat-number-dropped supplier-none",
     None, "vat-number-dropped buyer-none"),
    ("none", "none", BE, None, None, "vat-number-dropped supplier-none",
     None, "vat-number-dropped buyer-none"),
    ("geen", "geen", BE, None, None, "vat-number-dropped supplier-none",
     None, "vat-number-dropped buyer-none"),
    ("a slash as placeholder", "/", FR, None, None, None, None, None),
    ("a dash as placeholder", "-", FR, None, None, None, None, None),
    ("BTW before the number", "BTW BE0403.170.701", BE, "BE0403170701", None,
     "vat-number-completed supplier-words", "BE0403170701", "vat-number-completed buyer-words"),
    ("TVA: before the number", "TVA: BE 0403.170.701", BE, "BE0403170701", None,
     "vat-number-completed supplier-words", "BE0403170701", "vat-number-completed buyer-words"),
    ("BTW without a space", "BTWBE0403170701", BE, "BE0403170701", None,
     "vat-number-completed supplier-words", "BE0403170701", "vat-number-completed buyer-words"),
    ("RPM behind the number", "BE0403170701 / RPM", BE, "BE0403170701", None,
     "vat-number-completed supplier-words", "BE0403170701", "vat-number-completed buyer-words"),
    ("SIRET before the number", "SIRET 73282932000074", FR, "FR44732829320", None,
     "vat-number-completed supplier-words", "FR44732829320", "vat-number-completed buyer-words"),
    ("USt-IdNr. before the number", "USt-IdNr.: DE123456788", DE, "DE123456788", None,
     "vat-number-completed supplier-words", "DE123456788", "vat-number-completed buyer-words"),
    ("USt-ID before a number with its country", "USt-ID DE 123 456 788", FR, "DE123456788", None,
     "vat-number-completed supplier-words", "DE123456788", "vat-number-completed buyer-words"),
    ("NIP, which begins as Nicaragua does", "NIP 526-025-02-74", {"countryCode": "PL"},
     "PL5260250274", None, "vat-number-completed supplier-words", "PL5260250274",
     "vat-number-completed buyer-words"),
    ("CVR, which begins as Cape Verde does", "CVR 13585628", {"countryCode": "DK"}, "DK13585628",
     None, "vat-number-completed supplier-words", "DK13585628", "vat-number-completed buyer-words"),
    ("CUI, which begins as Cuba does", "CUI 18547290", {"countryCode": "RO"}, "RO18547290", None,
     "vat-number-completed supplier-words", "RO18547290", "vat-number-completed buyer-words"),
    ("Norwegian number with its name", "Org.nr 995525828 MVA", {"countryCode": "NO"},
     "NO995525828MVA", None, "vat-number-completed supplier-words", "NO995525828MVA",
     "vat-number-completed buyer-words"),
    ("a register behind the SIREN", "303 265 045 RCS Paris", FR, "FR40303265045", None,
     "vat-number-completed supplier-words", "FR40303265045", "vat-number-completed buyer-words"),
    ("a register and a town before it", "RCS Paris 303 265 045", FR, None, "RCS Paris 303 265 045",
     "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("a status in place of a number", "Kleinunternehmer", DE, None, None,
     "vat-number-dropped supplier-none", None, "vat-number-dropped buyer-none"),
    ("a country whose numbers are not known", "KH100123456", {"countryCode": "KH"}, "KH100123456",
     None, None, "KH100123456", None),
    ("P.IVA before the number", "P.IVA 00743110157", {"countryCode": "IT"}, "IT00743110157", None,
     "vat-number-completed supplier-words", "IT00743110157", "vat-number-completed buyer-words"),
    ("VAT no. of no Norwegian", "VAT no. 434031494", GB, "GB434031494", None,
     "vat-number-completed supplier-words", "GB434031494", "vat-number-completed buyer-words"),
    ("codice fiscale of a person", "RSSMRA85T10A562S", {"countryCode": "IT"}, None,
     "RSSMRA85T10A562S", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("one-stop shop of a US seller", "EU372000041", US, None, "EU372000041",
     "tax-id-as-registration one-stop-shop", None, "vat-number-dropped buyer-one-stop-shop"),
    ("one-stop shop at a Belgian address", "EU372000041", BE, None, "EU372000041",
     "tax-id-as-registration one-stop-shop", None, "vat-number-dropped buyer-one-stop-shop"),
    ("Hungarian tax number", "12892312-2-41", {"countryCode": "HU"}, "HU12892312", None,
     "vat-number-completed supplier", "HU12892312", "vat-number-completed buyer"),
    ("US EIN", "12-3456789", US, None, "12-3456789", "tax-id-as-registration form",
     None, "vat-number-dropped buyer-form"),
    ("US EIN with the country", "US123456789", US, None, "US123456789",
     "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("Swiss suffix MWST", "CHE-116.281.710 MWST", {"countryCode": "CH"}, "CHE116281710MWST", None,
     None, "CHE116281710MWST", None),
    ("Swiss suffix TVA", "CHE-116.281.710 TVA", {"countryCode": "CH"}, "CHE116281710TVA", None,
     None, "CHE116281710TVA", None),
    ("VAT number of another country", "ESB58378431", FR, "ESB58378431", None, None,
     "ESB58378431", None),
    ("Belgian number with wrong check digits", "BE0403170700", BE, "BE0403170700", None, None,
     "BE0403170700", None),
    ("Northern Ireland at a British address", "XI110305878", GB, "XI110305878", None, None,
     "XI110305878", None),
    ("Monaco", "53000004605", {"countryCode": "MC"}, "FR53000004605", None,
     "vat-number-completed supplier", "FR53000004605", "vat-number-completed buyer"),
    ("Réunion", "FR44732829320", {"countryCode": "RE"}, "FR44732829320", None, None,
     "FR44732829320", None),
    ("French Guiana, where there is no VAT", "732829320", {"countryCode": "GF"}, None,
     "732829320", "tax-id-as-registration form", None, "vat-number-dropped buyer-form"),
    ("Kosovo", "1A330123456", {"countryCode": "1A"}, "1A330123456", None, None, "1A330123456",
     None),
    ("GST number of India", "27AAPFU0939F1ZV", {"countryCode": "IN"}, "IN27AAPFU0939F1ZV", None,
     "vat-number-completed supplier", "IN27AAPFU0939F1ZV", "vat-number-completed buyer"),
    ("Japanese corporate number", "T7000012050002", {"countryCode": "JP"}, "JPT7000012050002",
     None, "vat-number-completed supplier", "JPT7000012050002", "vat-number-completed buyer"),
    ("Australian ABN", "51 824 753 556", {"countryCode": "AU"}, "AU51824753556", None,
     "vat-number-completed supplier", "AU51824753556", "vat-number-completed buyer"),
]  # fmt: skip


@each_row("case", CASES, ids=[case[0] for case in CASES])
def test_a_tax_id_is_a_vat_number_only_in_its_form(case):
    """odoo#238499, #286241, #279638, #140630, RechnungsFee#335, l10n-italy#2971 and others."""
    _, tax_id, address, bt31, bt32, warned, bt48, buyer_warned = case
    selling = sent(**party("supplier", tax_id, address, companyId=None))
    buying = sent(**party("buyer", tax_id, address))

    seller, buyer = selling.invoice.seller, buying.invoice.buyer
    registration = seller.tax_registration.value if seller.tax_registration else None
    assert (seller.vat_id, registration) == (bt31, bt32)
    assert told(selling, "invoice.supplier.taxId") == ([warned] if warned else [])
    assert (buyer.vat_id, buyer.tax_registration) == (bt48, None)
    assert told(buying, "invoice.buyer.taxId") == ([buyer_warned] if buyer_warned else [])


def test_a_name_of_vat_before_something_else_is_refused():
    """woocommerce-pdf-invoices-packing-slips#1426: a typing error must not become a number."""
    with pytest.raises(InvalidField) as refusal:
        sent(**party("supplier", "BTW BE0403.170.70", BE))

    [error] = refusal.value.errors
    assert error.pointer == "/invoice/supplier/taxId"
    assert "'BE0403.170.70' has not the form of one of BE" in error.message


def test_a_company_without_vat_has_its_number_as_registration():
    """Dolibarr modules#560: the SIREN of a micro-entrepreneur, exempt by art. 293 B, is BT-32."""
    found = alone(**party("supplier", "732829320", FR, companyId=None), **EXEMPT)

    seller = found.invoice.seller
    assert (seller.vat_id, seller.tax_registration.value) == (None, "732829320")
    assert told(found, "invoice.supplier.taxId") == ["tax-id-as-registration unneeded"]
    assert (seller.legal_id.scheme, seller.legal_id.value) == ("0002", "732829320")
    report = findings(found.invoice, None, date(2026, 11, 21))
    assert [each.rule_id for each in report.errors] == []


def test_a_tax_registration_that_was_sent_stays():
    more = {"taxRegistration": "Foretaksregisteret"}
    found = sent(**party("supplier", "12/345/67890", DE, **more))

    assert found.invoice.seller.tax_registration.value == "Foretaksregisteret"
    assert told(found, "invoice.supplier.taxId") == ["vat-number-dropped supplier-form"]


@pytest.mark.parametrize(
    ("tax_id", "country"),
    [
        ("XI110305878", "GB"),
        ("EL094259216", "GR"),
        ("NONE", None),
        ("GEEN", None),
        ("RSSMRA85T10A562S", None),
        ("EU372000041", None),
        ("FR44732829320", "FR"),
    ],
)
def test_a_country_follows_from_a_vat_number_only(tax_id, country):
    """FatturaElettronica.NET#314: the address of XI110305878 is in GB; a word is in no country."""
    found = alone(**party("supplier", tax_id, None))

    assert found.invoice.seller.address.country == country


def test_numbers_of_other_countries_are_no_belgian_enterprise_number():
    """odoo#140630: EU372000041 at a Belgian address has nine digits."""
    for tax_id in ("EU372000041", "DE123456788", "FR44732829320"):
        found = sent(
            **party("buyer", tax_id, BE),
        )
        assert found.invoice.buyer.legal_id is None, tax_id


@pytest.mark.parametrize(
    ("company_id", "country", "expected"),
    [
        ("30326504500011", FR, ("0009", "30326504500011")),
        ("303 265 045 00011", FR, ("0009", "30326504500011")),
        ("0002:30326504500011", FR, ("0009", "30326504500011")),
        ("0009:30326504500011", FR, ("0009", "30326504500011")),
        ("303265045", FR, ("0002", "303265045")),
        ("30326504500011", {"countryCode": "RE"}, ("0009", "30326504500011")),
        ("303265045", {"countryCode": "GF"}, ("0002", "303265045")),
        ("30326504500011", BE, ("0208", "30326504500011")),
    ],
)
def test_a_siret_stays_a_siret(company_id, country, expected):
    """odoo#229014, #268519: the establishment is what Chorus Pro needs."""
    for role in ("supplier", "buyer"):
        found = sent(**party(role, "", country, companyId=company_id)).invoice
        legal = (found.seller if role == "supplier" else found.buyer).legal_id
        assert (legal.scheme, legal.value) == expected


def test_an_invoice_goes_to_kosovo():
    """eInvoicing-EN16931#289: 1A is the code of the list, and what XK is answered with."""
    found = sent(**party("buyer", "", {"countryCode": "1A"}))
    report = findings(found.invoice, None, date(2026, 11, 21))
    with pytest.raises(InvalidField, match="use 1A if you mean that"):
        sent(**party("buyer", "", {"countryCode": "XK"}))

    assert found.invoice.buyer.address.country == "1A"
    assert [each.rule_id for each in report.errors] == []


def test_the_forms_are_those_of_the_countries():
    """A number of each country in its form, and the same with one character less or more."""
    numbers = """ATU13585627 BE0403170701 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628
        EE100931558 EL094259216 ESB58378431 FI20774740 FR40303265045 HR33392005961 HU12892312
        IE6433435F IT00743110157 LT119511515 LU15027442 LV40003521600 MT11679112 NL123456789B90
        PL8567346215 PT501964843 RO18547290 SE123456789701 SI50223054 SK2022749619 GB980780684
        XI110305878 NO995525828MVA CHE107787577IVA LI54321 IS12345 TR1234567890 RS101134702
        MK4030000375897 ALJ91402501L BA123456789012 ME02655284 UA123456789012 MD1008600038413
        AE100123456700003 SA300123456700003 AU51824753556 NZ49091850 SGM91234567X
        JPT7000012050002 IN27AAPFU0939F1ZV ADU132950X SM24165 FO623857 BY200988541"""
    shorter = {"BE", "CH", "CZ", "IE", "IS", "MD", "NZ", "RO", "SM", "UA"}  # other forms of theirs
    longer = {"BG", "CH", "CZ", "IE", "IS", "LT", "NO", "NZ", "RO", "UA"}
    for number in numbers.split():
        prefix = number[:2]
        assert vat_id(number, None) == number
        if prefix not in shorter:
            assert vat_id(number[:-1], None) is None, number
        if prefix not in longer:
            assert vat_id(f"{number}0", None) is None, number


@pytest.mark.parametrize("unit", ["A", "1", "VAT ", " ", ".", "BTW:", "é", "RPM", "N/A ", "BE0"])
def test_a_hostile_text_takes_time_in_proportion(unit):
    """Of 100 KB; the API refuses more than 50 characters before."""

    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        begun = time.process_time()
        tax_number(text, "BE"), means_none(text), without_words(text)
        return time.process_time() - begun

    cost(1_000)
    assert cost(100_000) < 0.5
