"""Dutch sellers, in UBL: addresses, KVK or OIN, means of payment, references."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Layer, Pattern, Values
from einvoice.rules.national.countries import (
    buyer_cleaned,
    representative_cleaned,
    seller_cleaned,
)
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, normalized
from einvoice.rules.view import View

netherlands = Chapter(Layer.PEPPOL_UBL, gathers=("cac:PaymentMeans",))

KVK, OIN = "0106", "0190"
MEANS = ("30", "48", "49", "57", "58", "59")
_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"
_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"


def _dutch(view: View) -> bool:
    return view.once(seller_cleaned) == "NL"


def _dutch_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_cleaned) == "NL"


def _dutch_representative(_: Node, view: View) -> bool:
    return view.once(representative_cleaned) == "NL"


_pattern = Pattern(_dutch)
CREDIT_NOTE_TYPE = _pattern.context("cbc:CreditNoteTypeCode")
SELLER_ADDRESS = _pattern.context(f"{_SELLER}/cac:PostalAddress")
SELLER_LEGAL_ID = _pattern.context(f"{_SELLER}/{_LEGAL_ID}")
BUYER_ADDRESS = _pattern.context(f"{_BUYER}/cac:PostalAddress", when=_dutch_buyer)
BUYER_LEGAL_ID = _pattern.context(f"{_BUYER}/{_LEGAL_ID}", when=_dutch_buyer)
REPRESENTATIVE_ADDRESS = _pattern.context(
    "cac:TaxRepresentativeParty/cac:PostalAddress", when=_dutch_representative
)
TOTALS = _pattern.context("cac:LegalMonetaryTotal")
PAYMENT_MEANS = _pattern.context("cac:PaymentMeans", when=_dutch_buyer)
ORDER_LINE = _pattern.context("cac:OrderLineReference/cbc:LineID")


@netherlands.rule("NL-R-001", "BT-25", at=CREDIT_NOTE_TYPE, kind=Kind.PRESENCE,
                  path="cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")  # fmt: skip
def credit_note_names_the_invoice(_: Node, view: View) -> Values | None:
    """A Dutch credit note names the invoice that it corrects."""
    path = "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID"
    return None if view.root.has(path) else BROKEN


def _is_whole(address: Node, _: View) -> Values | None:
    for path in ("cbc:StreetName", "cbc:CityName", "cbc:PostalZone"):
        if not address.has(path):
            return {"path": path}
    return None


def _is_kvk_or_oin(identifier: Node, _: View) -> Values | None:
    scheme = identifier.attributes.get("schemeID", "")
    known = any(f" {code} " in f" {scheme} " for code in (KVK, OIN))
    return None if known and normalized(identifier.text) else {"code": scheme, "codes": [KVK, OIN]}


for _rule, _terms, _context, _check, _kind, _requires in (
    ("NL-R-002", "BG-5", SELLER_ADDRESS, _is_whole, Kind.PRESENCE,
     "A Dutch seller gives street, city and post code"),
    ("NL-R-004", "BG-8", BUYER_ADDRESS, _is_whole, Kind.PRESENCE,
     "A Dutch buyer has street, city and post code given"),
    ("NL-R-006", "BG-12", REPRESENTATIVE_ADDRESS, _is_whole, Kind.PRESENCE,
     "A Dutch tax representative has street, city and post code given"),
    ("NL-R-003", "BT-30-1", SELLER_LEGAL_ID, _is_kvk_or_oin, Kind.CODE_LIST,
     "The registration of a Dutch seller is a KVK number (0106) or an OIN (0190)"),
    ("NL-R-005", "BT-47-1", BUYER_LEGAL_ID, _is_kvk_or_oin, Kind.CODE_LIST,
     "The registration of a Dutch buyer is a KVK number (0106) or an OIN (0190)"),
):  # fmt: skip
    netherlands.add(_rule, _terms, _context, _check, _requires, kind=_kind)


@netherlands.rule("NL-R-007", "BG-16", at=TOTALS, kind=Kind.PRESENCE, path="cac:PaymentMeans")
def payment_is_arranged(totals: Node, view: View) -> Values | None:
    """Where money is due to a Dutch seller, a means of payment is given."""
    if view.everywhere("cac:PaymentMeans"):
        return None
    due = totals.number("cbc:PayableAmount")
    if due is not None and (due <= ZERO if view.root.name == "ubl:Invoice" else due >= ZERO):
        return None
    return {"amount": due}


@netherlands.rule("NL-R-008", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def means_is_dutch(means: Node, _: View) -> Values | None:
    """Between Dutch parties only the usual means of payment are used."""
    code = normalized(means.text_of("cbc:PaymentMeansCode"))
    return None if code in MEANS else {"code": code, "codes": list(MEANS)}


@netherlands.rule("NL-R-009", "BT-132 BT-13", at=ORDER_LINE, kind=Kind.PRESENCE,
                  path="cac:OrderReference/cbc:ID")  # fmt: skip
def order_line_has_an_order(_: Node, view: View) -> Values | None:
    """Where a line names an order line, the invoice names the order."""
    return None if view.once(_names_an_order) else BROKEN


def _names_an_order(view: View) -> bool:
    return view.root.has("cac:OrderReference/cbc:ID")
