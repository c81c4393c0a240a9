"""Icelandic rules for UBL."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.evaluation_errors import MoreThanOneItem, either
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import (
    SELLER_PARTY,
    buyer_address_as_written,
    seller_address_as_written,
)
from einvoice.rules.node import Node
from einvoice.rules.values import normalized, parse_date
from einvoice.rules.view import View

iceland = Chapter(Layer.PEPPOL_UBL)

KENNITALA = "0196"  # the scheme of Icelandic identification numbers
FINAL_DUE_DATE = "EINDAGI"
_DOCUMENT_TYPES = ("380", "381")
_REFERENCE = "cac:AdditionalDocumentReference"


def _icelandic_seller(view: View) -> bool:
    return view.once(seller_address_as_written) == "IS"


def _icelandic_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address_as_written) == "IS"


_pattern = Pattern(_icelandic_seller)
DOCUMENT = _pattern.context("ubl:Invoice", "cn:CreditNote")
BUYER = _pattern.context(
    "ubl:Invoice/cac:AccountingCustomerParty",
    "cn:CreditNote/cac:AccountingCustomerParty",
    when=_icelandic_buyer,
)


@iceland.rule("IS-R-001", "BT-3", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.CODE_LIST)
def type_is_invoice_or_credit_note(invoice: Node, _: View) -> Values | None:
    """The type (BT-3) of an Icelandic document is 380 or 381."""
    holds = either(
        lambda: normalized(invoice.text_of("cbc:InvoiceTypeCode")) in _DOCUMENT_TYPES,
        lambda: normalized(invoice.text_of("cbc:CreditNoteTypeCode")) in _DOCUMENT_TYPES,
    )
    return None if holds else {"codes": list(_DOCUMENT_TYPES)}


def _has_kennitala(node: Node, party: str) -> Values | None:
    schemes = node.attributes_at(f"{party}/cac:PartyLegalEntity/cbc:CompanyID", "schemeID")
    return None if KENNITALA in schemes else {"expected": KENNITALA}


def _has_address(node: Node, party: str) -> Values | None:
    address = f"{party}/cac:PostalAddress"
    for path in (f"{address}/cbc:StreetName", f"{address}/cbc:PostalZone"):
        if not node.has(path):
            return {"path": path}
    return None


@iceland.rule("IS-R-002", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_has_a_kennitala(invoice: Node, _: View) -> Values | None:
    """An Icelandic seller states its kennitala (BT-30), scheme 0196."""
    return _has_kennitala(invoice, SELLER_PARTY)


@iceland.rule("IS-R-004", "BT-47", at=BUYER, kind=Kind.PRESENCE)
def buyer_has_a_kennitala(buyer: Node, _: View) -> Values | None:
    """The kennitala of an Icelandic buyer (BT-47) is given, scheme 0196."""
    return _has_kennitala(buyer, "cac:Party")


@iceland.rule("IS-R-003", "BG-5", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_has_an_address(invoice: Node, _: View) -> Values | None:
    """The address of an Icelandic seller (BG-5) has street and post code."""
    return _has_address(invoice, SELLER_PARTY)


@iceland.rule("IS-R-005", "BG-8", at=BUYER, kind=Kind.PRESENCE)
def buyer_has_an_address(buyer: Node, _: View) -> Values | None:
    """The address of an Icelandic buyer (BG-8) has street and post code."""
    return _has_address(buyer, "cac:Party")


def _account_has_its_length(invoice: Node, code: str) -> Values | None:
    chosen = [
        means
        for means in invoice.all("cac:PaymentMeans")
        if code in means.texts("cbc:PaymentMeansCode")
    ]
    accounts = [each for means in chosen for each in means.all("cac:PayeeFinancialAccount/cbc:ID")]
    if not chosen:
        return None
    if len(accounts) > 1:
        raise MoreThanOneItem(accounts[0], "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID", 2)
    text = accounts[0].text if accounts else ""
    return None if len(normalized(text)) == 12 else {"identifier": text}


@iceland.rule("IS-R-006", "BT-84", at=DOCUMENT, kind=Kind.FORMAT)
def claim_account_has_its_length(invoice: Node, _: View) -> Values | None:
    """The account (BT-84) of a claim, means 9, has 12 characters."""
    return _account_has_its_length(invoice, "9")


@iceland.rule("IS-R-007", "BT-84", at=DOCUMENT, kind=Kind.FORMAT)
def transfer_account_has_its_length(invoice: Node, _: View) -> Values | None:
    """The account (BT-84) of a transfer, means 42, has 12 characters."""
    return _account_has_its_length(invoice, "42")


def _final_due_dates(invoice: Node) -> list[Node]:
    return [
        reference
        for reference in invoice.all(_REFERENCE)
        if FINAL_DUE_DATE in reference.texts("cbc:DocumentDescription")
    ]


@iceland.rule("IS-R-008", "BT-122", at=DOCUMENT, kind=Kind.FORMAT, present=(_REFERENCE,))
def final_due_date_is_a_date(invoice: Node, _: View) -> Values | None:
    """A final due date (a document reference, BT-122) is a date, YYYY-MM-DD."""
    references = _final_due_dates(invoice)
    if not references:
        return None
    days = [day for reference in references for day in reference.all("cbc:ID")]
    if len(days) > 1:
        raise MoreThanOneItem(days[0], f"{_REFERENCE}/cbc:ID", len(days))
    text = days[0].text if days else ""
    return None if len(text) == 10 and parse_date(text) is not None else {"text": text}


@iceland.rule("IS-R-009", "BT-9", at=DOCUMENT, kind=Kind.PRESENCE, present=(_REFERENCE,),
              path="cbc:DueDate")  # fmt: skip
def final_due_date_has_a_due_date(invoice: Node, _: View) -> Values | None:
    """With a final due date, the due date (BT-9) is given."""
    return BROKEN if _final_due_dates(invoice) and not invoice.has("cbc:DueDate") else None


@iceland.rule("IS-R-010", "BT-9", at=DOCUMENT, present=(_REFERENCE,))
def final_due_date_is_not_before_the_due_date(invoice: Node, _: View) -> Values | None:
    """The final due date is not before the due date (BT-9); they are compared as texts."""
    references = _final_due_dates(invoice)
    finals = [day for reference in references for day in reference.texts("cbc:ID")]
    dues = invoice.texts("cbc:DueDate")
    if not references or any(due <= final for due in dues for final in finals):
        return None
    return {"start": " ".join(dues), "end": " ".join(finals)}
