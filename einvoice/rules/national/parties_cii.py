"""Country of the parties of a CII document, as national rules read it.

With two VAT numbers, or two countries, these functions raise MoreThanOneItem. A national pattern or
condition that raises does not match, so no rule of the country applies to such a document.

The official CII rules look for VAT numbers with the scheme VAT, while EN 16931 uses VA. In
practice the address decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.cii_paths import BUYER, COUNTRY, REPRESENTATIVE, SELLER, single_text
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

UNKNOWN = "XX"  # what the official rules use for a party without a country


def seller_country(view: View) -> str:
    """From the VAT number of the seller, else of the tax representative, else from the address.

    Raises MoreThanOneItem.
    """
    first = [trade.all("ram:ApplicableHeaderTradeAgreement")[:1] for trade in _first_trade(view)]
    sellers = [seller for found in first for each in found
               for seller in each.all("ram:SellerTradeParty")[:1]]  # fmt: skip
    for parties in (sellers, view.root.all(REPRESENTATIVE)):
        prefix = _vat_prefix(parties)
        if prefix:
            return prefix
    countries = view.root.all(f"{SELLER}/{COUNTRY}")
    return _country_code(single_text(countries)) if countries else UNKNOWN


def _first_trade(view: View) -> Sequence[Node]:
    return view.root.all("rsm:SupplyChainTradeTransaction")[:1]


def _vat_prefix(parties: Sequence[Node]) -> str:
    """The first two letters of the one VAT number, in capitals; "" without one."""
    prefixes = [
        single_text(registration.all("ram:ID"))[:2]
        for party in parties
        for registration in party.all("ram:SpecifiedTaxRegistration")
        if any(each.attributes.get("schemeID") == "VAT" for each in registration.all("ram:ID"))
    ]
    if len(prefixes) > 1:
        raise MoreThanOneItem(parties[0], "ram:SpecifiedTaxRegistration", len(prefixes))
    return _country_code(prefixes[0]) if prefixes and prefixes[0] else ""


def _country_code(text: str) -> str:
    return normalized(text).upper()


def seller_addresses_as_written(view: View) -> frozenset[str]:
    """BT-40 of all addresses, as written."""
    return frozenset(view.root.texts(f"{SELLER}/{COUNTRY}"))


def buyer_addresses_as_written(view: View) -> frozenset[str]:
    """BT-55 of all addresses, as written."""
    return frozenset(view.root.texts(f"{BUYER}/{COUNTRY}"))


def seller_address(view: View) -> str:
    """BT-40, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(single_text(view.root.all(f"{SELLER}/{COUNTRY}")))


def buyer_address(view: View) -> str:
    """BT-55, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(single_text(view.root.all(f"{BUYER}/{COUNTRY}")))


def representative_address(view: View) -> str:
    """BT-69, trimmed and in capitals. Raises MoreThanOneItem."""
    return _country_code(single_text(view.root.all(f"{REPRESENTATIVE}/{COUNTRY}")))
