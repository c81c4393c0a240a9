"""Seller, payee and tax representative."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import TAX_ID
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

parties = Chapter(Layer.CEN_CII)

VAT_PREFIXES = (code_list("iso3166_cii_cen").codes | {"EL"}) - {""}
"""ISO 3166 country codes, and EL, which Greece uses for VAT."""

filled(
    parties,
    contexts.REPRESENTATIVE,
    [
        ("BR-18", "BT-62", "ram:Name"),
        ("BR-20", "BT-69", "ram:PostalTradeAddress/ram:CountryID"),
    ],
)
present(parties, contexts.REPRESENTATIVE, [("BR-19", "BG-12", "ram:PostalTradeAddress")])


@parties.rule("BR-56", "BT-63", at=contexts.REPRESENTATIVE, kind=Kind.PRESENCE)
def representative_has_a_vat_number(party: Node, _: View) -> Values | None:
    """The tax representative has a VAT number."""
    numbers = [each for each in party.all(TAX_ID) if each.attributes.get("schemeID") == "VA"]
    if len(numbers) > 1:
        raise MoreThanOneItem(numbers[0], TAX_ID, len(numbers))
    return None if numbers and numbers[0].text.strip(XML_SPACE) else BROKEN


@parties.rule("BR-CO-26", "BT-29 BT-30 BT-31", at=contexts.SELLER, kind=Kind.PRESENCE)
def seller_can_be_identified(party: Node, _: View) -> Values | None:
    """The seller has an identifier, a legal registration or a VAT number (BT-29, BT-30, BT-31)."""
    known = (
        party.has("ram:ID")
        or party.has("ram:GlobalID")
        or party.has("ram:SpecifiedLegalOrganization/ram:ID")
        or any(number.attributes.get("schemeID") == "VA" for number in party.all(TAX_ID))
    )
    return None if known else BROKEN


@parties.rule("BR-CO-09", "BT-31 BT-48 BT-63", at=contexts.VAT_NUMBER, kind=Kind.FORMAT)
def vat_number_starts_with_a_country(number: Node, _: View) -> Values | None:
    """A VAT number (BT-31, BT-48, BT-63) starts with the code of its country (EL for Greece)."""
    return None if number.text[:2] in VAT_PREFIXES else {"text": number.text}


@parties.rule("BR-17", "BT-59", at=contexts.PAYEE, kind=Kind.PRESENCE)
def payee_is_not_the_seller(payee: Node, _: View) -> Values | None:
    """A payee has a name (BT-59) and is not the seller."""
    if not payee.has("ram:Name"):
        return BROKEN
    trade = payee.up(2)
    seller = "ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty"
    for path in ("ram:Name", "ram:ID", "ram:SpecifiedLegalOrganization/ram:ID"):
        if not set(payee.texts(path)).isdisjoint(trade.texts(f"{seller}/{path}")):
            return {"path": path}
    return None
