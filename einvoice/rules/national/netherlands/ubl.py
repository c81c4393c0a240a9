"""Dutch rules for UBL."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.netherlands import KVK, OIN, PAYMENT_MEANS_CODES
from einvoice.rules.national.parties_ubl import (
    BUYER_PARTY,
    REPRESENTATIVE_PARTY,
    SELLER_PARTY,
    buyer_address,
    representative_address,
    seller_address,
)
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, normalized
from einvoice.rules.view import View

netherlands = Chapter(Layer.PEPPOL_UBL, gathers=("cac:PaymentMeans",))

_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"


def _dutch_seller(view: View) -> bool:
    return view.once(seller_address) == "NL"


def _dutch_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address) == "NL"


def _dutch_representative(_: Node, view: View) -> bool:
    return view.once(representative_address) == "NL"


_pattern = Pattern(_dutch_seller)
CREDIT_NOTE_TYPE = _pattern.context("cbc:CreditNoteTypeCode")
SELLER_ADDRESS = _pattern.context(f"{SELLER_PARTY}/cac:PostalAddress")
SELLER_LEGAL_ID = _pattern.context(f"{SELLER_PARTY}/{_LEGAL_ID}")
BUYER_ADDRESS = _pattern.context(f"{BUYER_PARTY}/cac:PostalAddress", when=_dutch_buyer)
BUYER_LEGAL_ID = _pattern.context(f"{BUYER_PARTY}/{_LEGAL_ID}", when=_dutch_buyer)
REPRESENTATIVE_ADDRESS = _pattern.context(
    f"{REPRESENTATIVE_PARTY}/cac:PostalAddress", when=_dutch_representative
)
TOTALS = _pattern.context("cac:LegalMonetaryTotal")
PAYMENT_MEANS = _pattern.context("cac:PaymentMeans", when=_dutch_buyer)
ORDER_LINE = _pattern.context("cac:OrderLineReference/cbc:LineID")


@netherlands.rule("NL-R-001", "BT-25", at=CREDIT_NOTE_TYPE, kind=Kind.PRESENCE,
                  path="cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")  # fmt: skip
def credit_note_names_the_invoice(_: Node, view: View) -> Values | None:
    """A Dutch credit note names the invoice it corrects (BT-25)."""
    path = "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID"
    return None if view.root.has(path) else BROKEN


def _address_is_complete(address: Node, _: View) -> Values | None:
    for path in ("cbc:StreetName", "cbc:CityName", "cbc:PostalZone"):
        if not address.has(path):
            return {"path": path}
    return None


def _is_kvk_or_oin(identifier: Node, _: View) -> Values | None:
    scheme = identifier.attributes.get("schemeID", "")
    known = any(f" {code} " in f" {scheme} " for code in (KVK, OIN))
    return None if known and normalized(identifier.text) else {"code": scheme, "codes": [KVK, OIN]}


for _rule, _terms, _context, _check, _kind, _requires in (
    ("NL-R-002", "BG-5", SELLER_ADDRESS, _address_is_complete, Kind.PRESENCE,
     "The address of a Dutch seller (BG-5) has street, city and post code"),
    ("NL-R-004", "BG-8", BUYER_ADDRESS, _address_is_complete, Kind.PRESENCE,
     "The address of a Dutch buyer (BG-8) has street, city and post code"),
    ("NL-R-006", "BG-12", REPRESENTATIVE_ADDRESS, _address_is_complete, Kind.PRESENCE,
     "The address of a Dutch tax representative (BG-12) has street, city and post code"),
    ("NL-R-003", "BT-30-1", SELLER_LEGAL_ID, _is_kvk_or_oin, Kind.CODE_LIST,
     "The legal registration of a Dutch seller (BT-30) is a KVK number (0106) or an OIN (0190)"),
    ("NL-R-005", "BT-47-1", BUYER_LEGAL_ID, _is_kvk_or_oin, Kind.CODE_LIST,
     "The legal registration of a Dutch buyer (BT-47) is a KVK number (0106) or an OIN (0190)"),
):  # fmt: skip
    netherlands.add(_rule, _terms, _context, _check, _requires, kind=_kind)


@netherlands.rule("NL-R-007", "BG-16", at=TOTALS, kind=Kind.PRESENCE, path="cac:PaymentMeans")
def payment_means_are_given(totals: Node, view: View) -> Values | None:
    """Where an amount is due to a Dutch seller (BT-115), a payment means (BG-16) is given."""
    if view.everywhere("cac:PaymentMeans"):
        return None
    due = totals.number("cbc:PayableAmount")
    if due is not None and (due <= ZERO if view.root.name == "ubl:Invoice" else due >= ZERO):
        return None
    return {"amount": due}


@netherlands.rule("NL-R-008", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def payment_means_is_dutch(means: Node, _: View) -> Values | None:
    """Between Dutch parties, the payment means (BT-81) is 30, 48, 49, 57, 58 or 59."""
    code = normalized(means.text_of("cbc:PaymentMeansCode"))
    if code in PAYMENT_MEANS_CODES:
        return None
    return {"code": code, "codes": list(PAYMENT_MEANS_CODES)}


@netherlands.rule("NL-R-009", "BT-132 BT-13", at=ORDER_LINE, kind=Kind.PRESENCE,
                  path="cac:OrderReference/cbc:ID")  # fmt: skip
def order_line_has_an_order(_: Node, view: View) -> Values | None:
    """Where a line names an order line (BT-132), the invoice names the order (BT-13)."""
    return None if view.once(_names_an_order) else BROKEN


def _names_an_order(view: View) -> bool:
    return view.root.has("cac:OrderReference/cbc:ID")
