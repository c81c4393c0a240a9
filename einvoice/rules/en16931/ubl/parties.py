"""Seller, buyer, payee, tax representative and delivery address."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import is_only_vat, is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present
from einvoice.rules.view import View

parties = Chapter(Layer.CEN_UBL)

_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"
_COUNTRY = "cac:Country/cbc:IdentificationCode"

filled(
    parties,
    contexts.DOCUMENT,
    [
        ("BR-06", "BT-27", f"{_SELLER}/cac:PartyLegalEntity/cbc:RegistrationName"),
        ("BR-07", "BT-44", f"{_BUYER}/cac:PartyLegalEntity/cbc:RegistrationName"),
    ],
)
present(
    parties,
    contexts.DOCUMENT,
    [
        ("BR-08", "BG-5", f"{_SELLER}/cac:PostalAddress"),
        ("BR-10", "BG-8", f"{_BUYER}/cac:PostalAddress"),
    ],
)
filled(parties, contexts.SELLER_ADDRESS, [("BR-09", "BT-40", _COUNTRY)])
filled(parties, contexts.BUYER_ADDRESS, [("BR-11", "BT-55", _COUNTRY)])
filled(parties, contexts.REPRESENTATIVE, [("BR-18", "BT-62", "cac:PartyName/cbc:Name")])
present(parties, contexts.REPRESENTATIVE, [("BR-19", "BG-12", "cac:PostalAddress")])
filled(parties, contexts.REPRESENTATIVE_ADDRESS, [("BR-20", "BT-69", _COUNTRY)])
present(parties, contexts.DELIVERY_ADDRESS, [("BR-57", "BG-15 BT-80", _COUNTRY)])
present(parties, contexts.SELLER_ENDPOINT, [("BR-62", "BT-34", "@schemeID")])
present(parties, contexts.BUYER_ENDPOINT, [("BR-63", "BT-49", "@schemeID")])


@parties.rule("BR-17", "BT-59", at=contexts.PAYEE)
def payee_is_not_the_seller(payee: Node, _: View) -> Values | None:
    """A payee has a name (BT-59), and its name and identifiers differ from the seller's."""
    names = payee.texts("cac:PartyName/cbc:Name")
    if not names or payee.parent is None:
        return BROKEN
    same_name = _shared(names, payee.parent.texts(f"{_SELLER}/cac:PartyName/cbc:Name"))
    seller_ids = payee.parent.texts(f"{_SELLER}/cac:PartyIdentification/cbc:ID")
    same_id = _shared(payee.texts("cac:PartyIdentification/cbc:ID"), seller_ids)
    return {"same": same_name or same_id} if same_name or same_id else None


def _shared(some: list[str], others: list[str]) -> list[str]:
    return [text for text in some if text in others]


@parties.rule("BR-56", "BT-63", at=contexts.REPRESENTATIVE, kind=Kind.PRESENCE)
def representative_has_a_vat_number(representative: Node, _: View) -> Values | None:
    """A tax representative has a VAT number."""
    for registration in representative.all("cac:PartyTaxScheme"):
        if is_only_vat(registration) and registration.has("cbc:CompanyID"):
            return None
    return BROKEN


@parties.rule("BR-CO-26", "BT-29 BT-30 BT-31", at=contexts.SELLER, kind=Kind.PRESENCE)
def seller_can_be_identified(seller: Node, _: View) -> Values | None:
    """The seller has an identifier, a legal registration or a VAT number (BT-29, BT-30, BT-31)."""
    for registration in seller.all("cac:Party/cac:PartyTaxScheme"):
        if is_vat(registration) and registration.has("cbc:CompanyID"):
            return None
    for identifier in seller.all("cac:Party/cac:PartyIdentification/cbc:ID"):
        if identifier.attributes.get("schemeID") != "SEPA":
            return None
    return None if seller.has("cac:Party/cac:PartyLegalEntity/cbc:CompanyID") else BROKEN


# Countries, and EL for Greece. A text search, as in the official rule: "" and " A" pass.
_VAT_PREFIXES = f" {' '.join(sorted({*code_list('iso3166_cen').codes, 'EL'}))} "


@parties.rule("BR-CO-09", "BT-31 BT-48 BT-63", at=contexts.VAT_REGISTRATION, kind=Kind.FORMAT)
def vat_number_starts_with_a_country(registration: Node, _: View) -> Values | None:
    """A VAT number (BT-31, BT-48, BT-63) starts with the code of its country (EL for Greece)."""
    number = registration.text_of("cbc:CompanyID")
    return None if number[:2] in _VAT_PREFIXES else {"number": number}
