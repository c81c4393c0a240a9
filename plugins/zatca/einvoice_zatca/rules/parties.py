"""Rules about seller and buyer: their names, numbers and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from einvoice.rules.book import Chapter, Kind
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice_zatca.rules import contexts as at
from einvoice_zatca.rules.codes import BUYER_SCHEMES, SELLER_SCHEMES
from einvoice_zatca.rules.conditions import (
    ADDRESS,
    BUYER,
    FATAL,
    KSA,
    NAME,
    PARTY_ID,
    SELLER,
    VAT_ID,
    WARNING,
    Test,
    blank,
    declare,
    in_document,
    lacks,
    longer,
    of_simplified,
    of_standard,
    outside,
    summary,
    unlike,
)

parties = Chapter(KSA)
_VAT_NUMBER: Final = re.compile(r"3[0-9]{13}3")
_POSTAL_CODE: Final = re.compile(r"[0-9]{5}")
_BUILDING: Final = re.compile(r"[0-9]{4}")
_PHONE: Final = re.compile(r"(?:0|\+)[0-9]{4,15}")
_COUNTRY: Final = "cac:Country/cbc:IdentificationCode"


def _is_number(text: str, length: int, start: str = "") -> bool:
    """Whether a text is so many digits; white space around it is no digit, but not counted."""
    digits = not text.strip("0123456789")
    return digits and len(normalized(text)) == length and normalized(text).startswith(start)


# -- identifiers -----------------------------------------------------------------------------------


def _is_no_registration(scheme: str, start: str = "") -> Test:
    """Whether the identifier of a party with this scheme is not ten digits."""

    def test(party: Node, _: View) -> bool:
        path = f"cac:Party/{PARTY_ID}"
        if not party.has(path) or normalized(party.attribute_of(path, "schemeID")) != scheme:
            return False
        return not _is_number(party.text_of(path), 10, start)

    return test


def _allowed(party: Node) -> tuple[str, ...]:
    return SELLER_SCHEMES if party.name == "cac:AccountingSupplierParty" else BUYER_SCHEMES


def _has_a_spaced_scheme(party: Node, _: View) -> bool:
    raw = party.attribute_of(f"cac:Party/{PARTY_ID}", "schemeID")
    return normalized(raw).upper() in _allowed(party) and raw != normalized(raw)


_RUNS: Final = tuple(
    run
    for digits in ("123456789", "012345678")
    for run in (digits[:8], digits[1:9], digits[:8][::-1], digits[1:9][::-1])
) + tuple(digit * 8 for digit in "0123456789")


def _has_a_made_up_number(party: Node, _: View) -> bool:
    return any(
        any(run in normalized(each.text) for run in _RUNS)
        for each in _identified(party)
        if normalized(each.text).isdecimal()
    )


def _identified(party: Node) -> Iterator[Node]:
    for each in party.all(f"cac:Party/{PARTY_ID}"):
        if normalized(each.attributes.get("schemeID", "")).upper() in _allowed(party):
            yield each


declare(parties, at.EITHER_PARTY, WARNING, [
    ("BR-KSA-F-08", "BT-29 BT-46", _is_no_registration("CRN"),
     "A commercial registration number (CRN) is ten digits"),
    ("BR-KSA-F-09", "BT-29 BT-46", _is_no_registration("700", "7"),
     "A number of scheme 700 is ten digits, the first of them 7"),
    ("BR-KSA-F-12", "BT-29 BT-46", _has_a_spaced_scheme,
     "The scheme of an identifier has no spaces around it"),
    ("BR-KSA-F-13", "BT-29 BT-46", _has_a_made_up_number,
     "An identifier has no eight digits that are equal or follow each other"),
], Kind.FORMAT)  # fmt: skip


def _lacks_seller_id(_: Node, view: View) -> bool:
    path = f"{SELLER}/{PARTY_ID}"
    found = view.root.all(path)
    if not found:
        return True
    scheme = (
        normalized(view.root.attribute_of(path, "schemeID"))
        if len(found) == 1
        else (
            normalized(view.root.text_of(path))  # raises: only one may be given
        )
    )
    return len(scheme) <= 2 or scheme not in "CRN MOM MLS SAG OTH 700"


declare(parties, at.DOCUMENT, FATAL, [
    ("BR-KSA-39", "BT-31",
     lambda node, _: not (any(node.texts(f"{SELLER}/{VAT_ID}")) and any(
         normalized(each.text) == "VAT"
         for each in node.all(f"{SELLER}/cac:PartyTaxScheme/cac:TaxScheme/cbc:ID"))),
     "The seller has a VAT number (BT-31)"),
], Kind.PRESENCE)  # fmt: skip
declare(parties, at.DOCUMENT, WARNING, [
    ("BR-KSA-08", "BT-29", _lacks_seller_id,
     "The seller has another identifier (BT-29): CRN, MOM, MLS, 700, SAG or OTH"),
])  # fmt: skip


def _has_no_scheme(node: Node, _: View) -> bool:
    scheme = normalized(node.attributes.get("schemeID", ""))
    return len(scheme) <= 2 or scheme not in "TIN NAT IQA PAS CRN MOM MLS 700 SAG GCC OTH"


def _is_no_number_of(scheme: str, start: str) -> Test:
    def test(node: Node, _: View) -> bool:
        named = normalized(node.attributes.get("schemeID", "")) == scheme
        return named and not _is_number(node.text, 10, start)

    return test


declare(parties, at.BUYER_ID, FATAL, [
    ("BR-KSA-14", "BT-46", _has_no_scheme,
     "The scheme of the buyer's identifier (BT-46) is one of eleven: TIN, CRN, NAT, …"),
], Kind.CODE_LIST)  # fmt: skip
declare(parties, at.BUYER_ID, WARNING, [
    ("BR-KSA-F-07", "BT-46", _is_no_number_of("TIN", "3"),
     "A tax identification number (TIN) is ten digits, the first of them 3"),
    ("BR-KSA-F-10", "BT-46", _is_no_number_of("NAT", "1"),
     "A national identity number (NAT) is ten digits, the first of them 1"),
    ("BR-KSA-F-11", "BT-46", _is_no_number_of("IQA", "2"),
     "A residence number (IQA) is ten digits, the first of them 2"),
], Kind.FORMAT)  # fmt: skip


def _is_unidentified(party: Node, _: View) -> bool:
    return not party.has(VAT_ID) and not normalized(party.text_of(PARTY_ID))


def _lacks_national_number(_: Node, view: View) -> bool:
    return "NAT" not in view.root.attributes_at(f"{BUYER}/{PARTY_ID}", "schemeID")


declare(parties, at.BUYER_IDENTIFIED, WARNING, [
    ("BR-KSA-81", "BT-46 BT-48", of_standard(_is_unidentified),
     "The buyer of a standard document has a VAT number (BT-48) or another one (BT-46)"),
], Kind.PRESENCE)  # fmt: skip
declare(parties, at.RELIEVED, FATAL, [
    ("BR-KSA-49", "BT-46", _lacks_national_number,
     "A citizen whose education or health care is zero-rated has a national number (BT-46)"),
], Kind.PRESENCE)  # fmt: skip
declare(parties, at.SELLER_SCHEME, FATAL, [
    ("BR-KSA-40", "BT-31", in_document(unlike(f"{SELLER}/{VAT_ID}", _VAT_NUMBER)),
     "The VAT number of the seller (BT-31) is 15 digits, of which the first and last are 3"),
], Kind.FORMAT)  # fmt: skip


def _is_no_vat_number(_: Node, view: View) -> bool:
    text = view.root.text_of(f"{BUYER}/{VAT_ID}")
    return bool(text) and _VAT_NUMBER.fullmatch(text) is None


declare(parties, at.BUYER_VAT_ID, FATAL, [
    ("BR-KSA-44", "BT-48", _is_no_vat_number,
     "The VAT number of the buyer (BT-48) is 15 digits, of which the first and last are 3"),
], Kind.FORMAT)  # fmt: skip
declare(parties, at.BUYER_VAT_ID, WARNING, [
    ("BR-KSA-99", "BT-48", of_standard(in_document(blank(f"{BUYER}/{VAT_ID}"))),
     "A VAT number of the buyer (BT-48) is not empty"),
])  # fmt: skip

# -- addresses -------------------------------------------------------------------------------------

_HERE: Final = f"{BUYER}/{ADDRESS}"
_PARTS: Final = ("StreetName", "BuildingNumber", "PostalZone", "CityName", "CitySubdivisionName")

declare(parties, at.SELLER_ADDRESS, WARNING, [
    ("BR-KSA-09", "BG-5",
     lacks(*(f"cbc:{name}" for name in _PARTS), _COUNTRY),
     "The address of the seller has street, building number, district, city, postal code, country"),
    ("BR-KSA-66", "BT-38", unlike("cbc:PostalZone", _POSTAL_CODE),
     "The postal code of the seller (BT-38) is five digits"),
    ("BR-KSA-F-06-C4", "BT-35", outside("cbc:StreetName", 1, 1000),
     "The street of the seller (BT-35) has at most 1,000 characters"),
    ("BR-KSA-F-06-C6", "BT-36", longer("cbc:AdditionalStreetName", 127),
     "The second line of the seller's address (BT-36) has at most 127 characters"),
    ("BR-KSA-F-06-C7", "BT-37", outside("cbc:CityName", 1, 127),
     "The city of the seller (BT-37) has at most 127 characters"),
    ("BR-KSA-F-06-C11", "BT-51", in_document(longer(f"{_HERE}/cbc:AdditionalStreetName", 127)),
     "The second line of the buyer's address (BT-51) has at most 127 characters"),
])  # fmt: skip
declare(parties, at.SELLER_PARTY, WARNING, [
    ("BR-KSA-37", "", unlike(f"{ADDRESS}/cbc:BuildingNumber", _BUILDING),
     "The building number of the seller (KSA-17) is four digits"),
])  # fmt: skip


def _lacks_part(_: Node, view: View) -> bool:
    paths = (*(f"cbc:{name}" for name in _PARTS), _COUNTRY)
    return any(not normalized(view.root.text_of(f"{_HERE}/{path}")) for path in paths)


def _has_no_postal_code(_: Node, view: View) -> bool:
    if "SA" not in view.root.texts(f"{_HERE}/{_COUNTRY}"):
        return False
    return unlike(f"{_HERE}/cbc:PostalZone", _POSTAL_CODE)(view.root, view)


def _or_empty(path: str, most: int | None = None) -> Test:
    """Whether the text on the path is missing, empty, or longer."""

    def test(_: Node, view: View) -> bool:
        length = len(view.root.text_of(path))
        return length < 1 or (most is not None and length > most)

    return test


def _lacks_period(_: Node, view: View) -> bool:
    if not view.once(summary):
        return False
    names = ("cbc:ActualDeliveryDate", "cbc:LatestDeliveryDate")
    return not all(view.everywhere(name) for name in names)


_DISTRICT: Final = "cbc:CitySubdivisionName"
declare(parties, at.SAUDI_BUYER, WARNING, [
    ("BR-KSA-63", "BG-8", of_standard(_lacks_part),
     "The address of a Saudi buyer has street, building number, district, city and postal code"),
    ("BR-KSA-67", "BT-53", of_standard(_has_no_postal_code),
     "The postal code of a Saudi buyer (BT-53) is five digits"),
    ("BR-KSA-F-06-C28", "", of_standard(_or_empty(f"{_HERE}/{_DISTRICT}")),
     "The district of the buyer (KSA-4) is given"),
    ("BR-KSA-F-06-C29", "", of_standard(in_document(longer(f"{_HERE}/{_DISTRICT}", 127))),
     "The district of the buyer (KSA-4) has at most 127 characters"),
    ("BR-KSA-F-06-C9", "", in_document(outside(f"{SELLER}/{ADDRESS}/{_DISTRICT}", 1, 127)),
     "The district of the seller (KSA-3) has at most 127 characters"),
])  # fmt: skip
declare(parties, at.SAUDI_BUYER, FATAL, [
    ("BR-KSA-72", "BT-72", _lacks_period,
     "A simplified document of several supplies has their first and last day"),
])  # fmt: skip


def _lacks_short_address(_: Node, view: View) -> bool:
    paths = (_COUNTRY, "cbc:StreetName", "cbc:CityName")
    return any(not view.root.text_of(f"{_HERE}/{path}") for path in paths)


declare(parties, at.EITHER_TYPE, WARNING, [
    ("BR-KSA-10", "BG-8", of_standard(_lacks_short_address),
     "The address of the buyer of a standard document has street, city and country"),
    ("BR-KSA-F-06-C23", "BT-50", of_standard(_or_empty(f"{_HERE}/cbc:StreetName", 1000)),
     "The street of the buyer (BT-50) is given, with at most 1,000 characters"),
    ("BR-KSA-F-06-C24", "BT-50",
     of_simplified(in_document(longer(f"{_HERE}/cbc:StreetName", 1000))),
     "The street of the buyer (BT-50) has at most 1,000 characters"),
    ("BR-KSA-F-06-C25", "BT-52", of_standard(_or_empty(f"{_HERE}/cbc:CityName")),
     "The city of the buyer (BT-52) is given"),
    ("BR-KSA-F-06-C26", "BT-52", in_document(longer(f"{_HERE}/cbc:CityName", 127)),
     "The city of the buyer (BT-52) has at most 127 characters"),
    ("BR-KSA-F-06-C12", "BT-44", of_standard(in_document(outside(f"{BUYER}/{NAME}", 1, 1000))),
     "The name of the buyer (BT-44) has at most 1,000 characters"),
    ("BR-KSA-F-06-C32", "BT-44", of_simplified(in_document(longer(f"{BUYER}/{NAME}", 1000))),
     "The name of the buyer (BT-44) has at most 1,000 characters"),
])  # fmt: skip
declare(parties, at.BUYER_PARTY, WARNING, [
    ("BR-KSA-42", "BT-44", of_standard(lambda node, _: not any(node.texts(NAME))),
     "The buyer of a standard document has a name (BT-44)"),
], Kind.PRESENCE)  # fmt: skip


def _has_no_name(_: Node, view: View) -> bool:
    codes = view.root.texts(
        "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cbc:TaxExemptionReasonCode"
    )
    relieved = all(code in " VATEX-SA-HEA VATEX-SA-EDU " for code in codes)
    return bool(codes) and relieved and not any(view.root.texts(f"{BUYER}/{NAME}"))


declare(parties, at.SIMPLIFIED_TYPE, WARNING, [
    ("BR-KSA-25", "BT-44", _has_no_name,
     "The buyer has a name (BT-44) where education or health care is zero-rated"),
    ("BR-KSA-71", "BT-44",
     lambda node, view: view.once(summary) and blank(f"{BUYER}/{NAME}")(view.root, view),
     "The buyer of several supplies has a name (BT-44)"),
], Kind.PRESENCE)  # fmt: skip


def _has_no_phone(_: Node, view: View) -> bool:
    text = view.root.text_of(f"{BUYER}/cac:Contact/cbc:Telephone")
    return bool(text) and _PHONE.fullmatch(text) is None


_CONTACT: Final = f"{BUYER}/cac:Contact"
declare(parties, at.BUYER_CONTACT, WARNING, [
    ("BR-KSA-85", "BT-57", _has_no_phone,
     "The telephone number of the buyer (BT-57) is 0 or + and 4 to 15 digits"),
    ("BR-KSA-F-06-C37", "BT-56", in_document(longer(f"{_CONTACT}/cbc:Name", 1000)),
     "The contact of the buyer (BT-56) has at most 1,000 characters"),
    ("BR-KSA-F-06-C38", "", in_document(longer(f"{_CONTACT}/cbc:Note", 1000)),
     "The note on the contact of the buyer has at most 1,000 characters"),
])  # fmt: skip
