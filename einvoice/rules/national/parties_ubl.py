"""Country and tax registrations of the parties of a UBL document, as national rules read them.

Each official national rule set determines the country in its own way:

- from the VAT number (NO, IT, GR): its first two letters, else the address;
- from the address, normalized (DE, NL): trimmed and in capitals;
- from the address as written (DK, IS): " DK" is not Denmark.

With two VAT numbers, or two addresses, these functions raise MoreThanOneItem. A national pattern or
condition that raises does not match, so no rule of the country applies to such a document.
"""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

SELLER_PARTY = "cac:AccountingSupplierParty/cac:Party"
BUYER_PARTY = "cac:AccountingCustomerParty/cac:Party"
REPRESENTATIVE_PARTY = "cac:TaxRepresentativeParty"
COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"
UNKNOWN = "XX"  # what the official rules use for a party without a country


def registrations(party: Node, scheme: str) -> list[Node]:
    """The tax registrations of a party with this tax scheme (VAT, TAX). Raises MoreThanOneItem."""
    return [
        registration
        for registration in party.all("cac:PartyTaxScheme")
        if normalized(registration.text_of("cac:TaxScheme/cbc:ID")) == scheme
    ]


def vat_numbers(party: Node, path: str = "") -> Iterator[str]:
    """The VAT numbers of a party as written; `path` ends with "/". Raises MoreThanOneItem."""
    for registration in party.all(f"{path}cac:PartyTaxScheme"):
        if "VAT" in registration.texts("cac:TaxScheme/cbc:ID"):
            yield registration.text_of("cbc:CompanyID")


def seller_vat_numbers(view: View) -> Iterator[str]:
    """BT-31, as written. Raises MoreThanOneItem."""
    return vat_numbers(view.root, f"{SELLER_PARTY}/")


def representative_vat_numbers(view: View) -> Iterator[str]:
    """BT-63, as written. Raises MoreThanOneItem."""
    return vat_numbers(view.root, f"{REPRESENTATIVE_PARTY}/")


def seller_country(view: View) -> str:
    """From the VAT number of the seller, else of the tax representative, else from the address."""
    return (
        _from_vat_number(view, SELLER_PARTY)
        or _from_vat_number(view, REPRESENTATIVE_PARTY)
        or _from_address(view, SELLER_PARTY)
    )


def seller_country_without_representative(view: View) -> str:
    """From the VAT number of the seller, else from the address."""
    return _from_vat_number(view, SELLER_PARTY) or _from_address(view, SELLER_PARTY)


def buyer_country(view: View) -> str:
    """From the VAT number of the buyer, else from the address."""
    return _from_vat_number(view, BUYER_PARTY) or _from_address(view, BUYER_PARTY)


def _from_vat_number(view: View, party: str) -> str:
    """The first two letters in capitals; "" without a VAT number.

    " " for a number that begins with white space: it has no country, nor is the address read.
    """
    numbers = list(vat_numbers(view.root, f"{party}/"))
    if len(numbers) > 1:
        raise MoreThanOneItem(view.root, f"{party}/cac:PartyTaxScheme", len(numbers))
    return _country_code(numbers[0][:2]) or " " if numbers and numbers[0] else ""


def _from_address(view: View, party: str) -> str:
    path = f"{party}/{COUNTRY}"
    return _country_code(view.root.text_of(path)) if view.root.has(path) else UNKNOWN


def _country_code(text: str) -> str:
    return normalized(text).upper()


def seller_address_as_written(view: View) -> str:
    """BT-40, as written. Raises MoreThanOneItem."""
    return view.root.text_of(f"{SELLER_PARTY}/{COUNTRY}")


def buyer_address_as_written(view: View) -> str:
    """BT-55, as written. Raises MoreThanOneItem."""
    return view.root.text_of(f"{BUYER_PARTY}/{COUNTRY}")


def seller_address(view: View) -> str:
    """BT-40, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(seller_address_as_written(view))


def buyer_address(view: View) -> str:
    """BT-55, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(buyer_address_as_written(view))


def representative_address(view: View) -> str:
    """BT-69, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(view.root.text_of(f"{REPRESENTATIVE_PARTY}/{COUNTRY}"))
