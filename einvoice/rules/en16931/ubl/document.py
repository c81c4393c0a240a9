"""The document as a whole: identifiers, dates, notes and references."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present, unfired
from einvoice.rules.values import XML_SPACE, moment_of
from einvoice.rules.view import View

document = Chapter(Layer.CEN_UBL, gathers=("cac:TaxTotal",))

filled(
    document,
    contexts.DOCUMENT,
    [
        ("BR-01", "BT-24", "cbc:CustomizationID"),
        ("BR-02", "BT-1", "cbc:ID"),
        ("BR-03", "BT-2", "cbc:IssueDate"),
        ("BR-05", "BT-5", "cbc:DocumentCurrencyCode"),
    ],
)
filled(document, contexts.SUPPORTING_DOCUMENT, [("BR-52", "BG-24 BT-122", "cbc:ID")])
present(
    document,
    contexts.PRECEDING_INVOICE,
    [("BR-55", "BG-3 BT-25", "cac:InvoiceDocumentReference/cbc:ID")],
)


@document.rule(
    "BR-04", "BT-3", at=contexts.DOCUMENT, kind=Kind.PRESENCE, path="cbc:InvoiceTypeCode"
)
def has_a_type_code(invoice: Node, _: View) -> Values | None:
    """A document has a type code (BT-3)."""
    if invoice.text_of("cbc:InvoiceTypeCode").strip(XML_SPACE):
        return None
    return None if invoice.text_of("cbc:CreditNoteTypeCode").strip(XML_SPACE) else BROKEN


@document.rule("BR-16", "BG-25", at=contexts.DOCUMENT, kind=Kind.PRESENCE, path="cac:InvoiceLine")
def has_a_line(invoice: Node, _: View) -> Values | None:
    """An invoice has at least one line (BG-25)."""
    return None if invoice.has("cac:InvoiceLine") or invoice.has("cac:CreditNoteLine") else BROKEN


@document.rule("BR-53", "BT-6 BT-111", at=contexts.DOCUMENT, present=("cbc:TaxCurrencyCode",))
def has_vat_in_accounting_currency(invoice: Node, view: View) -> Values | None:
    """With an accounting currency (BT-6), the VAT total is also given in that currency (BT-111)."""
    given = {
        amount.attributes.get("currencyID")
        for total in view.everywhere("cac:TaxTotal")
        for amount in total.all("cbc:TaxAmount")
    }
    missing = [code for code in invoice.texts("cbc:TaxCurrencyCode") if code not in given]
    return {"currency": missing[0]} if missing else None


@document.rule(
    "BR-CO-03",
    "BT-7 BT-8",
    at=contexts.DOCUMENT,
    present=("cac:InvoicePeriod/cbc:DescriptionCode",),
)
def has_one_vat_point(invoice: Node, _: View) -> Values | None:
    """The VAT point is given as a date (BT-7) or as a code (BT-8), not as both."""
    return BROKEN if invoice.has("cbc:TaxPointDate") else None


def _ends_after_it_starts(period: Node, _: View) -> Values | None:
    """A period does not end (BT-74, BT-135) before it starts (BT-73, BT-134)."""
    start, end = period.all("cbc:StartDate"), period.all("cbc:EndDate")
    if not start or not end:
        return None
    last, first = period.only("cbc:EndDate"), period.only("cbc:StartDate")
    if last is None or first is None or moment_of(last) >= moment_of(first):
        return None
    return {"start": first.text, "end": last.text}


document.rule("BR-29", "BG-14 BT-73 BT-74", at=contexts.PERIOD)(_ends_after_it_starts)
document.rule("BR-30", "BG-26 BT-134 BT-135", at=contexts.LINE_PERIOD)(_ends_after_it_starts)


@document.rule("BR-CO-19", "BG-14 BT-73 BT-74", at=contexts.PERIOD, kind=Kind.PRESENCE)
def period_is_not_empty(period: Node, _: View) -> Values | None:
    """An invoicing period has a start or an end (BT-73, BT-74), or only a VAT point date code."""
    given = ("cbc:StartDate", "cbc:EndDate", "cbc:DescriptionCode")
    return None if any(period.has(name) for name in given) else BROKEN


@document.rule("BR-CO-20", "BG-26 BT-134 BT-135", at=contexts.LINE_PERIOD, kind=Kind.PRESENCE)
def line_period_is_not_empty(period: Node, _: View) -> Values | None:
    """The period of a line (BG-26) has a start (BT-134) or an end (BT-135)."""
    return None if period.has("cbc:StartDate") or period.has("cbc:EndDate") else BROKEN


# Joined, because the official rule searches the code in a text.
_SUBJECTS = f" {' '.join(code_list('uncl4451_ubl').ordered)} "


@document.rule("BR-CL-08", "BT-21", at=contexts.NOTE, kind=Kind.CODE_LIST, list="uncl4451_ubl")
def note_subject_is_a_code(note: Node, _: View) -> Values | None:
    """A subject written as #CODE# before a note is a code of the list."""
    _before, mark, rest = note.text.partition("#")
    code, closed, _after = rest.partition("#")
    if not mark or not closed or len(code) != 3 or code in _SUBJECTS:  # a text search
        return None
    return {"code": code}


unfired(
    document,
    contexts.DOCUMENT,
    [
        ("BR-DEC-13", "BT-110", "The VAT total has at most two decimals"),
        ("BR-DEC-15", "BT-111", "The VAT total in accounting currency has at most two decimals"),
    ],
)
