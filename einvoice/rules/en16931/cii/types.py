"""Data types of CII (CII-DT): references, quantities, taxes and dates."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Values
from einvoice.rules.cii_paths import INVOICE, LINE
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View

types = Chapter(Layer.CEN_CII)

_DAY = re.compile(r"[ \t\r\n]*[0-9]{4}(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])[ \t\r\n]*")
_SUPPORTING = "ram:AdditionalReferencedDocument"


def _is_supporting(document: Node, *wanted: str) -> bool:
    """Whether this is a supporting document of one of the types."""
    codes = document.texts("ram:TypeCode")
    return document.name == _SUPPORTING and any(code in wanted for code in codes)


def _of_type(wanted: tuple[str, ...]) -> Check:
    def check(document: Node, _: View) -> Values | None:
        return None if _is_supporting(document, *wanted) else BROKEN

    return check


def _of_document(tax: Node, _: View) -> Values | None:
    return None if tax.within("ram:ApplicableHeaderTradeSettlement") else BROKEN


def _of_breakdown(tax: Node, _: View) -> Values | None:
    return None if tax.name == "ram:ApplicableTradeTax" else BROKEN


for _id, _part, _types, _terms in (
    ("CII-DT-015", "ram:URIID", ("916",), "BT-124"),
    ("CII-DT-018", "ram:TypeCode", ("50", "130", "916"), "BT-17 BT-18 BT-122"),
    ("CII-DT-021", "ram:Name", ("916",), "BT-123"),
    ("CII-DT-022", "ram:AttachmentBinaryObject", ("916",), "BT-125"),
    ("CII-DT-024", "ram:ReferenceTypeCode", ("130",), "BT-18-1 BT-128-1"),
):
    types.add(
        _id, _terms, contexts.REFERENCE, _of_type(_types),
        f"{_part} only for a supporting document of type {', '.join(_types)}",
        present=(_part,), parameters={"path": _part},
    )  # fmt: skip


@types.rule("CII-DT-027", "BT-26", at=contexts.REFERENCE, present=("ram:FormattedIssueDateTime",))
def only_preceding_invoice_has_a_date(document: Node, _: View) -> Values | None:
    """Only the reference to a preceding invoice has an issue date (BT-26)."""
    return None if document.name == "ram:InvoiceReferencedDocument" else BROKEN


@types.rule("CII-DT-033", "BT-130", at=contexts.QUANTITY)
def quantity_has_a_unit_only_with_invoiced_units(quantity: Node, view: View) -> Values | None:
    """A quantity has a unit only if an invoiced quantity has one (BT-130)."""
    if "unitCode" not in quantity.attributes or view.once(_invoiced_units_given):
        return None
    return BROKEN


def _invoiced_units_given(view: View) -> bool:
    billed = view.root.all(f"{LINE}/ram:SpecifiedLineTradeDelivery/ram:BilledQuantity")
    return view.root.name == INVOICE[1:] and any("unitCode" in each.attributes for each in billed)


@types.rule("CII-DT-037", "BT-95 BT-102 BT-118 BT-151", at=contexts.ANY_TAX)
def tax_is_vat(tax: Node, _: View) -> Values | None:
    """The type of a tax is VAT."""
    kinds = tax.all("ram:TypeCode")
    for kind in kinds:
        if kind.text == "VAT":
            return None
    return {"code": kinds[0].text} if kinds else None


for _id, _part, _terms in (
    ("CII-DT-041", "ram:BasisAmount", "BT-116"),
    ("CII-DT-054", "ram:TaxPointDate", "BT-7"),
    ("CII-DT-058", "ram:DueDateTypeCode", "BT-8"),
):
    types.add(
        _id, _terms, contexts.ANY_TAX, _of_document, f"{_part} only for the document",
        Flag.WARNING, present=(_part,), parameters={"path": _part},
    )  # fmt: skip

for _id, _part, _terms in (
    ("CII-DT-052", "ram:ExemptionReasonCode", "BT-121"),
    ("CII-DT-098", "ram:ExemptionReason", "BT-120"),
):
    types.add(
        _id, _terms, contexts.ANY_TAX, _of_breakdown, f"{_part} not for allowances and charges",
        Flag.WARNING, present=(_part,), parameters={"path": _part},
    )  # fmt: skip


@types.rule("CII-DT-097", "BT-2 BT-9 BT-72", at=contexts.DATE)
def date_is_a_day(date: Node, _: View) -> Values | None:
    """A date of format 102 is a date YYYYMMDD."""
    return None if _DAY.fullmatch(date.text) else {"text": date.text}
