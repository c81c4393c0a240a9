"""Payment means, cards, accounts, and what the document refers to."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View

payment = Chapter(Layer.CEN_CII)
_MAX_CARD_NUMBER = 10  # the first six and the last four digits

present(payment, contexts.PAYMENT_MEANS, [("BR-49", "BT-81", "ram:TypeCode")])
filled(payment, contexts.PRECEDING_INVOICE, [("BR-55", "BT-25", "ram:IssuerAssignedID")])
filled(payment, contexts.SUPPORTING_DOCUMENT, [("BR-52", "BT-122", "ram:IssuerAssignedID")])


@payment.rule("BR-51", "BT-87", at=contexts.CARD, kind=Kind.FORMAT)
def card_number_is_masked(card: Node, _: View) -> Values | None:
    """A card number (BT-87) shows at most its first six and last four digits."""
    return None if len(normalized(card.text_of("ram:ID"))) <= _MAX_CARD_NUMBER else BROKEN


@payment.rule("BR-50", "BT-84", at=contexts.TRANSFER_ACCOUNT, kind=Kind.PRESENCE)
def account_is_not_blank(account: Node, _: View) -> Values | None:
    """The account of a credit transfer (BT-84) is not blank."""
    return None if _any_filled(account, "ram:IBANID", "ram:ProprietaryID") else BROKEN


def _any_filled(node: Node, *paths: str) -> bool:
    return any(node.text_of(path).strip(XML_SPACE) for path in paths)


@payment.rule("BR-61", "BT-84", at=contexts.TRANSFER_ACCOUNT, kind=Kind.PRESENCE)
def account_is_given(account: Node, _: View) -> Values | None:
    """A credit transfer has a payee account (BT-84)."""
    return None if account.has("ram:IBANID") or account.has("ram:ProprietaryID") else BROKEN


@payment.rule("BR-57", "BT-80", at=contexts.HEADER_DELIVERY, kind=Kind.PRESENCE)
def delivery_address_has_a_country(delivery: Node, _: View) -> Values | None:
    """A delivery address has a country (BT-80)."""
    address = "ram:ShipToTradeParty/ram:PostalTradeAddress"
    if not delivery.has(address):
        return None
    return None if delivery.text_of(f"{address}/ram:CountryID").strip(XML_SPACE) else BROKEN
