"""Whose national rules apply to a UBL document: the countries of seller, buyer, representative.

Officially there are three ways to tell a country, and a rule set keeps to its own:

- *by VAT number* (NO, IT, GR): the first two letters of the VAT number, else the address;
- *by address, cleaned* (DE, NL): without blanks around it, in capitals;
- *by address, as written* (DK, IS): " DK" is not Denmark.

Two VAT numbers, or two addresses, stop these functions. As patterns are given them and conditions
ask them, such a document simply meets none of the country's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from einvoice.rules.evaluation_errors import MoreThanOneItem, both
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"
_REPRESENTATIVE = "cac:TaxRepresentativeParty"
_COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
NOWHERE = "XX"

Fact = Callable[[View], str]


def vat_numbers(party: Node, path: str = "") -> Iterator[str]:
    """The numbers of a party registered for VAT, as written. Raises MoreThanOneItem on its way."""
    for registration in party.all(f"{path}cac:PartyTaxScheme"):
        if "VAT" in registration.texts("cac:TaxScheme/cbc:ID"):
            yield registration.text_of("cbc:CompanyID")


def seller_vat_numbers(view: View) -> Iterator[str]:
    return vat_numbers(view.root, f"{_SELLER}/")


def representative_vat_numbers(view: View) -> Iterator[str]:
    return vat_numbers(view.root, f"{_REPRESENTATIVE}/")


def seller_country(view: View) -> str:
    """By the VAT number of the seller, else of the representative, else by the address."""
    return (
        _by_vat_number(view, _SELLER)
        or _by_vat_number(view, _REPRESENTATIVE)
        or _by_address(view, _SELLER)
    )


def seller_country_itself(view: View) -> str:
    """By the VAT number of the seller, else by the address."""
    return _by_vat_number(view, _SELLER) or _by_address(view, _SELLER)


def buyer_country(view: View) -> str:
    """By the VAT number of the buyer, else by the address."""
    return _by_vat_number(view, _BUYER) or _by_address(view, _BUYER)


def _by_vat_number(view: View, party: str) -> str:
    """Empty without a number; a number that begins with blanks is of no country, a blank."""
    numbers = list(vat_numbers(view.root, f"{party}/"))
    if len(numbers) > 1:
        raise MoreThanOneItem(view.root, f"{party}/cac:PartyTaxScheme", len(numbers))
    return _cleaned(numbers[0][:2]) or " " if numbers and numbers[0] else ""


def _by_address(view: View, party: str) -> str:
    path = f"{party}/{_COUNTRY}"
    return _cleaned(view.root.text_of(path)) if view.root.has(path) else NOWHERE


def _cleaned(country: str) -> str:
    return normalized(country).upper()


def seller_address(view: View) -> str:
    """The country of the seller's address, as written."""
    return view.root.text_of(f"{_SELLER}/{_COUNTRY}")


def buyer_address(view: View) -> str:
    """The country of the buyer's address, as written."""
    return view.root.text_of(f"{_BUYER}/{_COUNTRY}")


def seller_cleaned(view: View) -> str:
    """The country of the seller's address, trimmed and in capitals."""
    return _cleaned(seller_address(view))


def buyer_cleaned(view: View) -> str:
    """The country of the buyer's address, trimmed and in capitals."""
    return _cleaned(buyer_address(view))


def representative_cleaned(view: View) -> str:
    """The country of the tax representative's address, trimmed and in capitals."""
    return _cleaned(view.root.text_of(f"{_REPRESENTATIVE}/{_COUNTRY}"))


def both_german(view: View) -> bool:
    """Do seller and buyer have a German address?"""
    return both(lambda: view.once(seller_cleaned) == "DE", lambda: view.once(buyer_cleaned) == "DE")
