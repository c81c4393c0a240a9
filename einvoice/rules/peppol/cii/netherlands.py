"""The Netherlands: addresses, registrations, payment."""

from __future__ import annotations

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Check,
    Context,
    Kind,
    Layer,
    Pattern,
    Values,
)
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii.countries import (
    buyer_country,
    representative_country,
    seller_country,
)
from einvoice.rules.peppol.cii.paths import (
    AGREEMENT,
    BUYER,
    INVOICE,
    LEGAL_ID,
    LINE,
    MEANS,
    REPRESENTATIVE,
    SELLER,
    SETTLEMENT,
    written_at,
)
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View

netherlands = Chapter(Layer.PEPPOL_CII, gathers=("ram:ApplicableHeaderTradeSettlement",))
_SUMMATION = f"{INVOICE}/{SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
_CREDIT_NOTES = frozenset({"81", "83", "381", "396", "532"})
_MEANS_CODES = frozenset({"30", "48", "49", "57", "58", "59"})


def _dutch(view: View) -> bool:
    return view.once(seller_country) == "NL"


def _dutch_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_country) == "NL"


def _dutch_representative(_: Node, view: View) -> bool:
    return view.once(representative_country) == "NL"


def _credit_note(document: Node, _: View) -> bool:
    return normalized(document.text_of("ram:TypeCode")) in _CREDIT_NOTES


_pattern = Pattern(_dutch)
CREDIT_NOTE = _pattern.context(f"{INVOICE}/rsm:ExchangedDocument", when=_credit_note)
SELLER_ADDRESS = _pattern.context(f"{INVOICE}/{SELLER}/ram:PostalTradeAddress")
SELLER_REGISTRATION = _pattern.context(f"{INVOICE}/{SELLER}/{LEGAL_ID}")
BUYER_ADDRESS = _pattern.context(f"{INVOICE}/{BUYER}/ram:PostalTradeAddress", when=_dutch_buyer)
BUYER_REGISTRATION = _pattern.context(f"{INVOICE}/{BUYER}/{LEGAL_ID}", when=_dutch_buyer)
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
def credit_note_names_its_invoice(_: Node, view: View) -> Values | None:
    """A Dutch credit note names the invoice it corrects."""
    settlements = view.everywhere("ram:ApplicableHeaderTradeSettlement")
    reference = "ram:InvoiceReferencedDocument/ram:IssuerAssignedID"
    return None if any(each.has(reference) for each in settlements) else BROKEN


def _complete(address: Node, _: View) -> Values | None:
    parts = ("ram:LineOne", "ram:CityName", "ram:PostcodeCode")
    missing = [part for part in parts if not address.has(part)]
    return {"missing": ", ".join(missing)} if missing else None


def _registered(identifier: Node, _: View) -> Values | None:
    scheme = identifier.attributes.get("schemeID", "")
    known = f" {scheme} ".find(" 0106 ") >= 0 or f" {scheme} ".find(" 0190 ") >= 0
    return None if known and identifier.text.strip(XML_SPACE) else {"code": scheme}


def _write_down(id: str, terms: str, at: Context, check: Check, requires: str) -> None:  # noqa: A002
    netherlands.add(id, terms, at, check, requires, kind=Kind.PRESENCE)


_write_down("NL-R-002", "BG-5", SELLER_ADDRESS, _complete,
            "The address of a Dutch seller has street, city and post code.")  # fmt: skip
_write_down("NL-R-003", "BT-30-1", SELLER_REGISTRATION, _registered,
            "The registration of a Dutch seller is a KvK number or an OIN.")  # fmt: skip
_write_down("NL-R-004", "BG-8", BUYER_ADDRESS, _complete,
            "Between the Dutch, the buyer's address has street, city and post code.")  # fmt: skip
_write_down("NL-R-005", "BT-47-1", BUYER_REGISTRATION, _registered,
            "Between the Dutch, the buyer's registration is a KvK number or an OIN.")  # fmt: skip
_write_down("NL-R-006", "BG-12", REPRESENTATIVE_ADDRESS, _complete,
            "A Dutch representative's address has street, city and post code.")  # fmt: skip


@netherlands.rule("NL-R-007", "BG-16", at=TOTALS, kind=Kind.PRESENCE)
def owed_money_can_be_paid(totals: Node, view: View) -> Values | None:
    """A Dutch seller who is owed money names a means of payment."""
    if view.root.has(f"{SETTLEMENT}/{MEANS}"):
        return None  # before the amounts: they stop the rules only where there are no means
    credit = written_at(view.root, view, "rsm:ExchangedDocument/ram:TypeCode") == "381"
    amount = totals.number("ram:DuePayableAmount")
    owed = amount is None or (amount < 0 if credit else amount > 0)
    return BROKEN if owed else None


@netherlands.rule("NL-R-008", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def means_is_allowed(means: Node, _: View) -> Values | None:
    """Between the Dutch, the payment means is 30, 48, 49, 57, 58 or 59."""
    code = normalized(means.text_of("ram:TypeCode"))
    return None if code in _MEANS_CODES else {"code": code}


@netherlands.rule("NL-R-009", "BT-13 BT-132", at=ORDER_LINE, kind=Kind.PRESENCE)
def order_line_has_its_order(_: Node, view: View) -> Values | None:
    """A Dutch seller who refers to a line of an order names the order."""
    order = f"{AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID"
    return None if view.root.has(order) else BROKEN
