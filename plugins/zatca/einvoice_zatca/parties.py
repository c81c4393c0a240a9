"""Seller and buyer as Fatoora has them: identifiers with their schemes, and national addresses.

An identifier names its scheme before a colon (`CRN:1010010000`). A number of ten digits without
one is a unified number (700) if it begins with 7, else a commercial registration (CRN).

>>> scheme_and_number("NAT:1010101010"), scheme_and_number("7001234567")
(('NAT', '1010101010'), ('700', '7001234567'))
>>> national(Address("Prince Sultan", "RHMA3184")).building
'3184'
>>> national(Address("8091 Prince Sultan", line3="Al-Murabba"))
National(street='Prince Sultan', short='', building='8091', district='Al-Murabba')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from einvoice.domain.invoice import Address, Party
from einvoice_zatca.rules.codes import BUYER_SCHEMES

_SHORT: Final = re.compile(r"[A-Z]{4}[0-9]{4}")
_FOUR: Final = re.compile(r"[0-9]{4}")
_FIRST: Final = re.compile(r"([0-9]{4})[ ,]+(\S.*)")
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
    """The scheme and number of an identifier; None if no scheme is known for it."""
    scheme, colon, number = text.partition(":")
    if colon and scheme.upper() in BUYER_SCHEMES:
        return scheme.upper(), number.strip()
    digits = text.replace(" ", "")
    if len(digits) == 10 and digits.isdecimal():
        return ("700" if digits.startswith("7") else "CRN"), digits
    return None


def identified(party: Party) -> tuple[str, str] | None:
    """The identifier of a party beside its VAT number: the first that has a scheme."""
    texts = [each.value for each in party.identifiers]
    if party.legal_id is not None:
        legal = party.legal_id
        texts += [f"{legal.scheme}:{legal.value}" if legal.scheme else legal.value, legal.value]
    found = (scheme_and_number(text) for text in texts)
    return next((each for each in found if each is not None), None)


def vat_number(party: Party) -> str | None:
    """The VAT number without the prefix of the country, where it is a Saudi one."""
    number = (party.vat_id or "").removeprefix("SA")
    return number if _VAT_NUMBER.fullmatch(number) else None


_OF_PEOPLE: Final = ("NAT", "IQA", "PAS")


def is_consumer(buyer: Party) -> bool:
    """Whether a buyer has no number of a business, so that the invoice is a simplified one."""
    found = identified(buyer)
    return not buyer.vat_id and (found is None or found[0] in _OF_PEOPLE)
