"""The contexts of KoSIT's rules for CII, in the official order, all in one pattern."""

from __future__ import annotations

from einvoice.rules.book import Condition, Context, Pattern
from einvoice.rules.cii_paths import (
    AGREEMENT,
    BUYER,
    DELIVERY,
    INVOICE,
    LINE,
    MEANS,
    SELLER,
    SETTLEMENT,
    TRADE,
)
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_DOCUMENTS = "ram:AdditionalReferencedDocument"
_ADDRESS = "ram:PostalTradeAddress"
TRANSFER_CODES, CARD_CODES, DEBIT_CODES = ("30", "58"), ("48", "54", "55"), ("59",)


def _means(codes: tuple[str, ...]) -> Condition:
    return lambda means, _: normalized(means.text_of("ram:TypeCode")) in codes


def _is_attached(reference: Node, _: View) -> bool:
    return "916" in reference.texts("ram:TypeCode")


_pattern = Pattern()
DOCUMENT: Context = _pattern.context(INVOICE)
PROCESS: Context = _pattern.context(f"{INVOICE}/rsm:ExchangedDocumentContext")
SELLER_PARTY: Context = _pattern.context(f"{INVOICE}/{SELLER}")
SELLER_ADDRESS: Context = _pattern.context(f"{INVOICE}/{SELLER}/{_ADDRESS}")
CONTACT: Context = _pattern.context(f"{INVOICE}/{SELLER}/ram:DefinedTradeContact")
BUYER_ADDRESS: Context = _pattern.context(f"{INVOICE}/{BUYER}/{_ADDRESS}")
ATTACHED: Context = _pattern.context(f"{INVOICE}/{AGREEMENT}/{_DOCUMENTS}", when=_is_attached)
DELIVERY_ADDRESS: Context = _pattern.context(
    f"{INVOICE}/{DELIVERY}/ram:ShipToTradeParty/{_ADDRESS}"
)
_PAYMENT = f"{INVOICE}/{SETTLEMENT}/{MEANS}"
TRANSFER: Context = _pattern.context(_PAYMENT, when=_means(TRANSFER_CODES))
CARD: Context = _pattern.context(_PAYMENT, when=_means(CARD_CODES))
DEBIT: Context = _pattern.context(_PAYMENT, when=_means(DEBIT_CODES))
BREAKDOWN: Context = _pattern.context(f"{INVOICE}/{SETTLEMENT}/ram:ApplicableTradeTax")
TRANSACTION: Context = _pattern.context(f"{INVOICE}/{TRADE}")
INVOICE_LINE: Context = _pattern.context(f"{INVOICE}/{LINE}")
