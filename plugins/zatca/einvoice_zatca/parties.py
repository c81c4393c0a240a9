"""Seller and buyer as Fatoora has them: identifiers with their schemes, and national addresses.

An identifier names its scheme before a colon (`CRN:1010010000`). A number of ten digits without
one is a unified number (700) if it begins with 7, else a commercial registration (CRN), unless it
is of a register of another country: such a number, and a foreign VAT number, is another one (OTH).

>>> scheme_and_number("NAT:1010101010"), scheme_and_number("7001234567")
(('NAT', '1010101010'), ('700', '7001234567'))
>>> identified(Party("Ltd", legal_id=Identifier("0123456749", "0208")))
('OTH', '0123456749')
>>> identified(Party("Ltd", vat_id="GB123456789", address=Address(country="GB")))
('OTH', 'GB123456789')

A tax id that is no VAT number is known by its first digit: 1 of a citizen, 2 of a resident, 3 of a
taxpayer.

>>> identified(Party("Ltd", omitted_tax_id="3123456789"))
('TIN', '3123456789')
>>> national(Address("Prince Sultan", "RHMA3184")).building
'3184'
>>> national(Address("8091 Prince Sultan", line3="Al-Murabba"))
National(street='Prince Sultan', short='', building='8091', district='Al-Murabba')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from einvoice.domain.invoice import Address, Identifier, Party
from einvoice_zatca.rules.codes import BUYER_SCHEMES

_SHORT: Final = re.compile(r"[A-Z]{4}[0-9]{4}")
_FOUR: Final = re.compile(r"[0-9]{4}")
_FIRST: Final = re.compile(r"([0-9]{4})[ ,]+(\S.*)")
_OF_FIRST_DIGIT: Final = {"1": "NAT", "2": "IQA", "3": "TIN", "7": "700"}
_VAT_NUMBER: Final = re.compile(r"3[0-9]{13}3")


@dataclass(frozen=True, slots=True)
class National:
    """The parts of a Saudi address that EN 16931 does not have apart."""

    street: str
    short: str
    building: str
    district: str


def national(address: Address) -> National:
    """The parts of an address.

    The second line is a building number, or a short address (four letters and the building
    number); otherwise the building number stands before the street. The third is the district.
    """
    street, second = address.line1 or "", (address.line2 or "").strip()
    district = address.line3 or ""
    if _FOUR.fullmatch(second):
        return National(street, "", second, district)
    if _SHORT.fullmatch(second.upper()):
        return National(street, second.upper(), second[4:], district)
    found = _FIRST.fullmatch(street.strip())
    if found is None:
        return National(street, second, "", district)
    return National(found[2], second, found[1], district)


def scheme_and_number(text: str) -> tuple[str, str] | None:
    """The scheme and number of an identifier of Saudi Arabia; None if no scheme is known for it."""
    named = _named(text)
    digits = text.replace(" ", "")
    if named is None and len(digits) == 10 and digits.isdecimal():
        return ("700" if digits.startswith("7") else "CRN"), digits
    return named


def _named(text: str) -> tuple[str, str] | None:
    """The scheme that an identifier names itself, and its number."""
    scheme, colon, number = text.partition(":")
    if colon and scheme.upper() in BUYER_SCHEMES:
        return scheme.upper(), number.strip()
    return None


def identified(party: Party) -> tuple[str, str] | None:
    """The identifier of a party beside its Saudi VAT number: the first that has a scheme.

    Otherwise its number in any register, at last another tax id than a Saudi VAT number, as OTH.
    """
    given = [*party.identifiers, *([party.legal_id] if party.legal_id is not None else [])]
    found = [_of_identifier(each, party) for each in given] + [_of_tax_id(party)]
    return next((each for each in found if each is not None), None) or _other(party)


def _of_tax_id(party: Party) -> tuple[str, str] | None:
    number = party.omitted_tax_id or ""
    scheme = _OF_FIRST_DIGIT.get(number[:1])
    return (scheme, number) if scheme and len(number) == 10 and number.isdecimal() else None


def _of_identifier(given: Identifier, party: Party) -> tuple[str, str] | None:
    if given.scheme:
        return _named(f"{given.scheme}:{given.value}") or _named(given.value)
    if party.address is not None and party.address.country not in (None, "SA"):
        return _named(given.value)
    return scheme_and_number(given.value)


def _other(party: Party) -> tuple[str, str] | None:
    """The number of the company in a register without a scheme of ZATCA, which is alphanumeric."""
    legal = party.legal_id.value if party.legal_id is not None else ""
    texts = (legal, _foreign_vat(party), party.omitted_tax_id or "")
    kept = ("".join(filter(str.isalnum, text)) for text in texts)
    return next((("OTH", number) for number in kept if number), None)


def _foreign_vat(party: Party) -> str:
    return party.vat_id or "" if vat_number(party) is None else ""


def vat_number(party: Party) -> str | None:
    """The VAT number without the prefix of the country, where it is a Saudi one."""
    number = (party.vat_id or "").removeprefix("SA")
    return number if _VAT_NUMBER.fullmatch(number) else None


_OF_PEOPLE: Final = ("NAT", "IQA", "PAS")


def is_consumer(buyer: Party) -> bool:
    """Whether a buyer has no number of a business, so that the invoice is a simplified one."""
    found = identified(buyer)
    return not buyer.vat_id and (found is None or found[0] in _OF_PEOPLE)
