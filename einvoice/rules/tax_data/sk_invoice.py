"""TDD-SK: the rules of EN 16931 and of Peppol on the invoice that a Slovak report repeats.

They are run on that part as on the UBL invoice it was made of (`documents/tax_data`). Those on
elements that a report does not have are left out, as are those whose official context is never
reached in a report: the categories of its VAT breakdown (08 to 10), and currencies (R051). Those on
allowances, charges and periods of the document are not run on the ones of lines (_OF_DOCUMENT).
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from einvoice.domain.identifiers import SELF_BILLING_CUSTOMIZATION
from einvoice.rules.book import Book, Chapter, Context, Flag, Kind, Pattern, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.en16931.ubl import contexts as cen
from einvoice.rules.en16931.ubl.totals import amount_due_adds_up
from einvoice.rules.en16931.ubl.vat import tax_is_rate_of_taxable, taxes_add_up
from einvoice.rules.evaluation_errors import either
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import PEPPOL_UBL
from einvoice.rules.peppol.ubl import contexts as peppol
from einvoice.rules.peppol.ubl.document import specification_is_peppol_billing
from einvoice.rules.tax_data import SK_CEN_LAYER as CEN_LAYER
from einvoice.rules.tax_data import SK_PEPPOL_LAYER as PEPPOL_LAYER
from einvoice.rules.values import decimal_of, normalized, to_cents
from einvoice.rules.view import View

_BREAKDOWN = {
    f"BR-{category}-{number}"
    for category in ("AE", "E", "G", "IC", "AF", "AG", "O", "S", "Z")
    for number in ("08", "09", "10")
}
_OF_DOCUMENT = {
    *("UBL-SR-30", "UBL-SR-31", "BR-CL-06"),
    *(
        f"BR-{category}-{number}"
        for category in ("AE", "E", "G", "IC", "AF", "AG", "O", "S", "Z")
        for number in ("06", "07")
    ),
}
_NOT_REPORTED = {
    *(f"BR-{n:02}" for n in (6, 8, 10, 14, 17, 18, 32, 37, 46, 47, 52, 54, 57, 62, 63, 64)),
    *(f"BR-CL-{n:02}" for n in (7, 11, 15, 21, 24, 26)),
    *(f"BR-CO-{n:02}" for n in (4, 18, 26)),
    *(f"UBL-CR-{n:03}" for n in (5, 6, 656, 672)),
    *(f"UBL-DT-{n:02}" for n in (6, 7)),
    *(f"UBL-SR-{n}" for n in (19, 20, 21, 22, 25, 33, 43, 48, 51, 54, 55, 56)),
}
_PEPPOL_NOT_REPORTED = {
    *(f"DE-R-{n:03}" for n in (*range(2, 12), 15, 18, 22, 27, 28, 30)),
    "DE-R-T02",
    *(f"DK-R-{n:03}" for n in (2, 13, 14, 17)),
    *("GR-R-004-1", "GR-R-004-2", "GR-R-008-2", "GR-R-008-3", "GR-R-010", "GR-S-008-1"),
    *(f"IS-R-{n:03}" for n in (2, 3, 4, 5, 8, 9, 10)),
    *(f"IT-R-{n:03}" for n in range(1, 5)),
    *(f"NL-R-{n:03}" for n in (2, 3, 4, 5, 6, 9)),
    "NO-R-002",
    *(f"PEPPOL-COMMON-R{n}" for n in ("054", "055", "056-1", "056-2", "057")),
    *("PEPPOL-EN16931-CL001", "PEPPOL-EN16931-P0101"),
    *(f"PEPPOL-EN16931-R{n:03}" for n in (3, 10, 20, 44, 46, 51, 80, 100, 101, 130)),
    *(f"SE-R-{n:03}" for n in (3, 4, 5, 13)),
}
_BILLING_PROFILE = "urn:fdc:peppol.eu:2017:poacc:billing:"
_SELF_BILLING_PROFILE = "urn:fdc:peppol.eu:2017:poacc:selfbilling:"
_TYPES = (
    "71 80 82 84 102 218 219 261 326 331 380 382 383 384 386 388 389 393 395 553 575 623 780 817 "
    "870 875 876 877 381 396 81 83 527 532"
)
_ANY_TYPE = code_list("uncl1001_invoice_cen").codes | code_list("uncl1001_creditnote_cen").codes

_cen = Chapter(CEN_LAYER, gathers=("cac:InvoiceLine",))
_peppol = Chapter(PEPPOL_LAYER)


@_cen.rule("BR-CO-14", "BT-110 BT-117", at=cen.TAX_TOTAL, kind=Kind.SUM)
def reported_taxes_add_up(total: Node, view: View) -> Values | None:
    """The VAT total (BT-110) is the sum of the VAT of all categories (BT-117), where they are."""
    rows = total.all("cac:TaxSubtotal")
    whole = total.has("cbc:TaxAmount") and rows and all(r.has("cbc:TaxAmount") for r in rows)
    return taxes_add_up(total, view) if whole else None


@_cen.rule("BR-CO-15", "BT-112 BT-109 BT-110", at=cen.DOCUMENT, kind=Kind.SUM)
def reported_total_adds_up(invoice: Node, _: View) -> Values | None:
    """The total with VAT is the total without VAT plus the VAT, where that is given."""
    for currency in invoice.texts("cbc:DocumentCurrencyCode"):
        taxes = [
            decimal_of(amount)
            for amount in invoice.all("cac:TaxTotal/cbc:TaxAmount")
            if amount.attributes.get("currencyID") == currency
        ]
        if not taxes:
            continue
        nets = list(invoice.numbers("cac:LegalMonetaryTotal", "cbc:TaxExclusiveAmount"))
        declared = list(invoice.numbers("cac:LegalMonetaryTotal", "cbc:TaxInclusiveAmount"))
        expected: Decimal | None = to_cents(nets[0] + taxes[0]) if nets else None
        if expected is None or expected not in declared:
            return {"declared": declared[0] if declared else None, "expected": expected}
    return None


@_cen.rule("BR-CO-16", "BT-115 BT-112 BT-113 BT-114", at=cen.TOTALS, kind=Kind.SUM)
def reported_amount_due_adds_up(totals: Node, view: View) -> Values | None:
    """The amount due is the total with VAT less the prepaid amount plus the rounding."""
    return amount_due_adds_up(totals, view) if totals.has("cbc:TaxInclusiveAmount") else None


@_cen.rule("BR-CO-17", "BT-117 BT-116 BT-119", at=cen.TAX_SUBTOTAL, kind=Kind.SUM)
def reported_tax_is_the_rate(subtotal: Node, view: View) -> Values | None:
    """The VAT of a row is its rate of the taxable amount, where it is given."""
    if not subtotal.has("cbc:TaxAmount"):
        return None
    return tax_is_rate_of_taxable(subtotal, view)


@_cen.rule("BR-CL-01", "BT-3", at=cen.TYPE_CODE, kind=Kind.CODE_LIST)
def reported_type_is_a_code(code: Node, _: View) -> Values | None:
    """The type (BT-3) is one of the list for invoices or for credit notes."""
    return None if normalized(code.text) in _ANY_TYPE else {"code": code.text}


def _self_billed(invoice: Node) -> bool:
    return normalized(invoice.text_of("cbc:CustomizationID")).startswith(SELF_BILLING_CUSTOMIZATION)


@_peppol.rule("PEPPOL-EN16931-R004", "BT-24", at=peppol.DOCUMENT, kind=Kind.FORMAT,
              path="cbc:CustomizationID")  # fmt: skip
def reported_specification_is_of_peppol(invoice: Node, view: View) -> Values | None:
    """The specification identifier (BT-24) is that of BIS Billing or Self-Billing."""
    found = specification_is_peppol_billing(invoice, view)
    return None if found is None or _self_billed(invoice) else found


def _process(invoice: Node) -> str:
    """The two digits of the process (BT-23) of billing or self-billing; "" for another one."""
    text = normalized(invoice.text_of("cbc:ProfileID"))
    for beginning in (_BILLING_PROFILE, _SELF_BILLING_PROFILE):
        _, found, rest = text.partition(beginning)
        if found and rest[:2].isdecimal() and rest[2:6] == ":1.0":
            return rest[:2]
    return ""


@_peppol.rule("PEPPOL-EN16931-R007", "BT-23", at=peppol.DOCUMENT, kind=Kind.FORMAT,
              path="cbc:ProfileID")  # fmt: skip
def reported_process_is_of_peppol(invoice: Node, _: View) -> Values | None:
    """The process (BT-23) is one of billing or self-billing."""
    return None if _process(invoice) else {"text": invoice.text_of("cbc:ProfileID")}


@_peppol.rule("PEPPOL-EN16931-P0100", "BT-3", at=peppol.INVOICE_TYPE, kind=Kind.CODE_LIST)
def reported_type_is_allowed(code: Node, view: View) -> Values | None:
    """The type (BT-3) is one that Peppol allows for any document."""
    holds = either(
        lambda: _process(view.root) != "01",
        lambda: normalized(view.text_node(code)) in _TYPES.split(),
    )
    return None if holds else {"code": code.text}


def _at_root(context: Context) -> Context:
    """A context on the children of the document element only."""
    paths = tuple(f"{root}/{path}" for root in cen.BOTH_DOCUMENTS for path in context.paths)
    moved = replace(context, paths=paths, pattern=Pattern())
    moved.pattern.contexts.append(moved)
    return moved


def _of_document(book: Book) -> Book:
    contexts = {
        context: _at_root(context)
        for context in {rule.context for rule in book.rules if rule.id in _OF_DOCUMENT}
    }
    rules = (replace(rule, context=contexts.get(rule.context, rule.context))
             if rule.id in _OF_DOCUMENT else rule for rule in book.rules)  # fmt: skip
    return replace(book, rules=tuple(rules))


TDD_SK_CEN = _of_document(
    CEN_UBL.selected(CEN_LAYER, "1.0.0").revised(
        "1.0.0", without=_BREAKDOWN | _NOT_REPORTED, chapters=[_cen]
    )
)
TDD_SK_PEPPOL = PEPPOL_UBL.selected(PEPPOL_LAYER, "1.0.0").revised(
    "1.0.0",
    without=_PEPPOL_NOT_REPORTED,
    flags=dict.fromkeys(("PEPPOL-COMMON-R052", "PEPPOL-COMMON-R053", "DK-R-003"), Flag.WARNING),
    chapters=[_peppol],
)
