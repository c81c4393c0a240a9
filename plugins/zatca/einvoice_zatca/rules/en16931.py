"""The rules of EN 16931 as Fatoora has them: most as warnings, some with other tolerances."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from einvoice.rules.book import Chapter, Context, Kind, Pattern, never
from einvoice.rules.en16931.ubl.conditions import ALLOWANCE, CHARGE, is_vat, kind
from einvoice.rules.node import Node
from einvoice.rules.values import (
    ZERO,
    decimal_of,
    decimals,
    double_of,
    normalized,
    parse_decimal,
    to_cents,
)
from einvoice.rules.view import View
from einvoice_zatca.rules.codes import (
    CATEGORIES,
    COUNTRIES,
    CURRENCIES,
    PAYMENT_MEANS,
    TYPES,
    listed,
)
from einvoice_zatca.rules.conditions import (
    BUYER,
    EN,
    FATAL,
    NAME,
    SELLER,
    WARNING,
    Row,
    Test,
    adjustments,
    category,
    declare,
    lacks,
    lacks_text,
    longer,
    of_standard,
    outside,
    rounded,
    vat_categories,
    written,
)
from einvoice_zatca.rules.contexts import CATEGORIES as CATEGORY_PATHS

core = Chapter(
    EN,
    gathers=(
        "cac:InvoiceLine",
        "cac:AllowanceCharge",
        "cac:ClassifiedTaxCategory",
        "cbc:DocumentCurrencyCode",
        "cbc:TaxCurrencyCode",
    ),
)
_LINE: Final = "cac:InvoiceLine"
_ADJUSTED: Final = "cac:AllowanceCharge"
_CATEGORY: Final = "cac:TaxCategory"
_SUBTOTALS: Final = "cac:TaxTotal/cac:TaxSubtotal"
_ITEM_CATEGORY: Final = "cac:Item/cac:ClassifiedTaxCategory"


def _kind(charge: bool) -> Test:
    wanted = CHARGE if charge else ALLOWANCE
    return lambda node, _: kind(node) == wanted


def _is_category(code: str) -> Test:
    return lambda node, _: category(node) == code and is_vat(node)


def _adjusting(code: str, charge: bool) -> Test:
    """Whether a category is of VAT with this code, of an allowance or charge."""
    wanted = CHARGE if charge else ALLOWANCE

    def test(node: Node, _: View) -> bool:
        above = node.parent
        return above is not None and kind(above) == wanted and _is_category(code)(node, _)

    return test


_model = Pattern()
SUPPORTING: Context = _model.context("cac:AdditionalDocumentReference")
DOCUMENT_ALLOWANCE: Context = _model.context(f"/ubl:Invoice/{_ADJUSTED}", when=_kind(False))
LINE_ALLOWANCE: Context = _model.context(f"/ubl:Invoice/{_LINE}/{_ADJUSTED}", when=_kind(False))
DOCUMENT_CHARGE: Context = _model.context(f"/ubl:Invoice/{_ADJUSTED}", when=_kind(True))
LINE_CHARGE: Context = _model.context(f"{_LINE}/{_ADJUSTED}", when=_kind(True))
TOTALS: Context = _model.context("cac:LegalMonetaryTotal")
DOCUMENT: Context = _model.context("/ubl:Invoice", "/cn:CreditNote")
LINE: Context = _model.context(_LINE, "cac:CreditNoteLine")
ATTRIBUTE: Context = _model.context("cac:AdditionalItemProperty")
PAYMENT: Context = _model.context("cac:PaymentMeans")
PRECEDING: Context = _model.context("cac:BillingReference")
SELLER_ADDRESS: Context = _model.context(f"{SELLER}/cac:PostalAddress")
TAX_TOTAL: Context = _model.context("/ubl:Invoice/cac:TaxTotal", "/cn:CreditNote/cac:TaxTotal")
SUBTOTAL: Context = _model.context(f"/ubl:Invoice/{_SUBTOTALS}")
BREAKDOWN = {
    code: _model.context(f"/*/{_SUBTOTALS}/{_CATEGORY}", when=_is_category(code)) for code in "EOSZ"
}
ADJUSTMENT = {
    (code, charge): _model.context(f"{_ADJUSTED}/{_CATEGORY}", when=_adjusting(code, charge))
    for code, charge in (("E", False), ("S", False), ("S", True), ("Z", False))
}
ITEM = {
    code: _model.context(f"{_LINE}/{_ITEM_CATEGORY}", when=_is_category(code)) for code in "ESZ"
}


def _in(currency: str) -> Test:
    def test(node: Node, view: View) -> bool:
        codes = [each.text for each in view.everywhere(currency)]
        return node.attributes.get("currencyID") in codes

    return test


_TAX: Final = "ubl:Invoice/cac:TaxTotal/cbc:TaxAmount"
TAX_IN_CURRENCY = Pattern().context(_TAX, when=_in("cbc:DocumentCurrencyCode"))
TAX_IN_SAR = Pattern().context(_TAX, when=_in("cbc:TaxCurrencyCode"))
_codes = Pattern()
TYPE: Context = _codes.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
AMOUNT: Context = _codes.context("cbc:TaxAmount", "cbc:TaxableAmount", *(
    f"cbc:{name}" for name in (
        "Amount", "BaseAmount", "PriceAmount", "LineExtensionAmount", "TaxExclusiveAmount",
        "TaxInclusiveAmount", "AllowanceTotalAmount", "ChargeTotalAmount", "PrepaidAmount",
        "PayableRoundingAmount", "PayableAmount",
    )
))  # fmt: skip
CURRENCY: Context = _codes.context("cbc:DocumentCurrencyCode")
TAX_CURRENCY: Context = _codes.context("cbc:TaxCurrencyCode")
COUNTRY: Context = _codes.context("cac:Country/cbc:IdentificationCode")
MEANS: Context = _codes.context("cac:PaymentMeans/cbc:PaymentMeansCode")
CATEGORY_CODE: Context = _codes.context(*CATEGORY_PATHS)


def _decimals(path: str) -> Test:
    return lambda node, _: decimals(node.text_of(path)) > 2


def _lacks_vat(path: str) -> Test:
    """Whether no category of VAT has an element on the path."""
    return lambda node, _: not any(each.has(path) for each in node.all(_CATEGORY) if is_vat(each))


# -- the document ----------------------------------------------------------------------------------

declare(core, SUPPORTING, WARNING, [
    ("BR-52", "BT-122", lacks_text("cbc:ID"), "A supporting document (BG-24) has a reference"),
])  # fmt: skip
declare(core, DOCUMENT, FATAL, [
    ("BR-03", "BT-2", lacks_text("cbc:IssueDate"), "A document has a date of issue (BT-2)"),
    ("BR-04", "BT-3",
     lambda node, _: not any(
         any(node.texts(f"cbc:{name}TypeCode")) for name in ("Invoice", "CreditNote")),
     "A document has a type (BT-3)"),
    ("BR-05", "BT-5", lacks_text("cbc:DocumentCurrencyCode"), "A document has a currency (BT-5)"),
    ("BR-16", "BG-25",
     lambda node, _: not (node.has(_LINE) or node.has("cac:CreditNoteLine")),
     "A document has a line (BG-25)"),
], Kind.PRESENCE)  # fmt: skip


def _has_a_long_note(invoice: Node, view: View) -> bool:
    notes = invoice.all("cbc:Note")
    return any(len(piece) > 1000 for note in notes for piece in view.text_nodes(note))


def _tax_is_in_another_currency(invoice: Node, _: View) -> bool:
    if not invoice.has("cbc:TaxCurrencyCode"):
        return False
    totals = [each for each in invoice.all("cac:TaxTotal") if not each.has("cac:TaxSubtotal")]
    codes = [code for each in totals for code in each.attributes_at("cbc:TaxAmount", "currencyID")]
    own = invoice.texts("cbc:TaxCurrencyCode")
    return any(code not in own for code in codes) or any(
        not each.has("cbc:TaxAmount") for each in totals
    )


_REGION: Final = "cac:PostalAddress/cbc:CountrySubentity"
declare(core, DOCUMENT, WARNING, [
    ("BR-02", "BT-1", lacks_text("cbc:ID"), "A document has a number (BT-1)"),
    ("BR-KSA-F-06-C1", "BT-1", longer("cbc:ID", 127),
     "The number (BT-1) has at most 127 characters"),
    ("BR-KSA-F-06-C2", "BT-22", _has_a_long_note, "A note (BT-22) has at most 1,000 characters"),
    ("BR-06", "BT-27", lacks_text(f"{SELLER}/{NAME}"), "The seller has a name (BT-27)"),
    ("BR-KSA-F-06-C10", "BT-27", outside(f"{SELLER}/{NAME}", 1, 1000),
     "The name of the seller (BT-27) has at most 1,000 characters"),
    ("BR-KSA-F-06-C8", "BT-39", longer(f"{SELLER}/{_REGION}", 127),
     "The region of the seller (BT-39) has at most 127 characters"),
    ("BR-08", "BG-5", lacks(f"{SELLER}/cac:PostalAddress"), "The seller has an address (BG-5)"),
    ("BR-KSA-F-06-C27", "BT-54", longer(f"{BUYER}/{_REGION}", 127),
     "The region of the buyer (BT-54) has at most 127 characters"),
    ("BR-53", "BT-111", _tax_is_in_another_currency,
     "The VAT in the currency of VAT (BT-111) is given in that currency"),
])  # fmt: skip


def _line_has(test: Test) -> Test:
    def broken(_: Node, view: View) -> bool:
        return any(test(line, view) for line in view.everywhere(_LINE))

    return broken


def _item_id(name: str) -> Test:
    return _line_has(longer(f"cac:Item/cac:{name}ItemIdentification/cbc:ID", 127))


declare(core, DOCUMENT, FATAL, [
    ("BR-KSA-F-06-C17", "BT-126", _line_has(outside("cbc:ID", 1, 6)),
     "The id of a line (BT-126) has at most 6 characters"),
])  # fmt: skip
declare(core, DOCUMENT, WARNING, [
    (rule, terms, _item_id(name), f"The {words} of an item has at most 127 characters")
    for rule, terms, name, words in (
        ("BR-KSA-F-06-C30", "BT-156", "Buyers", "buyer's id"),
        ("BR-KSA-F-06-C31", "BT-155", "Sellers", "seller's id"),
        ("BR-KSA-F-06-C20", "BT-157", "Standard", "standard id"),
    )
])  # fmt: skip


def _total_with_vat_differs(invoice: Node, _: View) -> bool:
    for currency in invoice.texts("cbc:DocumentCurrencyCode"):
        counted = 0
        for total in invoice.all("cac:TaxTotal"):
            amounts = [each for each in total.all("cbc:TaxAmount")
                       if each.attributes.get("currencyID") == currency]  # fmt: skip
            counted += sum(1 for each in amounts if decimal_of(each) is not None)
        if counted < 1 or _sum_differs(invoice):
            return True
    return False


def _sum_differs(invoice: Node) -> bool:
    total, net = (
        invoice.number(f"cac:LegalMonetaryTotal/cbc:{name}Amount")
        for name in ("TaxInclusive", "TaxExclusive")
    )
    taxes = sum((decimal_of(each) for each in invoice.all(f"{_SUBTOTALS}/cbc:TaxAmount")), ZERO)
    return total is None or net is None or total != to_cents(net + taxes)


declare(core, DOCUMENT, FATAL, [
    ("BR-CO-15", "BT-112", _total_with_vat_differs,
     "The total with VAT (BT-112) is the total without VAT (BT-109) and the VAT"),
], Kind.SUM)  # fmt: skip
declare(core, DOCUMENT, FATAL, [
    ("BR-CO-18", "BG-23", lacks(_SUBTOTALS), "A document has a VAT breakdown (BG-23)"),
])  # fmt: skip


def _is_not_broken_down(code: str) -> Test:
    """Whether something of the category is not in the breakdown."""

    def test(invoice: Node, view: View) -> bool:
        adjusted = view.everywhere(_ADJUSTED)
        used = any(vat_categories(each, _CATEGORY, code) for each in adjusted) or any(
            category(each) == code and is_vat(each)
            for each in view.everywhere("cac:ClassifiedTaxCategory")
        )
        return used and not vat_categories(invoice, f"{_SUBTOTALS}/{_CATEGORY}", code)

    return test


def _charge_has_a_rate(code: str) -> Test:
    def test(invoice: Node, _: View) -> bool:
        charged = any(
            vat_categories(each, _CATEGORY, code) for each in adjustments(invoice, charge=True)
        )
        rates = invoice.all(f"{_ADJUSTED}/{_CATEGORY}/cbc:Percent")
        return charged and not any(double_of(each) == 0 for each in rates)

    return test


declare(core, DOCUMENT, WARNING, [
    (f"BR-{code}-01", "BG-23", _is_not_broken_down(code),
     f"What is of category {code} is in the VAT breakdown (BG-23)")
    for code in "EOSZ"
], Kind.CATEGORY)  # fmt: skip
declare(core, DOCUMENT, FATAL, [
    (f"BR-{code}-07", "BT-103", _charge_has_a_rate(code),
     f"A charge of category {code} has the rate 0 (BT-103)")
    for code in "ZE"
], Kind.CATEGORY)  # fmt: skip

# -- allowances and charges ------------------------------------------------------------------------

declare(core, DOCUMENT_ALLOWANCE, FATAL, [
    ("BR-31", "BT-92", lacks("cbc:Amount"), "An allowance of the document has an amount (BT-92)"),
    ("BR-32", "BT-95",
     lambda node, _: not any(
         any(each.texts("cbc:ID")) for each in node.all(_CATEGORY) if is_vat(each)),
     "An allowance of the document has a VAT category (BT-95)"),
])  # fmt: skip
declare(core, DOCUMENT_CHARGE, WARNING, [
    ("BR-36", "BT-99", lacks("cbc:Amount"), "A charge of the document has an amount (BT-99)"),
    ("BR-37", "BT-102", lacks(f"{_CATEGORY}/cbc:ID"),
     "A charge of the document has a VAT category (BT-102)"),
])  # fmt: skip
declare(core, LINE_CHARGE, WARNING, [
    ("BR-43", "BT-141", lacks("cbc:Amount"), "A charge of a line has an amount (BT-141)"),
])  # fmt: skip
for _place, _names in (
    (DOCUMENT_ALLOWANCE, [("01", "BT-92", "Amount"), ("02", "BT-93", "BaseAmount")]),
    (DOCUMENT_CHARGE, [("05", "BT-99", "Amount"), ("06", "BT-100", "BaseAmount")]),
    (LINE_CHARGE, [("27", "BT-141", "Amount"), ("28", "BT-142", "BaseAmount")]),
    (TOTALS, [
        ("09", "BT-106", "LineExtensionAmount"), ("10", "BT-107", "AllowanceTotalAmount"),
        ("11", "BT-108", "ChargeTotalAmount"), ("12", "BT-109", "TaxExclusiveAmount"),
        ("14", "BT-112", "TaxInclusiveAmount"), ("16", "BT-113", "PrepaidAmount"),
        ("17", "BT-114", "PayableRoundingAmount"), ("18", "BT-115", "PayableAmount"),
    ]),
    (SUBTOTAL, [("19", "BT-116", "TaxableAmount"), ("20", "BT-117", "TaxAmount")]),
    (LINE, [("23", "BT-131", "LineExtensionAmount")]),
):  # fmt: skip
    declare(core, _place, WARNING, [
        (f"BR-DEC-{_number}", _terms, _decimals(f"cbc:{_name}"),
         f"An amount ({_terms}) has at most two decimals")
        for _number, _terms, _name in _names
    ], Kind.FORMAT)  # fmt: skip
for _rule, _terms, _words in (
    ("BR-41", "BT-136", "An allowance of a line has an amount (BT-136)"),
    ("BR-DEC-24", "BT-136", "An allowance of a line (BT-136) has at most two decimals"),
    ("BR-DEC-25", "BT-137", "The base of an allowance (BT-137) has at most two decimals"),
):  # an earlier context shadows theirs
    core.add(_rule, _terms, LINE_ALLOWANCE, never, _words, FATAL if _rule == "BR-41" else WARNING)

# -- totals ----------------------------------------------------------------------------------------

declare(core, TOTALS, FATAL, [
    ("BR-14", "BT-112", lacks("cbc:TaxInclusiveAmount"), "There is a total with VAT (BT-112)"),
    ("BR-15", "BT-115", lacks("cbc:PayableAmount"), "There is an amount due (BT-115)"),
], Kind.PRESENCE)  # fmt: skip
declare(core, TOTALS, WARNING, [
    ("BR-13", "BT-109", lacks("cbc:TaxExclusiveAmount"), "There is a total without VAT (BT-109)"),
], Kind.PRESENCE)  # fmt: skip


def _lines_differ(totals: Node, view: View) -> bool:
    nets = (line.number("cbc:LineExtensionAmount") for line in view.everywhere(_LINE))
    return totals.number("cbc:LineExtensionAmount") != to_cents(
        sum((net for net in nets if net is not None), ZERO)
    )


def _adjustments_differ(charge: bool) -> Test:
    path = "cbc:ChargeTotalAmount" if charge else "cbc:AllowanceTotalAmount"

    def test(totals: Node, _: View) -> bool:
        if charge and totals.has(path) and not normalized(totals.text_of(path)):
            return False
        found = adjustments(totals.up(1), charge)
        amounts = (each.number("cbc:Amount") for each in found)
        expected = to_cents(sum((each for each in amounts if each is not None), ZERO))
        if totals.number(path) == expected:
            return False
        return totals.has(path) or bool(found)

    return test


def _net_total_differs(totals: Node, view: View) -> bool:
    charge = "cbc:ChargeTotalAmount"
    if totals.has(charge) and not normalized(totals.text_of(charge)):
        return False
    charged, allowed = totals.number(charge), totals.number("cbc:AllowanceTotalAmount")
    declared = totals.number("cbc:TaxExclusiveAmount")
    if charged is None and allowed is None:
        return declared is None or declared != totals.number("cbc:LineExtensionAmount")
    nets = (double_of(each) for line in view.root.all(_LINE)
            for each in line.all("cbc:LineExtensionAmount"))  # fmt: skip
    lines = parse_decimal(f"{sum(nets):.6f}") or ZERO
    return declared != to_cents(lines + (charged or ZERO) - (allowed or ZERO))


def _due_differs(totals: Node, _: View) -> bool:
    due, total, prepaid, rounding = (
        totals.number(f"cbc:{name}Amount")
        for name in ("Payable", "TaxInclusive", "Prepaid", "PayableRounding")
    )
    if due is None or total is None:
        return True
    if rounding is None:
        return due != (total if prepaid is None else to_cents(total - prepaid))
    expected = total if prepaid is None else to_cents(total - prepaid)
    return to_cents(due - rounding) != expected


declare(core, TOTALS, FATAL, [
    ("BR-CO-11", "BT-107", _adjustments_differ(charge=False),
     "The total of allowances (BT-107) is the sum of the allowances (BT-92)"),
    ("BR-CO-12", "BT-108", _adjustments_differ(charge=True),
     "The total of charges (BT-108) is the sum of the charges (BT-99)"),
], Kind.SUM)  # fmt: skip
declare(core, TOTALS, WARNING, [
    ("BR-CO-10", "BT-106", _lines_differ,
     "The total of the lines (BT-106) is the sum of their net amounts (BT-131)"),
    ("BR-CO-13", "BT-109", _net_total_differs,
     "The total without VAT (BT-109) is that of the lines with allowances and charges"),
    ("BR-CO-16", "BT-115", _due_differs,
     "The amount due (BT-115) is the total with VAT without what is prepaid, rounded"),
], Kind.SUM)  # fmt: skip

# -- lines -----------------------------------------------------------------------------------------


def _has_no_quantity(line: Node, view: View) -> bool:
    found = line.all("cbc:InvoicedQuantity")
    return not found or any("0" in view.text_nodes(each) for each in found)


def _is_named_by_digits(line: Node, _: View) -> bool:
    name = line.text_of("cac:Item/cbc:Name")
    return bool(name) and name.isdecimal()


declare(core, LINE, FATAL, [
    ("BR-22", "BT-129", _has_no_quantity, "A line has a quantity (BT-129)"),
    ("BR-24", "BT-131", lacks("cbc:LineExtensionAmount"), "A line has a net amount (BT-131)"),
    ("BR-26", "BT-146", lacks("cac:Price/cbc:PriceAmount"), "A line has a net price (BT-146)"),
    ("BR-CO-04", "BT-151",
     lambda node, _: not any(each.has("cbc:ID") for each in node.all(_ITEM_CATEGORY)
                             if is_vat(each)),
     "A line has a VAT category (BT-151)"),
], Kind.PRESENCE)  # fmt: skip
declare(core, LINE, WARNING, [
    ("BR-21", "BT-126", lacks_text("cbc:ID"), "A line has an id (BT-126)"),
    ("BR-25", "BT-153", lacks_text("cac:Item/cbc:Name"), "A line has the name of an item (BT-153)"),
    ("BR-KSA-F-06-C18", "BT-130",
     lambda node, _: len(node.attribute_of("cbc:InvoicedQuantity", "unitCode")) > 127,
     "The unit of a quantity (BT-130) has at most 127 characters"),
    ("BR-KSA-F-06-C19", "BT-153", outside("cac:Item/cbc:Name", 3, 1000),
     "The name of an item (BT-153) has 3 to 1,000 characters"),
    ("BR-KSA-F-C-01", "BT-153", _is_named_by_digits, "The name of an item (BT-153) is no number"),
])  # fmt: skip
declare(core, ATTRIBUTE, FATAL, [
    ("BR-54", "BG-32", lacks("cbc:Name", "cbc:Value"),
     "An attribute of an item (BG-32) has a name and a value"),
])  # fmt: skip
declare(core, PAYMENT, WARNING, [
    ("BR-49", "BT-81", of_standard(lacks("cbc:PaymentMeansCode")),
     "Payment instructions (BG-16) have the means of payment (BT-81)"),
])  # fmt: skip
declare(core, PRECEDING, FATAL, [
    ("BR-55", "BT-25", lacks_text("cac:InvoiceDocumentReference/cbc:ID"),
     "A preceding invoice (BG-3) has a number (BT-25)"),
])  # fmt: skip
declare(core, SELLER_ADDRESS, WARNING, [
    ("BR-09", "BT-40", lacks_text("cac:Country/cbc:IdentificationCode"),
     "The address of the seller has a country (BT-40)"),
])  # fmt: skip

# -- VAT -------------------------------------------------------------------------------------------


def _total_differs(total: Node, _: View) -> bool:
    if not total.has("cac:TaxSubtotal"):
        return False
    taxes = sum((decimal_of(each) for each in total.all("cac:TaxSubtotal/cbc:TaxAmount")), ZERO)
    return total.number("cbc:TaxAmount") != to_cents(taxes)


def _vat_rate(subtotal: Node) -> float | None:
    found = [rate for each in subtotal.all(_CATEGORY) if is_vat(each)
             for rate in each.all("cbc:Percent")]  # fmt: skip
    return double_of(found[0]) if found else None


def _is_off(subtotal: Node, view: View) -> bool:
    """Whether the VAT is further from base and rate than a cent for each line."""
    tax, base = subtotal.only("cbc:TaxAmount"), subtotal.only("cbc:TaxableAmount")
    rate = _vat_rate(subtotal)
    actual = None if tax is None else double_of(tax)
    taxable = None if base is None else double_of(base)
    if actual is None or taxable is None or rate is None:
        return True
    text = written(taxable * (rate / 100))
    if text == "NaN":
        return True
    should = rounded(float(text) * 100) / 100
    allowed = len(view.everywhere(_LINE)) * 0.01
    low, high = (rounded((should + by) * 100) / 100 for by in (-allowed, allowed))
    return not (low <= actual <= high or actual == should)


declare(core, TAX_TOTAL, FATAL, [
    ("BR-CO-14", "BT-110", _total_differs, "The VAT (BT-110) is the sum of the breakdown (BT-117)"),
], Kind.SUM)  # fmt: skip
declare(core, SUBTOTAL, FATAL, [
    ("BR-45", "BT-116", lacks("cbc:TaxableAmount"), "A breakdown has a taxable amount (BT-116)"),
    ("BR-46", "BT-117", lacks("cbc:TaxAmount"), "A breakdown has a VAT amount (BT-117)"),
    ("BR-47", "BT-118", _lacks_vat("cbc:ID"), "A breakdown has a VAT category (BT-118)"),
    ("BR-48", "BT-119",
     lambda node, _: not any(
         each.has("cbc:Percent") or category(each) == "O"
         for each in node.all(_CATEGORY) if is_vat(each)),
     "A breakdown has a VAT rate (BT-119), unless it is out of the scope of VAT"),
], Kind.PRESENCE)  # fmt: skip
declare(core, SUBTOTAL, WARNING, [
    ("BR-CO-17", "BT-117", _is_off,
     "The VAT of a breakdown (BT-117) is its base multiplied by its rate"),
], Kind.SUM)  # fmt: skip


def _base_differs(code: str) -> Test:
    """Whether the base of a category is not the sum of what is of it."""

    def test(node: Node, _: View) -> bool:
        subtotal = node.up(1)
        document = subtotal.up(2)
        lines = [each for each in document.all(_LINE)
                 if any(category(found) == code for found in each.all(_ITEM_CATEGORY))]  # fmt: skip
        used = any(vat_categories(each, _ITEM_CATEGORY, code) for each in lines) or any(
            vat_categories(each, _CATEGORY, code) for each in document.all(_ADJUSTED)
        )
        bases = [subtotal]
        if code == "S":
            bases = [each for each in subtotal.up(1).all("cac:TaxSubtotal")
                     if any(category(found) == code for found in each.all(_CATEGORY))]  # fmt: skip
        return not used or _added(bases, "cbc:TaxableAmount") != (
            _added(lines, "cbc:LineExtensionAmount") + _adjusted(document, code)
        )

    return test


def _added(nodes: list[Node], path: str) -> Decimal:
    found = [decimal_of(each) for node in nodes for each in node.all(path)]
    return sum(found, ZERO)


def _adjusted(document: Node, code: str) -> Decimal:
    total = ZERO
    for charge, sign in ((True, 1), (False, -1)):
        for each in adjustments(document, charge):
            if any(category(found) == code for found in each.all(_CATEGORY)):
                total += sign * (each.number("cbc:Amount") or ZERO)
    return total


def _is_taxed(node: Node, _: View) -> bool:
    return node.up(1).number("cbc:TaxAmount") != 0


def _rate_is_not_zero(node: Node, _: View) -> bool:
    return node.number("cbc:Percent") != 0


def _rate_is_not_positive(node: Node, _: View) -> bool:
    return not any(double_of(each) > 0 for each in node.all("cbc:Percent"))


def _standard_is_off(node: Node, view: View) -> bool:
    return not normalized(node.text_of("cbc:Percent")) or _is_off(node.up(1), view)


def _standard_is_exempt(node: Node, view: View) -> bool:
    codes = view.root.texts(f"{_SUBTOTALS}/{_CATEGORY}/cbc:ID")
    reasons = ("cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode")
    return "S" in codes and any(node.has(path) for path in reasons)


for _code in "EOSZ":
    declare(core, BREAKDOWN[_code], WARNING, [
        (f"BR-{_code}-08", "BT-116", _base_differs(_code),
         f"The base of category {_code} (BT-116) is the sum of what is of it"),
    ], Kind.SUM)  # fmt: skip
for _code in "EOZ":
    declare(core, BREAKDOWN[_code], FATAL, [
        (f"BR-{_code}-09", "BT-117", _is_taxed, f"The VAT of category {_code} (BT-117) is 0"),
    ], Kind.CATEGORY)  # fmt: skip
declare(core, BREAKDOWN["S"], WARNING, [
    ("BR-S-09", "BT-117", _standard_is_off, "The VAT of category S (BT-117) is base and rate"),
    ("BR-S-10", "BT-120", _standard_is_exempt, "Category S has no reason of an exemption (BT-120)"),
], Kind.CATEGORY)  # fmt: skip
for _code in "EZ":
    declare(core, ADJUSTMENT[_code, False], FATAL, [
        (f"BR-{_code}-06", "BT-96", _rate_is_not_zero,
         f"An allowance of category {_code} has the rate 0 (BT-96)"),
    ], Kind.CATEGORY)  # fmt: skip
    declare(core, ITEM[_code], FATAL, [
        (f"BR-{_code}-05", "BT-152", _rate_is_not_zero,
         f"A line of category {_code} has the rate 0 (BT-152)"),
    ], Kind.CATEGORY)  # fmt: skip
declare(core, ADJUSTMENT["S", False], FATAL, [
    ("BR-S-06", "BT-96", _rate_is_not_positive, "An allowance of category S has a rate (BT-96)"),
], Kind.CATEGORY)  # fmt: skip
declare(core, ADJUSTMENT["S", True], WARNING, [
    ("BR-S-07", "BT-103", _rate_is_not_positive, "A charge of category S has a rate (BT-103)"),
], Kind.CATEGORY)  # fmt: skip
declare(core, ITEM["S"], WARNING, [
    ("BR-S-05", "BT-152", _rate_is_not_positive, "A line of category S has a rate (BT-152)"),
], Kind.CATEGORY)  # fmt: skip
for _rule, _place in (("BR-DEC-13", TAX_IN_CURRENCY), ("BR-DEC-15", TAX_IN_SAR)):
    declare(core, _place, WARNING, [
        (_rule, "BT-110 BT-111", lambda node, _: decimals(node.text) > 2,
         "A VAT total has at most two decimals"),
    ], Kind.FORMAT)  # fmt: skip

# -- codes -----------------------------------------------------------------------------------------


def _is_not_in(codes: frozenset[str]) -> Test:
    return lambda node, _: not listed(node.text, codes)


def _has_no_currency(node: Node, _: View) -> bool:
    code = node.attributes.get("currencyID", "")
    return bool(code) and not listed(code, CURRENCIES)


_CODES: list[tuple[Context, bool, Row]] = [
    (TYPE, True, ("BR-CL-01", "BT-3", _is_not_in(TYPES), "The type (BT-3) is one of UNTDID 1001")),
    (AMOUNT, True, ("BR-CL-03", "", _has_no_currency, "A currency is a code of ISO 4217")),
    (CURRENCY, True, ("BR-CL-04", "BT-5", _is_not_in(CURRENCIES),
                      "The currency (BT-5) is a code of ISO 4217")),
    (TAX_CURRENCY, True, ("BR-CL-05", "BT-6", _is_not_in(CURRENCIES),
                          "The currency of VAT (BT-6) is a code of ISO 4217")),
    (COUNTRY, False, ("BR-CL-14", "BT-40 BT-55", _is_not_in(COUNTRIES),
                      "A country is a code of ISO 3166-1")),
    (MEANS, False, ("BR-CL-16", "BT-81", _is_not_in(PAYMENT_MEANS),
                    "The means of payment (BT-81) is a code of UNTDID 4461")),
    (CATEGORY_CODE, True, ("BR-CL-18", "BT-118 BT-151", _is_not_in(CATEGORIES),
                           "A VAT category is a code of UNTDID 5305")),
]  # fmt: skip
for _place, _fatal, _row in _CODES:
    declare(core, _place, FATAL if _fatal else WARNING, [_row], Kind.CODE_LIST)
