"""Dutch rules for CII."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Kind, Pattern, Values
from einvoice.rules.cii_paths import (
    AGREEMENT,
    BUYER,
    INVOICE,
    LEGAL_ID,
    LINE,
    MEANS,
    REPRESENTATIVE,
    SELLER,
    SETTLEMENT,
    normalized_text,
)
from einvoice.rules.layers import Layer
from einvoice.rules.national.netherlands import KVK, OIN, PAYMENT_MEANS_CODES
from einvoice.rules.national.parties_cii import (
    buyer_address,
    representative_address,
    seller_address,
)
from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View

netherlands = Chapter(Layer.PEPPOL_CII, gathers=("ram:ApplicableHeaderTradeSettlement",))
_SUMMATION = f"{INVOICE}/{SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
_CREDIT_NOTES = frozenset({"81", "83", "381", "396", "532"})


def _dutch_seller(view: View) -> bool:
    return view.once(seller_address) == "NL"


def _dutch_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address) == "NL"


def _dutch_representative(_: Node, view: View) -> bool:
    return view.once(representative_address) == "NL"


def _credit_note(document: Node, _: View) -> bool:
    return normalized(document.text_of("ram:TypeCode")) in _CREDIT_NOTES


_pattern = Pattern(_dutch_seller)
CREDIT_NOTE = _pattern.context(f"{INVOICE}/rsm:ExchangedDocument", when=_credit_note)
SELLER_ADDRESS = _pattern.context(f"{INVOICE}/{SELLER}/ram:PostalTradeAddress")
SELLER_LEGAL_ID = _pattern.context(f"{INVOICE}/{SELLER}/{LEGAL_ID}")
BUYER_ADDRESS = _pattern.context(f"{INVOICE}/{BUYER}/ram:PostalTradeAddress", when=_dutch_buyer)
BUYER_LEGAL_ID = _pattern.context(f"{INVOICE}/{BUYER}/{LEGAL_ID}", when=_dutch_buyer)
REPRESENTATIVE_ADDRESS = _pattern.context(
    f"rsm:CrossIndustryInvoice/{REPRESENTATIVE}/ram:PostalTradeAddress",
    when=_dutch_representative,
)
TOTALS = _pattern.context(_SUMMATION)
PAYMENT_MEANS = _pattern.context(f"{INVOICE}/{SETTLEMENT}/{MEANS}", when=_dutch_buyer)
ORDER_LINE = _pattern.context(
    f"rsm:CrossIndustryInvoice/{LINE}/ram:SpecifiedLineTradeAgreement"
    "/ram:BuyerOrderReferencedDocument/ram:LineID",
)


@netherlands.rule("NL-R-001", "BT-25", at=CREDIT_NOTE, kind=Kind.PRESENCE)
def credit_note_names_the_invoice(_: Node, view: View) -> Values | None:
    """A Dutch credit note names the invoice it corrects (BT-25)."""
    settlements = view.everywhere("ram:ApplicableHeaderTradeSettlement")
    reference = "ram:InvoiceReferencedDocument/ram:IssuerAssignedID"
    return None if any(each.has(reference) for each in settlements) else BROKEN


def _address_is_complete(address: Node, _: View) -> Values | None:
    parts = ("ram:LineOne", "ram:CityName", "ram:PostcodeCode")
    missing = [part for part in parts if not address.has(part)]
    return {"missing": ", ".join(missing)} if missing else None


def _is_kvk_or_oin(identifier: Node, _: View) -> Values | None:
    scheme = identifier.attributes.get("schemeID", "")
    known = any(f" {code} " in f" {scheme} " for code in (KVK, OIN))
    return None if known and identifier.text.strip(XML_SPACE) else {"code": scheme}


def _add(id: str, terms: str, at: Context, check: Check, requires: str) -> None:  # noqa: A002
    netherlands.add(id, terms, at, check, requires, kind=Kind.PRESENCE)


_add("NL-R-002", "BG-5", SELLER_ADDRESS, _address_is_complete,
     "The address of a Dutch seller (BG-5) has street, city and post code")  # fmt: skip
_add("NL-R-003", "BT-30-1", SELLER_LEGAL_ID, _is_kvk_or_oin,
     "The legal registration of a Dutch seller (BT-30) is a KVK number or an OIN")  # fmt: skip
_add("NL-R-004", "BG-8", BUYER_ADDRESS, _address_is_complete,
     "The address of a Dutch buyer (BG-8) has street, city and post code")  # fmt: skip
_add("NL-R-005", "BT-47-1", BUYER_LEGAL_ID, _is_kvk_or_oin,
     "The legal registration of a Dutch buyer (BT-47) is a KVK number or an OIN")  # fmt: skip
_add("NL-R-006", "BG-12", REPRESENTATIVE_ADDRESS, _address_is_complete,
     "The address of a Dutch representative (BG-12) has street, city and post code")  # fmt: skip


@netherlands.rule("NL-R-007", "BG-16", at=TOTALS, kind=Kind.PRESENCE)
def payment_means_are_given(totals: Node, view: View) -> Values | None:
    """Where an amount is due to a Dutch seller (BT-115), a payment means (BG-16) is given."""
    if view.root.has(f"{SETTLEMENT}/{MEANS}"):
        return None  # first: an invalid amount is an error only without a payment means
    credit = normalized_text(view.root, view, "rsm:ExchangedDocument/ram:TypeCode") == "381"
    amount = totals.number("ram:DuePayableAmount")
    due = amount is None or (amount < 0 if credit else amount > 0)
    return BROKEN if due else None


@netherlands.rule("NL-R-008", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def payment_means_is_dutch(means: Node, _: View) -> Values | None:
    """Between Dutch parties, the payment means (BT-81) is 30, 48, 49, 57, 58 or 59."""
    code = normalized(means.text_of("ram:TypeCode"))
    return None if code in PAYMENT_MEANS_CODES else {"code": code}


@netherlands.rule("NL-R-009", "BT-13 BT-132", at=ORDER_LINE, kind=Kind.PRESENCE)
def order_line_has_an_order(_: Node, view: View) -> Values | None:
    """Where a line names an order line (BT-132), the invoice names the order (BT-13)."""
    order = f"{AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID"
    return None if view.root.has(order) else BROKEN
