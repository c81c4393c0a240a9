"""PINT-SG-UBL: the rules of Singapore, releases 1.4.0 and 1.4.1, in UBL.

Many are rules of EN 16931 or of Peppol under an id of Singapore (`BR-45-GST-SG`), with GST in place
of VAT. 1.4.1 adds such rules, and makes fatal what 1.4.0 warns of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

from einvoice.rules.book import (
    Book,
    Chapter,
    Check,
    Context,
    Flag,
    Kind,
    Pattern,
    Values,
    never,
)
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.en16931.ubl import contexts as cen
from einvoice.rules.en16931.ubl.conditions import indicated
from einvoice.rules.en16931.ubl.totals import (
    allowances_add_up,
    charges_add_up,
    line_nets_add_up,
    total_with_vat_adds_up,
    total_without_vat_adds_up,
)
from einvoice.rules.en16931.ubl.vat import tax_is_rate, taxes_add_up
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.tolerance import SLACK
from einvoice.rules.peppol.ubl import PEPPOL_UBL
from einvoice.rules.peppol.ubl.lines import line_net
from einvoice.rules.pint import billing
from einvoice.rules.pint.base import BUYER, SELLER, pint_with_types
from einvoice.rules.pint.conditions import (
    LINES,
    Test,
    at_most,
    begins,
    castable,
    coded_in,
    given_any,
    payment_is_agreed,
    require,
    text_at,
    where,
)
from einvoice.rules.pint.release_1_1_2 import CREDIT_NOTES, INVOICES, pint_1_1_2
from einvoice.rules.pint.taxes import BREAKDOWN, GST, LINE_CATEGORY, taxable_beside
from einvoice.rules.tables import at_most_one, coded, unfired
from einvoice.rules.values import ZERO, decimals, double_of, normalized, to_cents
from einvoice.rules.view import View

RELEASE = "1.4.1"
NOT_REGISTERED = "NG"
# NA is named in the official condition, which never finds it.
_REGISTERED = " SR SRCA-S SRCA-C ZR SRRC SROVR-RS SROVR-LVG SRLVG NA"
_CATEGORIES = ("SR", "SRCA-S", "SRCA-C", "ZR", "ES33", "ESN33", "DS", "OS", "NG", "SRRC",
               "SROVR-RS", "SROVR-LVG", "SRLVG", "NA")  # fmt: skip
_WITH_TAX, _WITHOUT_TAX = "sgdtotal-incl-gst", "sgdtotal-excl-gst"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_REFERENCE = "cac:AdditionalDocumentReference"
_TAX_NUMBER = "cac:PartyTaxScheme/cbc:CompanyID"
_TWO = Decimal(2)

# -- contexts --------------------------------------------------------------------------------------


def _of_registered(category: Node, _: View) -> bool:
    return f" {text_at(category, 'cbc:ID')} " in _REGISTERED


def _is_not_registered(category: Node, _: View) -> bool:
    return GST.category(category) == NOT_REGISTERED


def _has_type(reference: Node, _: View) -> bool:
    return reference.has("cbc:DocumentTypeCode")


DOCUMENT: Context = Pattern().context("/ubl:Invoice", "/cn:CreditNote")
LINE: Context = Pattern().context(*LINES)
UUID: Context = Pattern().context("/*/cbc:UUID")
TOTALS: Context = Pattern().context("cac:LegalMonetaryTotal")
TAX_TOTAL: Context = Pattern().context("/ubl:Invoice/cac:TaxTotal", "/cn:CreditNote/cac:TaxTotal")
ROW: Context = Pattern().context("cac:TaxTotal/cac:TaxSubtotal")
UNTAXED_ROW: Context = Pattern().context(BREAKDOWN, when=_is_not_registered)
TAXED_ROW: Context = Pattern().context(BREAKDOWN, when=_of_registered)
SUPPLIER: Context = Pattern().context("cac:AccountingSupplierParty")
REPRESENTATIVE: Context = Pattern().context("cac:TaxRepresentativeParty")
REFERENCE: Context = Pattern().context(_REFERENCE, when=_has_type)
CATEGORY: Context = Pattern().context("cac:TaxCategory/cbc:ID")
LINE_CODE: Context = Pattern().context("cac:ClassifiedTaxCategory/cbc:ID")
DUE: Context = Pattern().context("/ubl:Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount")

chapter = Chapter(
    Layer.PINT_SG_UBL,
    gathers=(
        *(*LINES, "cac:TaxTotal", "cac:AllowanceCharge", "cac:TaxCategory"),
        *("cac:ClassifiedTaxCategory", "cac:AccountingSupplierParty"),
        *("cac:AccountingCustomerParty", "cac:TaxRepresentativeParty"),
    ),
)
added = Chapter(Layer.PINT_SG_UBL, gathers=("cbc:DueDate", "cac:PaymentTerms"))


def _repeat(into: Chapter, book: Book, suffix: str, *ids: str, flag: Flag | None = None) -> None:
    """The rules of another publisher under an id of Singapore."""
    for rule in book.rules:
        if rule.id in ids:
            into.rules.append(
                replace(
                    rule,
                    layer=into.layer,
                    id=f"{rule.id}{suffix}",
                    flag=flag or rule.flag,
                    requirement=rule.requires.replace("VAT", "GST"),
                )
            )


_repeat(chapter, CEN_UBL, "-GST-SG", "BR-13", "BR-14", "BR-45", "BR-46", "BR-CO-18", "BR-CL-06")
_repeat(chapter, CEN_UBL, "-SG", *(
    f"BR-DEC-{number:02}" for number in (1, 2, 5, 6, 9, 10, 11, 12, 14, 16, 17)))  # fmt: skip
_repeat(chapter, CEN_UBL, "-SG", "UBL-SR-32", flag=Flag.WARNING)
_repeat(added, CEN_UBL, "-SG", "BR-11", "BR-31", "BR-50", "BR-51", "BR-CL-08",
        *(f"BR-CO-{number:02}" for number in range(5, 9)))  # fmt: skip
_repeat(added, CEN_UBL, "-GST-SG", "BR-CO-03")
_repeat(added, PEPPOL_UBL, "-SG", *(
    f"PEPPOL-EN16931-R{number}" for number in ("003", "053", "054", "041", "042", "040", "061",
                                               "046")))  # fmt: skip

# -- totals ----------------------------------------------------------------------------------------


def _rounded(check: Check) -> Check:
    """The check with the declared amount rounded to cents."""

    def rounded(node: Node, view: View) -> Values | None:
        found = check(node, view)
        declared = None if found is None else found.get("declared")
        if found is None or not isinstance(declared, Decimal):
            return found
        return None if to_cents(declared) == found.get("expected") else found

    return rounded


_total_without_tax = _rounded(total_without_vat_adds_up)


def _without_tax(totals: Node, view: View) -> Values | None:
    """The total without GST is lines less allowances plus charges."""
    if given_any("cbc:ChargeTotalAmount", "cbc:AllowanceTotalAmount")(totals, view):
        return _total_without_tax(totals, view)
    return total_without_vat_adds_up(totals, view)


def _amount_due(totals: Node, _: View) -> Values | None:
    """The amount due is the total with GST less the prepaid amount plus the rounding."""
    due, gross = totals.number("cbc:PayableAmount"), totals.number("cbc:TaxInclusiveAmount")
    prepaid = totals.number("cbc:PrepaidAmount")
    rounding = totals.number("cbc:PayableRoundingAmount")
    if due is None or gross is None:
        return {"declared": due, "expected": None}
    left, unrounded = gross - (prepaid or ZERO), due - (rounding or ZERO)
    if prepaid is not None or rounding is not None:
        left, unrounded = to_cents(left), to_cents(unrounded)
    return None if unrounded == left else {"declared": due, "expected": left + (rounding or ZERO)}


def _with_tax(invoice: Node, view: View) -> Values | None:
    """The total with GST is the total without it plus the GST, of which there is one."""
    for currency in invoice.texts("cbc:DocumentCurrencyCode"):
        count = sum(
            currency in each.attributes_at("cbc:TaxAmount", "currencyID")
            for each in view.everywhere("cac:TaxTotal")
        )
        if count != 1:
            return {"declared": None, "expected": None, "currency": currency, "count": count}
    return total_with_vat_adds_up(invoice, view)


def _tax_of_rate(row: Node, _: View) -> Values | None:
    """The GST of a row is its rate of the taxable amount, within 2."""
    return tax_is_rate(row, GST.of(row, "cac:TaxCategory"), _TWO)


for _rule, _terms, _at, _check, _text in (
    ("BR-CO-10-SG", "BT-106 BT-131", TOTALS, _rounded(line_nets_add_up),
     "The sum of line net amounts (BT-106) is the sum of BT-131 of all lines"),
    ("BR-CO-11-SG", "BT-107 BT-92", TOTALS, _rounded(allowances_add_up),
     "The sum of allowances (BT-107) is that of the allowances of the document (BT-92)"),
    ("BR-CO-12-SG", "BT-108 BT-99", TOTALS, _rounded(charges_add_up),
     "The sum of charges (BT-108) is that of the charges of the document (BT-99)"),
    ("BR-CO-13-GST-SG", "BT-109 BT-106 BT-107 BT-108", TOTALS, _without_tax, None),
    ("BR-CO-14-GST-SG", "BT-110 BT-117", TAX_TOTAL, _rounded(taxes_add_up),
     "The total of GST (BT-110) is the sum of the rows (BT-117)"),
    ("BR-CO-15-GST-SG", "BT-112 BT-109 BT-110", DOCUMENT, _with_tax, None),
    ("BR-CO-16-GST-SG", "BT-115 BT-112 BT-113 BT-114", TOTALS, _amount_due, None),
    ("BR-CO-17-GST-SG", "BT-117 BT-116 BT-119", ROW, _tax_of_rate, None),
):  # fmt: skip
    chapter.add(_rule, _terms, _at, _check, _text, kind=Kind.SUM)
unfired(chapter, ROW, [  # another context takes these rows first
    ("BR-DEC-19-SG", "BT-116", "A taxable amount has at most two decimals"),
    ("BR-DEC-20-SG", "BT-117", "An amount of GST has at most two decimals"),
])  # fmt: skip
unfired(chapter, LINE, [
    ("BR-DEC-15-SG", "BT-111", "The GST in the accounting currency has at most two decimals"),
])  # fmt: skip
unfired(added, LINE, [
    ("BR-DEC-13-GST-SG", "BT-110", "The total of GST has at most two decimals"),
])  # fmt: skip

# -- the document ----------------------------------------------------------------------------------


def _is_gst(node: Node) -> bool:
    """Whether a tax scheme is named GST, in capitals."""
    return "GST" in node.texts("cac:TaxScheme/cbc:ID")


def _some_gst(path: str, member: str) -> Test:
    return lambda node, _: any(_is_gst(each) and each.has(member) for each in node.all(path))


def _referred(invoice: Node, code: str) -> bool:
    """Whether a document reference of the invoice has this type."""
    found = invoice.all(_REFERENCE)
    return any(code in each.texts("cbc:DocumentTypeCode") for each in found)


def _in_accounting_currency(invoice: Node, view: View) -> bool:
    codes = invoice.texts("cbc:TaxCurrencyCode")
    given_in = {
        currency
        for total in view.everywhere("cac:TaxTotal")
        for currency in total.attributes_at("cbc:TaxAmount", "currencyID")
    }
    whole = _referred(invoice, _WITH_TAX) and _referred(invoice, _WITHOUT_TAX)
    return not codes or (whole and all(code in given_in for code in codes))


def _no_totals_alone(invoice: Node, _: View) -> bool:
    alone = _referred(invoice, _WITH_TAX) or _referred(invoice, _WITHOUT_TAX)
    return invoice.has("cbc:TaxCurrencyCode") or not alone


def _has_number(holders: Iterable[Node], path: str) -> bool:
    registrations = (each for holder in holders for each in holder.all(path))
    return any(GST.levied_alone(each) and each.has("cbc:CompanyID") for each in registrations)


def _seller_has_a_number(view: View) -> bool:
    """Whether seller or tax representative have a number of GST."""
    representatives = view.everywhere("cac:TaxRepresentativeParty")
    return _has_number(
        view.everywhere("cac:AccountingSupplierParty"), "cac:Party/cac:PartyTaxScheme"
    ) or _has_number(representatives, "cac:PartyTaxScheme")


def _nobody_has_a_number(_: Node, view: View) -> bool:
    buyers = view.everywhere("cac:AccountingCustomerParty")
    return not view.once(_seller_has_a_number) and not _has_number(
        buyers, "cac:Party/cac:PartyTaxScheme"
    )


def _untaxed_line(_: Node, view: View) -> bool:
    return NOT_REGISTERED in view.once(GST.line_codes)


def _untaxed_adjustment(charge: bool) -> Test:
    def test(_: Node, view: View) -> bool:
        found = (x for x in view.root.all("cac:AllowanceCharge") if indicated(x, charge))
        categories = (tax for each in found for tax in each.all("cac:TaxCategory"))
        return any(_is_not_registered(tax, view) for tax in categories)

    return test


def _one_order(invoice: Node, view: View) -> bool:
    texts = (text for each in invoice.all("cac:OrderReference/cbc:ID")
             for text in view.text_nodes(each))  # fmt: skip
    path = "cac:OrderLineReference/cac:OrderReference/cbc:ID"
    lines = any(line.has(path) for name in LINES for line in invoice.all(name))
    return not lines or all(text == "NA" for text in texts)


require(chapter, DOCUMENT, [
    ("PEPPOL-EN16931-R004-SG", "BT-24",
     begins("cbc:CustomizationID", billing("sg").customization),
     "The specification identifier (BT-24) is that of PINT SG"),
    ("BR-53-GST-SG", "BT-6 BT-111", _in_accounting_currency,
     "With an accounting currency (BT-6), the GST (BT-111) and both totals are given in it"),
    ("BR-110-GST-SG", "BT-6", _no_totals_alone,
     "Totals in Singapore dollars are given with an accounting currency (BT-6) only"),
    *(
        (f"BR-NG-0{number}-GST-SG", "BT-31 BT-48 BT-63", where(untaxed, _nobody_has_a_number),
         f"Where {part} is of the category NG, no party has a GST number")
        for number, untaxed, part in (
            (2, _untaxed_line, "a line"), (3, _untaxed_adjustment(False), "an allowance"),
            (4, _untaxed_adjustment(True), "a charge"))
    ),
    *(
        (f"BR-NG-1{number}-GST-SG", "BT-118", test,
         f"Where the category NG is in the breakdown, {part} have no other")
        for number, (test, part) in enumerate(
            zip(GST.alone("NG"), ("rows", "lines", "allowances", "charges"), strict=True), 1)
    ),
    ("BR-110-SG", "BT-13", _one_order,
     "Orders are named by the lines or by the document (BT-13), not by both"),
])  # fmt: skip
chapter.add(
    "BR-NG-01-GST-SG", "BG-23 BT-118", DOCUMENT, GST.once_in_breakdown("NG"),
    "A category NG that is used is in the breakdown exactly once", kind=Kind.CATEGORY,
)  # fmt: skip
require(chapter, UUID, [
    ("BR-109-GST-SG", "", lambda uuid, _: _UUID.fullmatch(normalized(uuid.text)) is not None,
     "The UUID of a document is written as 36 characters"),
], Kind.FORMAT, Flag.WARNING)  # fmt: skip
require(added, DUE, [
    ("BR-CO-25-SG", "BT-9 BT-20 BT-115", payment_is_agreed,
     "An amount that is due has a due date (BT-9) or payment terms (BT-20)"),
])  # fmt: skip
require(added, DOCUMENT, [
    ("PEPPOL-EN16931-R007-SG", "BT-23", lambda invoice, view: (
        normalized(view.text_node(invoice, "cbc:ProfileID")) == billing("sg").process),
     "The process (BT-23) is that of the specification"),
])  # fmt: skip


def _in_doubles(line: Node, indicator: str) -> Decimal:
    """The sum of allowances or charges of a line, in doubles as officially."""
    return Decimal(sum(
        double_of(amount)
        for each in line.all("cac:AllowanceCharge")
        if text_at(each, "cbc:ChargeIndicator") == indicator
        for amount in each.all("cbc:Amount")
    ))  # fmt: skip


def _line_adds_up(line: Node, view: View) -> Values | None:
    """The line net amount is quantity times price plus charges less allowances, within 0.02."""
    return line_net(line, view, SLACK, _in_doubles(line, "true") - _in_doubles(line, "false"))


added.add("PEPPOL-EN16931-R120-SG", "BT-131 BT-129 BT-146 BT-149", LINE, _line_adds_up, None,
          kind=Kind.SUM)  # fmt: skip

# -- categories ------------------------------------------------------------------------------------


def _rate_or_code(row: Node, view: View) -> bool:
    """Whether a row has a rate; as published it may have none, but then not two codes."""
    if not _some_gst("cac:TaxCategory", "cbc:Percent")(row, view):
        codes = [x for each in row.all("cac:TaxCategory") if _is_gst(each)
                 for x in each.all("cbc:ID")]  # fmt: skip
        if len(codes) > 1:
            raise MoreThanOneItem(codes[0], "cbc:ID", len(codes))
    return True


require(chapter, ROW, [
    ("BR-47-GST-SG", "BT-118", _some_gst("cac:TaxCategory", "cbc:ID"),
     "Each row of the tax breakdown has a GST category (BT-118)"),
    ("BR-48-GST-SG", "BT-119", _rate_or_code,
     "Each row of the tax breakdown has a rate (BT-119), unless it is of the category NG"),
])  # fmt: skip
require(chapter, LINE, [
    ("BR-CO-04-GST-SG", "BT-151", _some_gst(LINE_CATEGORY, "cbc:ID"),
     "A line has a GST category (BT-151)"),
])  # fmt: skip
chapter.add("BR-NG-08-GST-SG", "BT-116", UNTAXED_ROW, taxable_beside("NG"),
            "The taxable amount of the category NG is that of lines, charges and allowances",
            kind=Kind.SUM)  # fmt: skip
require(chapter, UNTAXED_ROW, [
    ("BR-NG-09-GST-SG", "BT-117",
     lambda tax, _: any(double_of(each) == 0 for each in tax.up(1).all("cbc:TaxAmount")),
     "The GST of the category NG is 0"),
])  # fmt: skip
require(chapter, TAXED_ROW, [
    ("BR-105-GST-SG", "BT-31 BT-63", lambda _, view: view.once(_seller_has_a_number),
     "A seller who charges GST has a GST number (BT-31), or the tax representative has (BT-63)"),
])  # fmt: skip


def _of_root(*paths: str) -> Test:
    return lambda _, view: all(view.root.has(path) for path in paths)


def _address(party: str) -> Test:
    address = f"{party}/cac:PostalAddress"
    return _of_root(f"{address}/cbc:StreetName", f"{address}/cbc:PostalZone")


def _accounts_in_dollars(_: Node, view: View) -> bool:
    """Whether the accounting currency is SGD exactly where the currency of the invoice is not."""
    if text_at(view.root, "cbc:DocumentCurrencyCode") == "SGD":
        return not view.root.has("cbc:TaxCurrencyCode")
    return text_at(view.root, "cbc:TaxCurrencyCode") == "SGD"


require(chapter, TAXED_ROW, [
    ("BR-106-GST-SG", "BT-35 BT-38", _address(SELLER),
     "A seller who charges GST has a street (BT-35) and post code (BT-38)"),
    ("BR-107-GST-SG", "BT-50 BT-53", _address(BUYER),
     "The buyer of a seller who charges GST has a street (BT-50) and post code (BT-53)"),
    ("BR-108-GST-SG", "", _of_root("cbc:UUID"), "A document with GST has a UUID"),
    ("BR-112-GST-SG", "BT-30", _of_root(f"{SELLER}/cac:PartyLegalEntity/cbc:CompanyID"),
     "A seller who charges GST has a legal registration (BT-30)"),
    ("BR-113-GST-SG", "BT-5 BT-6", _accounts_in_dollars,
     "The accounting currency (BT-6) is SGD where the currency of the invoice (BT-5) is another"),
], Kind.OTHER, Flag.WARNING)  # fmt: skip
chapter.add("BR-111-GST-SG", "BT-22", TAXED_ROW, never,  # as published, it finds nothing
            "A credit note with GST has a note with its reason (BT-22)", Flag.WARNING)  # fmt: skip

# -- parties and references ------------------------------------------------------------------------

require(chapter, SUPPLIER, [
    ("BR-CO-26-GST-SG", "BT-29 BT-30 BT-31", given_any(
        *(f"cac:Party/{path}" for path in (
            _TAX_NUMBER, "cac:PartyIdentification/cbc:ID", "cac:PartyLegalEntity/cbc:CompanyID"))),
     "The seller has an identifier, a legal registration or a GST number"),
])  # fmt: skip
require(chapter, REPRESENTATIVE, [
    ("BR-56-GST-SG", "BT-63", _some_gst("cac:PartyTaxScheme", "cbc:CompanyID"),
     "A tax representative has a GST number (BT-63)"),
])  # fmt: skip


def _at_most_one_of(gst: bool, member: str) -> Test:
    """Whether the registrations of the seller for GST, or for others, have one member at most."""

    def test(invoice: Node, _: View) -> bool:
        found = 0
        for each in invoice.all(f"{SELLER}/cac:PartyTaxScheme"):
            schemes = each.texts("cac:TaxScheme/cbc:ID")
            if any((scheme == "GST") is gst for scheme in schemes):
                found += len(each.all(member))
        return found <= 1

    return test


require(chapter, DOCUMENT, [
    ("UBL-SR-12-GST-SG", "BT-31", _at_most_one_of(True, "cbc:CompanyID"),
     "The seller has at most one GST number (BT-31)"),
    ("UBL-SR-13-GST-SG", "BT-32", _at_most_one_of(False, "cbc:ID"),
     "The seller has at most one other tax registration (BT-32)"),
    ("UBL-SR-18-SG", "BT-48", at_most(f"{BUYER}/{_TAX_NUMBER}"),
     "The buyer has at most one GST number (BT-48)"),
], Kind.CARDINALITY, Flag.WARNING)  # fmt: skip
at_most_one(chapter, LINE, [
    ("UBL-SR-38-GST-SG", "", f"{LINE_CATEGORY}/cbc:TaxExemptionReason"),
], Flag.WARNING)  # fmt: skip
at_most_one(chapter, REPRESENTATIVE, [
    ("UBL-SR-23-GST-SG", "BT-63", f"cac:Party/{_TAX_NUMBER}"),
], Flag.WARNING)  # fmt: skip


def _is_of_known_type(reference: Node, view: View) -> bool:
    codes = reference.texts("cbc:DocumentTypeCode")
    if "50" in codes and view.root.name == "cn:CreditNote":
        return True
    return any(code in ("130", _WITH_TAX, _WITHOUT_TAX) for code in codes)


def _is_amount(reference: Node, _: View) -> bool:
    number = castable(reference, "cbc:DocumentDescription")
    return number is not None and decimals(reference.text_of("cbc:DocumentDescription")) <= 2


def _is_in_dollars(reference: Node, _: View) -> bool:
    return "SGD" in reference.texts("cbc:ID")


def _of_type(code: str, test: Test) -> Test:
    """Whether a reference of this type satisfies the test, or it has another type too."""

    def checked(reference: Node, view: View) -> bool:
        codes = reference.texts("cbc:DocumentTypeCode")
        return any(each != code for each in codes) or test(reference, view)

    return checked


require(chapter, REFERENCE, [
    ("UBL-SR-43-GST-SG", "BT-18 BT-122", _is_of_known_type,
     "The type of a document reference is 130, that of a total in SGD, or 50 in a credit note"),
    ("BR-100-GST-SG", "", _of_type(_WITH_TAX, _is_amount),
     "The total with GST in SGD is a number with at most two decimals"),
    ("BR-101-GST-SG", "", _of_type(_WITHOUT_TAX, _is_amount),
     "The total without GST in SGD is a number with at most two decimals"),
    ("BR-102-GST-SG", "BT-125", lambda reference, view: (
        _is_of_known_type(reference, view) and not reference.has("cac:Attachment")),
     "A reference with a type has no attachment (BT-125)"),
    ("BR-103-GST-SG", "", _of_type(_WITH_TAX, _is_in_dollars),
     "The reference of the total with GST has the id SGD"),
    ("BR-104-GST-SG", "", _of_type(_WITHOUT_TAX, _is_in_dollars),
     "The reference of the total without GST has the id SGD"),
])  # fmt: skip
coded(chapter, cen.MEANS_CODE, "BR-CL-16-SG", "BT-81", "uncl4461_singapore")
for _rule, _terms, _at in (
    ("BR-CL-17-GST-SG", "BT-95 BT-102 BT-118", CATEGORY), ("BR-CL-18-GST-SG", "BT-151", LINE_CODE),
):  # fmt: skip
    chapter.add(_rule, _terms, _at, coded_in(_CATEGORIES),
                "The GST category is one of Singapore", kind=Kind.CODE_LIST)  # fmt: skip

_MADE_FATAL: Mapping[str, Flag] = dict.fromkeys(
    (f"BR-{number}-GST-SG" for number in (106, 107, 108, 109, 111, 112, 113)), Flag.FATAL
)
PINT_SG_1_4_0 = Book.of(Layer.PINT_SG_UBL, "1.4.0", [chapter])
PINT_SG = PINT_SG_1_4_0.revised(RELEASE, flags=_MADE_FATAL, chapters=[added])
PINT_UBL_1_1_2 = pint_1_1_2()
PINT_UBL_OF_SG = pint_with_types(INVOICES, CREDIT_NOTES, RELEASE)
