"""Rules about lines, allowances and charges, payment, and VAT categories."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Final

from einvoice.rules.book import Chapter, Kind
from einvoice.rules.en16931.ubl.conditions import indicated
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.values import (
    ZERO,
    decimal_of,
    decimals,
    double_of,
    normalized,
    to_cents,
)
from einvoice.rules.view import View
from einvoice_zatca.rules import contexts as at
from einvoice_zatca.rules.codes import (
    CHARGE_REASONS,
    EXEMPTIONS,
    LINE_EXEMPTIONS,
    PAYMENT_MEANS_KSA,
    listed,
)
from einvoice_zatca.rules.conditions import (
    FATAL,
    KSA,
    WARNING,
    Test,
    adjustments,
    any_of,
    blank,
    category,
    declare,
    in_document,
    longer,
    number_of,
    of_standard,
    outside,
    rounded,
    vat_categories,
    written,
)

amounts = Chapter(
    KSA,
    gathers=("cac:InvoiceLine", "cac:AllowanceCharge", "cbc:PaymentMeansCode", "cac:PaymentMeans"),
)
_REASON: Final = "cbc:AllowanceChargeReason"
_REASON_CODE: Final = "cbc:AllowanceChargeReasonCode"
_SUBTOTAL: Final = "cac:TaxTotal/cac:TaxSubtotal"
_LINE_CATEGORY: Final = f"{_SUBTOTAL}/cac:TaxCategory"

# -- the document ----------------------------------------------------------------------------------

declare(amounts, at.DOCUMENT, WARNING, [
    ("BR-KSA-F-06-C3", "BT-13", longer("cac:OrderReference/cbc:ID", 127),
     "The order (BT-13) has at most 127 characters"),
    ("BR-KSA-F-06-C5", "BT-12", longer("cac:ContractDocumentReference/cbc:ID", 127),
     "The contract (BT-12) has at most 127 characters"),
])  # fmt: skip


def _outside_price(view: View, charge: bool) -> list[Node]:
    """The allowances, or charges, that are not of a price."""
    found = view.everywhere("cac:AllowanceCharge")
    return [
        each
        for each in found
        if indicated(each, charge) and (each.parent is None or each.parent.name != "cac:Price")
    ]


def _has_an_unknown_charge(_: Node, view: View) -> bool:
    charges = _outside_price(view, charge=True)
    return any(each.text_of(_REASON_CODE) not in CHARGE_REASONS for each in charges)


def _prepayment_differs(invoice: Node, view: View) -> bool:
    """Whether the prepaid amount is not what the lines of prepayments add up to."""
    prepaid = invoice.number("cac:LegalMonetaryTotal/cbc:PrepaidAmount")
    bases, taxes = (
        [double_of(each) for each in invoice.all(f"cac:InvoiceLine/{_SUBTOTAL}/cbc:{name}")]
        for name in ("TaxableAmount", "TaxAmount")
    )
    if not prepaid and (bases or taxes):
        return True
    types = invoice.texts("cac:InvoiceLine/cac:DocumentReference/cbc:DocumentTypeCode")
    if prepaid and sum(bases) > 0 and sum(taxes) > 0 and any(code != "386" for code in types):
        return True
    return written(prepaid or ZERO) != written(float(sum(bases) + sum(taxes)))


declare(amounts, at.DOCUMENT, WARNING, [
    ("BR-KSA-CL-06", "BT-105 BT-145", _has_an_unknown_charge,
     "The reason of a charge is a code of UNTDID 7161"),
    ("BR-KSA-80", "BT-113", _prepayment_differs,
     "The prepaid amount (BT-113) is the total of the lines of prepayments"),
])  # fmt: skip

# -- lines of prepayments --------------------------------------------------------------------------


def _is_prepaid(view: View) -> bool:
    paid = view.root.all("cac:LegalMonetaryTotal/cbc:PrepaidAmount")
    try:
        return any(double_of(each) > 0 for each in paid)
    except EvaluationError:
        return False


def _of_prepaid(test: Test) -> Test:
    return lambda node, view: view.once(_is_prepaid) and test(node, view)


def _references(line: Node) -> list[Node]:
    return list(line.all("cac:DocumentReference"))


_TYPE: Final = "cbc:DocumentTypeCode"


def _names_another_type(reference: Node, _: View) -> bool:
    return any(text != "386" for text in reference.texts(_TYPE)) and (
        normalized(reference.text_of(_TYPE)) != "386"
    )


def _has_amounts(reference: Node, _: View) -> bool:
    """Whether the line of a prepayment has an amount besides that of the prepayment."""
    if any(text != "386" for text in reference.texts(_TYPE)):
        return False
    line = reference.up(1)
    paths: tuple[str, ...] = (
        "cbc:LineExtensionAmount",
        "cac:TaxTotal/cbc:TaxAmount",
        "cac:TaxTotal/cbc:RoundingAmount",
        "cac:Price/cbc:PriceAmount",
    )
    if line.has("cac:AllowanceCharge"):
        paths = (*paths, "cac:AllowanceCharge/cbc:Amount")
    return any(not any(double_of(each) == 0 for each in line.all(path)) for path in paths)


def _lacks_prepayment(reference: Node, _: View) -> bool:
    names = ("ID", "IssueDate", "IssueTime", "DocumentTypeCode")
    return not all(reference.has(f"cbc:{name}") for name in names)


def _lacks_references(line: Node, view: View) -> bool:
    """Whether no line of the document is one of a prepayment, or this one names none in full."""
    if not view.root.has("cac:InvoiceLine/cac:DocumentReference"):
        return True
    return any_of(_references, _lacks_prepayment)(line, view)


def _lacks_amounts(reference: Node, _: View) -> bool:
    line = reference.up(1)
    paths = ("cbc:TaxAmount", "cbc:TaxableAmount", "cac:TaxCategory/cbc:Percent",
             "cac:TaxCategory/cbc:ID")  # fmt: skip
    return not all(line.has(f"{_SUBTOTAL}/{path}") for path in paths)


def _subtotals(line: Node) -> list[Node]:
    return list(line.all(_SUBTOTAL))


def _has_decimals(subtotal: Node, _: View) -> bool:
    texts = (subtotal.text_of(f"cbc:{name}") for name in ("TaxableAmount", "TaxAmount"))
    return any(decimals(text) > 2 for text in texts)


def _is_rated(code: str) -> Test:
    """Whether the category of a subtotal has this code, and a rate that is not 0."""

    def test(subtotal: Node, _: View) -> bool:
        if not vat_categories(subtotal, "cac:TaxCategory", code):
            return False
        return subtotal.number("cac:TaxCategory/cbc:Percent") != 0

    return test


def _tax_differs(subtotal: Node, view: View) -> bool:
    """Whether the VAT of a prepayment is not its base multiplied by the rate."""
    codes = [category(each) for each in subtotal.all("cac:TaxCategory")]
    percent = "cac:TaxCategory/cbc:Percent"
    tax = written(number_of(subtotal, "cbc:TaxAmount"))
    untaxed = (
        ("O" in codes and not subtotal.has(percent))
        or "E" in codes
        or "Z" in codes
        or not normalized(subtotal.text_of(percent))
    )
    if "S" not in codes and untaxed:
        base, rate = subtotal.number("cbc:TaxableAmount"), subtotal.number(percent)
        product = None if base is None or rate is None else to_cents(base * rate / 100)
        return tax != written(None if base is None else ZERO) or tax != written(product)
    if not normalized(subtotal.text_of(percent)):
        return True
    number, rate_of_vat = number_of(subtotal, "cbc:TaxableAmount"), _vat_rate(subtotal)
    if number is None or rate_of_vat is None:
        return tax != "NaN"
    expected = rounded(number * rate_of_vat / 100 * 100 + 0.01) / 100
    return tax not in [written(expected + by) for by in (-0.01, 0.01, 0.0)]


def _vat_rate(subtotal: Node) -> float | None:
    rates = [
        float(decimal_of(rate))
        for found in subtotal.all("cac:TaxCategory")
        if vat_categories(subtotal, "cac:TaxCategory", category(found))
        for rate in found.all("cbc:Percent")
    ]
    return rates[0] if rates else None


declare(amounts, at.LINE, FATAL, [
    ("BR-KSA-74", "", _of_prepaid(any_of(_references, _names_another_type)),
     "The type of a prepayment (KSA-30) is 386"),
    ("BR-KSA-82", "BT-131", _of_prepaid(any_of(_references, _has_amounts)),
     "The line of a prepayment has no amount but that of the prepayment"),
])  # fmt: skip
declare(amounts, at.LINE, WARNING, [
    ("BR-KSA-73", "", _of_prepaid(_lacks_references),
     "A prepayment has number, date, time and type (KSA-26 to KSA-30)"),
    ("BR-KSA-75", "", _of_prepaid(any_of(_references, _lacks_amounts)),
     "A prepayment has its base, VAT, category and rate (KSA-31 to KSA-34)"),
    ("BR-KSA-79", "", any_of(_subtotals, _tax_differs),
     "The VAT of a prepayment (KSA-32) is its base multiplied by its rate"),
    ("BR-KSA-DEC-06", "", _of_prepaid(any_of(_subtotals, _has_decimals)),
     "The amounts of a prepayment have at most two decimals"),
    *((rule, "", _of_prepaid(any_of(_subtotals, _is_rated(code))),
       f"A prepayment of category {code} has the rate 0")
      for rule, code in (("BR-KSA-76", "Z"), ("BR-KSA-77", "E"), ("BR-KSA-78", "O"))),
])  # fmt: skip

# -- lines -----------------------------------------------------------------------------------------


def _rounding_differs(tax: Node, _: View) -> bool:
    net, vat = number_of(tax.up(1), "cbc:LineExtensionAmount"), number_of(tax, "cbc:TaxAmount")
    total = None if net is None or vat is None else rounded((vat + net) * 100) / 100
    return written(number_of(tax, "cbc:RoundingAmount")) != written(total)


def _some_line_lacks(path: str) -> Test:
    def test(_: Node, view: View) -> bool:
        return any(not any(line.texts(path)) for line in view.everywhere("cac:InvoiceLine"))

    return test


declare(amounts, at.LINE_TAX, WARNING, [
    ("BR-KSA-51", "", _rounding_differs,
     "The total of a line with VAT (KSA-12) is its net amount and its VAT"),
], Kind.SUM)  # fmt: skip
declare(amounts, at.EITHER_TYPE, FATAL, [
    ("BR-KSA-52", "", of_standard(_some_line_lacks("cac:TaxTotal/cbc:TaxAmount")),
     "A line of a standard document has its VAT (KSA-11)"),
    ("BR-KSA-53", "", of_standard(_some_line_lacks("cac:TaxTotal/cbc:RoundingAmount")),
     "A line of a standard document has its total with VAT (KSA-12)"),
])  # fmt: skip


def _line_net_differs(line: Node, _: View) -> bool:
    net, quantity, price = (
        line.number(path)
        for path in ("cbc:LineExtensionAmount", "cbc:InvoicedQuantity", "cac:Price/cbc:PriceAmount")
    )
    base = line.number("cac:Price/cbc:BaseQuantity")
    added, taken = (
        sum((decimal_of(each) for found in adjustments(line, charge)
             for each in found.all("cbc:Amount")), ZERO)
        for charge in (True, False)
    )  # fmt: skip
    if net is None or quantity is None or price is None:
        return True
    product = quantity * price if base is None else _divided(quantity * price, base)
    tenths = (product * 1000).to_integral_value(ROUND_FLOOR) / 10 + Decimal("0.00000000001")
    expected = to_cents(tenths / 100 + added - taken)
    return abs(net - expected) not in (ZERO, Decimal("0.01"))


def _divided(number: Decimal, by: Decimal) -> Decimal:
    return (number / by).quantize(Decimal("1e-18")) if by else Decimal("NaN")


declare(amounts, at.CORE_LINE, WARNING, [
    ("BR-KSA-EN16931-11", "BT-131", _line_net_differs,
     "The net amount of a line (BT-131) is its quantity and price with its allowances and charges"),
    ("BR-KSA-F-06-C21", "BT-150",
     lambda node, _: len(node.attribute_of("cac:Price/cbc:BaseQuantity", "unitCode")) > 127,
     "The unit of a base quantity (BT-150) has at most 127 characters"),
])  # fmt: skip
declare(amounts, at.LINE_DECIMALS, WARNING, [
    ("BR-KSA-DEC-03", "", lambda node, _: decimals(node.text_of("cac:TaxTotal/cbc:TaxAmount")) > 2,
     "The VAT of a line (KSA-11) has at most two decimals"),
    ("BR-KSA-DEC-04", "",
     lambda node, _: decimals(node.text_of("cac:TaxTotal/cbc:RoundingAmount")) > 2,
     "The total of a line with VAT (KSA-12) has at most two decimals"),
], Kind.FORMAT)  # fmt: skip


def _is_not_positive(node: Node, _: View) -> bool:
    return bool(node.text) and not (number_of(node.up(1), "cbc:BaseQuantity") or 0) > 0


def _net_price_differs(node: Node, _: View) -> bool:
    price, discount = node.up(2).number("cbc:PriceAmount"), node.up(1).number("cbc:Amount")
    return price is None or discount is None or price != decimal_of(node) - discount


declare(amounts, at.BASE_QUANTITY, FATAL, [
    ("BR-KSA-EN16931-12", "BT-149", _is_not_positive, "A base quantity (BT-149) is more than 0"),
])  # fmt: skip
declare(amounts, at.GROSS_PRICE, FATAL, [
    ("BR-KSA-EN16931-07", "BT-146", _net_price_differs,
     "The net price (BT-146) is the gross price (BT-148) without the discount (BT-147)"),
])  # fmt: skip
declare(amounts, at.PRICE_ALLOWANCE, FATAL, [
    ("BR-KSA-EN16931-06", "BT-147", lambda node, _: indicated(node, True),
     "A discount of a price (BT-147) is no charge"),
])  # fmt: skip

# -- allowances and charges ------------------------------------------------------------------------


def _factor_is_wrong(_: Node, view: View) -> bool:
    for each in _outside_price(view, charge=False):
        text = each.text_of("cbc:MultiplierFactorNumeric")
        if text and not (0 <= (each.number("cbc:MultiplierFactorNumeric") or ZERO) <= 100
                         and decimals(text) <= 2):  # fmt: skip
            return True
    return False


def _allowance_differs(node: Node, _: View) -> bool:
    if not node.text_of("cbc:Amount") or not node.text_of("cbc:BaseAmount"):
        return False
    base, factor = (
        number_of(node, f"cbc:{name}") for name in ("BaseAmount", "MultiplierFactorNumeric")
    )
    expected = None
    if base is not None and factor is not None:
        expected = rounded(base * factor / 100 * 100) / 100
    return written(number_of(node, "cbc:Amount")) != written(expected)


def _document(charge: bool, test: Test) -> Test:
    return any_of(lambda node: adjustments(node, charge), test)


def _lines(charge: bool, test: Test) -> Test:
    return any_of(
        lambda node: adjustments(node, charge, "cac:InvoiceLine/cac:AllowanceCharge"), test
    )


def _of_adjustment(charge: bool) -> Test:
    """Whether an allowance or charge out of the scope of VAT has a rate."""

    def test(invoice: Node, view: View) -> bool:
        found = (each for adjusted in adjustments(invoice, charge)
                 for each in adjusted.all("cac:TaxCategory"))  # fmt: skip
        return any(_has_a_rate(each, view) for each in found if category(each) == "O")

    return test


def _has_a_rate(node: Node, _: View) -> bool:
    return any(double_of(each) != 0 for each in node.all("cbc:Percent"))


def _line_out_of_scope(invoice: Node) -> list[Node]:
    found = invoice.all("cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory")
    return [each for each in found if category(each) == "O"]


_LONG: Final = outside(_REASON, 1, 1000)
declare(amounts, at.ADJUSTED, FATAL, [
    ("BR-KSA-DEC-01", "BT-94 BT-138", _factor_is_wrong,
     "The percentage of an allowance is 0 to 100, with at most two decimals"),
    ("BR-KSA-11", "BT-152", any_of(_line_out_of_scope, _has_a_rate),
     "A line out of the scope of VAT has no rate (BT-152)"),
])  # fmt: skip
declare(amounts, at.ADJUSTED, WARNING, [
    ("BR-KSA-12", "BT-96", _of_adjustment(charge=False),
     "An allowance out of the scope of VAT has no rate (BT-96)"),
    ("BR-KSA-13", "BT-103", _of_adjustment(charge=True),
     "A charge out of the scope of VAT has no rate (BT-103)"),
    ("BR-KSA-19", "BT-105", _document(True, blank(_REASON_CODE)),
     "A charge of the document has the code of its reason (BT-105)"),
    ("BR-KSA-20", "BT-145", _lines(True, blank(_REASON_CODE)),
     "A charge of a line has the code of its reason (BT-145)"),
    ("BR-KSA-21", "BT-104", _document(True, blank(_REASON)),
     "A charge of the document has its reason (BT-104)"),
    ("BR-KSA-22", "BT-144", _lines(True, blank(_REASON)),
     "A charge of a line has its reason (BT-144)"),
    ("BR-KSA-F-06-C33", "BT-104", _document(True, _LONG),
     "The reason of a charge (BT-104) has at most 1,000 characters"),
    ("BR-KSA-F-06-C34", "BT-144", _lines(True, _LONG),
     "The reason of a charge of a line (BT-144) has at most 1,000 characters"),
    ("BR-KSA-F-06-C35", "BT-97", _document(False, _LONG),
     "The reason of an allowance (BT-97) has at most 1,000 characters"),
    ("BR-KSA-F-06-C36", "BT-139", _lines(False, _LONG),
     "The reason of an allowance of a line (BT-139) has at most 1,000 characters"),
])  # fmt: skip
declare(amounts, at.ADJUSTMENT_BASE, WARNING, [
    ("BR-KSA-EN16931-03", "BT-92 BT-99", _allowance_differs,
     "An allowance or charge is its base multiplied by its percentage"),
], Kind.SUM)  # fmt: skip
declare(amounts, at.BASE, WARNING, [
    ("BR-KSA-EN16931-05", "BT-94 BT-101",
     lambda node, _: not node.up(1).has("cbc:MultiplierFactorNumeric"),
     "An allowance or charge with a base has a percentage"),
])  # fmt: skip
declare(amounts, at.FACTOR, WARNING, [
    ("BR-KSA-EN16931-04", "BT-93 BT-100", lambda node, _: not node.up(1).has("cbc:BaseAmount"),
     "An allowance or charge with a percentage has a base"),
])  # fmt: skip

# -- payment ---------------------------------------------------------------------------------------


def _pays_in_an_unknown_way(_: Node, view: View) -> bool:
    means = [code for each in view.everywhere("cac:PaymentMeans")
             for code in each.all("cbc:PaymentMeansCode")]  # fmt: skip
    return any(not listed(code.text, PAYMENT_MEANS_KSA) for code in means)


def _account_is(name: str, least: int, most: int) -> Test:
    path = f"cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:{name}"
    return in_document(outside(path, least, most))


declare(amounts, at.EITHER_TYPE, WARNING, [
    ("BR-KSA-16", "BT-81", _pays_in_an_unknown_way,
     "The means of payment (BT-81) is a code of UNTDID 4461"),
    ("BR-KSA-F-06-C14", "BT-82", _account_is("PaymentNote", 1, 1000),
     "The note on a payment account has at most 1,000 characters"),
    ("BR-KSA-F-06-C15", "BT-84", _account_is("ID", 0, 127),
     "The account to pay to (BT-84) has at most 127 characters"),
], Kind.CODE_LIST)  # fmt: skip

# -- VAT categories --------------------------------------------------------------------------------


def _is_no_rate(node: Node, _: View) -> bool:
    if not normalized(node.text):
        return False
    return not (0 <= decimal_of(node) <= 100 and decimals(node.text) <= 2)


declare(amounts, at.CATEGORY_CODE, FATAL, [
    ("BR-KSA-18", "BT-118 BT-151", lambda node, _: node.text not in " S Z E O ",
     "A VAT category is S, Z, E or O"),
], Kind.CODE_LIST)  # fmt: skip
declare(amounts, at.PERCENT, FATAL, [
    ("BR-KSA-DEC-02", "BT-119 BT-152", _is_no_rate,
     "A VAT rate is 0 to 100, with at most two decimals and without a percent sign"),
], Kind.FORMAT)  # fmt: skip

_CODE: Final = "cbc:TaxExemptionReasonCode"
_TEXT: Final = "cbc:TaxExemptionReason"


def _lacks_words(node: Node, _: View) -> bool:
    return node.has(_CODE) and not normalized(node.text_of(_TEXT))


def _is_unknown(lists: dict[str, frozenset[str]]) -> Test:
    def test(node: Node, _: View) -> bool:
        code = normalized(node.text_of(_CODE))
        return bool(code) and code not in lists.get(category(node), frozenset())

    return test


def _lacks_code(code: str) -> Test:
    return lambda node, view: category(node) == code and blank(_CODE)(node, view)


declare(amounts, at.UNTAXED, WARNING, [
    ("BR-KSA-F-06-C16", "BT-120", outside(_TEXT, 1, 1000),
     "The reason why there is no VAT (BT-120) has at most 1,000 characters"),
])  # fmt: skip
declare(amounts, at.UNTAXED_CODES, WARNING, [
    ("BR-KSA-83", "BT-120", _lacks_words,
     "The reason why there is no VAT is given in words too (BT-120)"),
    ("BR-KSA-CL-04", "BT-121", _is_unknown(EXEMPTIONS),
     "The code of an exemption (BT-121) is one of ZATCA for its category"),
    ("BR-KSA-24", "BT-121", _lacks_code("O"),
     "What is out of the scope of VAT has the code of the reason (BT-121)"),
    ("BR-KSA-23", "BT-121", _lacks_code("E"), "What is exempt has the code of the reason (BT-121)"),
    ("BR-KSA-69", "BT-121", _lacks_code("Z"),
     "What is zero-rated has the code of the reason (BT-121)"),
])  # fmt: skip


def _rate_is_wrong(node: Node, _: View) -> bool:
    if not node.has("cbc:Percent"):
        return False
    rate = number_of(node, "cbc:Percent")
    five = any(double_of(each) == 5 for each in node.all("cbc:Percent"))
    return not five and (rate is None or rate != rate or int(rate // 1) != 15)


_RATED: Final = (
    "cac:AllowanceCharge/cac:TaxCategory",
    f"{_SUBTOTAL}/cac:TaxCategory",
    "cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory",
    f"cac:InvoiceLine/{_LINE_CATEGORY}",
)


def _has_a_wrong_rate(view: View) -> bool:
    found = (each for path in _RATED for each in vat_categories(view.root, path, "S"))
    return any(_rate_is_wrong(each, view) for each in found)


def _of_line(test: Test, *codes: str) -> Test:
    """Whether the test is true of the category of a prepayment with one of the codes."""

    def broken(_: Node, view: View) -> bool:
        found = vat_categories(view.root, f"cac:InvoiceLine/{_LINE_CATEGORY}", *codes)
        return any(test(each, view) for each in found)

    return broken


declare(amounts, at.STANDARD_RATED, FATAL, [
    ("BR-KSA-84", "BT-119 BT-152", lambda node, view: view.once(_has_a_wrong_rate),
     "The rate of category S is 15 or 5"),
])  # fmt: skip
declare(amounts, at.STANDARD_RATED, WARNING, [
    *((rule, "", _of_line(blank(_CODE), code),
       f"A prepayment of category {code} has the code of the reason")
      for rule, code in (("BR-KSA-93", "Z"), ("BR-KSA-94", "E"), ("BR-KSA-95", "O"))),
    ("BR-KSA-96", "", _of_line(_lacks_words, "O", "E", "Z"),
     "A prepayment without VAT has the reason in words too"),
    ("BR-KSA-CL-07", "", _of_line(_is_unknown(LINE_EXEMPTIONS), "O", "E", "Z"),
     "The code of an exemption of a prepayment is one of ZATCA for its category"),
    ("BR-KSA-F-06-C39", "", _of_line(outside(_TEXT, 1, 1000), "O", "E", "Z"),
     "The reason why a prepayment has no VAT has at most 1,000 characters"),
])  # fmt: skip
