"""Damage to national data: countries, identifiers, payment means, document types."""

import random

from tests.oracle.damage import Element, Operator, described, elements, leaf, local
from tests.oracle.damage_vat import VAT_NUMBERS, vat_numbers

_COUNTRIES = ("NO", "DK", "IT", "SE", "NL", "GR", "EL", "IS", "DE", "BE", "FR", "XX")
_SCHEMES = (
    "0184", "0192", "0208", "0106", "0190", "0007", "0088", "0151", "0201", "0210", "0211", "0096",
    "0198", "0217", "9906", "9907", "9944", "9933", "0196", "0002", "",
)  # fmt: skip
_IDENTIFIERS = (
    "12345674", "DK12345674", "123456785", "0403019261", "7300010000001", "5560004755", "abc", "",
    "51824753556", "UFY9MH", "RSSMRA85T10A562S", "12345678903", "12345678901234567890",
    "1234567890",
)  # fmt: skip
_MEANS = ("1", "10", "30", "31", "42", "48", "49", "50", "56", "58", "59", "93", "97", "57", "ZZZ")
_REFERENCES = (
    "01#",
    "04#1234567890123456",
    "15#1",
    "71#123456789012345",
    "73#",
    "75#1234",
    "#x",
    "1234",
)


def country(root: Element, chance: random.Random) -> str:
    codes = [each for each in elements(root) if local(each) == "CountryID" or (
        local(each) == "IdentificationCode")]  # fmt: skip
    code = chance.choice(_COUNTRIES)
    chosen = codes if chance.random() < 0.5 else codes[:1]
    for each in chosen:
        each.text = code
    return f"country {code} in {len(chosen)} places"


def identifier(root: Element, chance: random.Random) -> str:
    found = [each for each in elements(root, "ID") if each.get("schemeID") or not len(each)]
    if not found:
        return "identifier -"
    chosen, scheme = chance.choice(found), chance.choice(_SCHEMES)
    chosen.set("schemeID", scheme)
    chosen.text = chance.choice((*_IDENTIFIERS, *VAT_NUMBERS))
    return described("identifier", chosen, f"{scheme} {chosen.text}")


def vat_country(root: Element, chance: random.Random) -> str:
    """Set a country and a VAT number of it for all parties."""
    number = chance.choice(VAT_NUMBERS)
    for each in elements(root, "CountryID", "IdentificationCode"):
        each.text = number[:2]
    for group in elements(root, "PartyTaxScheme", "SpecifiedTaxRegistration"):
        term = leaf(group, "CompanyID", "ID")
        term.text = number
        if term.get("schemeID"):
            term.set("schemeID", chance.choice(("VA", "VAT", "FC")))
    return f"all parties {number}"


def means(root: Element, chance: random.Random) -> str:
    found = [each for each in elements(root, "PaymentMeansCode", "TypeCode") if _of_means(each)]
    for each in found:
        each.text = chance.choice(_MEANS)
    for each in elements(root, "PaymentID", "PaymentReference"):
        each.text = chance.choice(_REFERENCES)
    return described("means", found[0] if found else None)


def _of_means(code: Element) -> bool:
    return local(code) == "PaymentMeansCode" or local(code.getparent()).endswith("PaymentMeans")


def document_type(root: Element, chance: random.Random) -> str:
    found = [each for each in elements(root, "TypeCode") if _of_document(each)]
    for each in found:
        each.text = chance.choice(("380", "381", "384", "326", "389", "751", "81", "X", "380 381"))
    return described("type", found[0] if found else None)


def _of_document(code: Element) -> bool:
    named = local(code) in ("InvoiceTypeCode", "CreditNoteTypeCode")
    return named or local(code.getparent()) == "ExchangedDocument"


NATIONAL: tuple[Operator, ...] = (
    country,
    identifier,
    identifier,
    vat_country,
    means,
    document_type,
    vat_numbers,
)
