"""Which countries seller, buyer and representative are of, as the national rules find out.

A seller with two VAT numbers, or two countries, has no single country: `MoreThanOneItem` is raised,
so contexts with a condition on the country do not match and the country's rules are not run.

The official CII rules look for VAT numbers under the scheme VAT, though EN 16931 writes VA. So in
practice the address decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii.paths import BUYER, COUNTRY, REPRESENTATIVE, SELLER, one
from einvoice.rules.values import normalized
from einvoice.rules.view import View

UNKNOWN = "XX"


def supplier(view: View) -> str:
    """By the seller's VAT number, else the representative's, else the seller's address."""
    first = [trade.all("ram:ApplicableHeaderTradeAgreement")[:1] for trade in _first_trade(view)]
    sellers = [seller for found in first for each in found
               for seller in each.all("ram:SellerTradeParty")[:1]]  # fmt: skip
    for parties in (sellers, view.root.all(REPRESENTATIVE)):
        prefix = _vat_prefix(parties)
        if prefix:
            return prefix
    countries = view.root.all(f"{SELLER}/{COUNTRY}")
    return _code(one(countries)) if countries else UNKNOWN


def _first_trade(view: View) -> Sequence[Node]:
    return view.root.all("rsm:SupplyChainTradeTransaction")[:1]


def _vat_prefix(parties: Sequence[Node]) -> str:
    prefixes = [
        one(registration.all("ram:ID"))[:2]
        for party in parties
        for registration in party.all("ram:SpecifiedTaxRegistration")
        if any(each.attributes.get("schemeID") == "VAT" for each in registration.all("ram:ID"))
    ]
    if len(prefixes) > 1:
        raise MoreThanOneItem(parties[0], "ram:SpecifiedTaxRegistration", len(prefixes))
    return _code(prefixes[0]) if prefixes and prefixes[0] else ""


def _code(text: str) -> str:
    return normalized(text).upper()


def seller_codes(view: View) -> frozenset[str]:
    """The countries of the seller's addresses, as written."""
    return frozenset(view.root.texts(f"{SELLER}/{COUNTRY}"))


def buyer_codes(view: View) -> frozenset[str]:
    """The countries of the buyer's addresses, as written."""
    return frozenset(view.root.texts(f"{BUYER}/{COUNTRY}"))


def seller_country(view: View) -> str:
    """The seller's country, normalized. Raises MoreThanOneItem."""
    return _code(one(view.root.all(f"{SELLER}/{COUNTRY}")))


def buyer_country(view: View) -> str:
    """The buyer's country, normalized. Raises MoreThanOneItem."""
    return _code(one(view.root.all(f"{BUYER}/{COUNTRY}")))


def representative_country(view: View) -> str:
    """The tax representative's country, normalized. Raises MoreThanOneItem."""
    return _code(one(view.root.all(f"{REPRESENTATIVE}/{COUNTRY}")))
