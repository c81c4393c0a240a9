"""PINT-MY-UBL: the rules of Malaysia, releases 1.3.0 and 1.3.1, in UBL.

The releases differ by the shared rules, and by the place of the category E in a breakdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from einvoice.rules.book import Book, Chapter, Check, Context, Kind, Pattern, Switch, Values
from einvoice.rules.en16931.ubl.conditions import NO_CATEGORY, category, indicated, is_vat
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint import Specification, billing, self_billing
from einvoice.rules.pint.base import BUYER, SELLER, pint_with_types
from einvoice.rules.pint.conditions import (
    begins,
    coded_in,
    given,
    not_given,
    require,
    text_at,
)
from einvoice.rules.pint.release_1_1_2 import CREDIT_NOTES, INVOICES, pint_1_1_2
from einvoice.rules.pint.taxes import taxable_beside
from einvoice.rules.tables import present
from einvoice.rules.values import ZERO, decimal_of, normalized, to_cents
from einvoice.rules.view import View

RELEASE = "1.3.1"
_LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")
_LINE_CATEGORY = "cac:Item/cac:ClassifiedTaxCategory"
_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"
_TOLERANCE = Decimal("0.02")
# Sales tax, service tax, high and low value goods; TTX, tourism tax, is of the scheme AAL.
_RATED = ("SA", "SE", "HVG", "LVG")
_TOURISM, _TOURISM_SCHEME = "TTX", "AAL"

# -- contexts --------------------------------------------------------------------------------------


def _has_scheme(tax: Node, name: str) -> bool:
    """Whether a tax scheme has this name, in any case. Raises MoreThanOneItem."""
    schemes = tax.all("cac:TaxScheme")
    return any(normalized(each.text_of("cbc:ID").upper()) == name for each in schemes)


def _code(tax: Node) -> str:
    """The category, also tourism tax of its own scheme; NO_CATEGORY for others."""
    code = text_at(tax, "cbc:ID")
    if code == _TOURISM:
        return code if _has_scheme(tax, _TOURISM_SCHEME) else NO_CATEGORY
    return category(tax)


_model = Pattern()
DOCUMENT: Context = _model.context("/ubl:Invoice", "/cn:CreditNote")
SUBTOTAL: Context = _model.context("cac:TaxSubtotal")
BREAKDOWN: Switch = _model.switch("/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=_code)
ROWS: Mapping[str, Context] = {code: BREAKDOWN.case(code) for code in (*_RATED, _TOURISM)}
EXEMPT: Context = BREAKDOWN.case("E")
LINE: Switch = _model.switch(*(f"{line}/{_LINE_CATEGORY}" for line in _LINES), key=category)
EXEMPT_LINE: Context = LINE.case("E")
OUTSIDE: Context = _model.switch(
    "/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=category
).case("O")
# Of 1.3.0, also of the tax of a line; no other context takes the category E of a breakdown.
EXEMPT_1_3_0: Context = (
    Pattern().switch("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=category).case("E")
)
_codes = Pattern()
CATEGORY: Context = _codes.context("cac:TaxCategory/cbc:ID", "cac:ClassifiedTaxCategory/cbc:ID")
TAX_CURRENCY: Context = _codes.context("cbc:TaxCurrencyCode")

chapter = Chapter(
    Layer.PINT_MY_UBL,
    gathers=(*_LINES, "cac:AllowanceCharge", "cac:ItemPriceExtension"),
)


# -- the document ----------------------------------------------------------------------------------


def _seller_has_a_number(invoice: Node, _: View) -> bool:
    """Whether the seller has a number of another tax than VAT, or an identifier without scheme."""
    registrations = invoice.all(f"{SELLER}/cac:PartyTaxScheme")
    other = any(
        each.has("cbc:CompanyID")
        and any(text != "VAT" for text in each.texts("cac:TaxScheme/cbc:ID"))
        for each in registrations
    )
    plain = invoice.all(f"{SELLER}/cac:PartyIdentification/cbc:ID")
    return other or any("schemeID" not in each.attributes for each in plain)


require(chapter, DOCUMENT, [
    ("ibr-02-my", "BT-30", given(f"{SELLER}/{_LEGAL_ID}"),
     "The seller has a legal registration (BT-30)"),
    ("ibr-03-my", "BT-47", given(f"{BUYER}/{_LEGAL_ID}"),
     "The buyer has a legal registration (BT-47)"),
    ("ibr-04-my", "BT-29 BT-32", _seller_has_a_number,
     "The seller has a tax number (BT-32), or an identifier without a scheme (BT-29)"),
])  # fmt: skip


# -- the breakdown ---------------------------------------------------------------------------------


def _has_a_category(row: Node, _: View) -> bool:
    found = row.all("cac:TaxCategory")
    return any(is_vat(each) and each.has("cbc:ID") for each in found) or any(
        _has_scheme(each, _TOURISM_SCHEME) and text_at(each, "cbc:ID") == _TOURISM for each in found
    )


def _has_a_rate(row: Node, _: View) -> bool:
    for each in row.all("cac:TaxCategory"):
        rated = each.has("cbc:Percent")
        if is_vat(each) and (rated or text_at(each, "cbc:ID") == "O"):
            return True
        if _has_scheme(each, _TOURISM_SCHEME) and text_at(each, "cbc:ID") == _TOURISM and not rated:
            return True
    return False


present(chapter, SUBTOTAL, [("aligned-ibrp-046", "BG-23 BT-117", "cbc:TaxAmount")])
require(chapter, SUBTOTAL, [
    ("aligned-ibrp-047", "BG-23 BT-118", _has_a_category,
     "Each row of the tax breakdown has a tax category (BT-118)"),
    ("aligned-ibrp-048", "BG-23 BT-119", _has_a_rate,
     "Each row of the tax breakdown has a rate (BT-119), unless it is of the category O or TTX"),
])  # fmt: skip


def _first_rate(tax: Node) -> Decimal:
    """The first rate of a category, 0 without one. Raises InvalidNumber."""
    found = tax.all("cbc:Percent")
    return decimal_of(found[0]) if found else ZERO


def _pairs(categories: Iterable[Node]) -> set[tuple[str, Decimal]]:
    """Each category with each of the rates, of those that are rated."""
    found = list(categories)
    codes = {text_at(each, "cbc:ID") for each in found}.intersection(_RATED)
    return {(code, _first_rate(each)) for code in codes for each in found} if codes else set()


Sums = Mapping[tuple[str, Decimal], Decimal]


def _line_sums(name: str, view: View) -> Sums:
    sums: dict[tuple[str, Decimal], Decimal] = {}
    for line in view.root.all(name):
        for pair in _pairs(line.all(_LINE_CATEGORY)):
            sums[pair] = sums.get(pair, ZERO) + (line.number("cbc:LineExtensionAmount") or ZERO)
    return sums


def _invoice_lines(view: View) -> Sums:
    return _line_sums(_LINES[0], view)


def _credit_note_lines(view: View) -> Sums:
    return _line_sums(_LINES[1], view)


def _adjustments(view: View) -> Sums:
    """Charges less allowances of the document."""
    sums: dict[tuple[str, Decimal], Decimal] = {}
    for each in view.root.all("cac:AllowanceCharge"):
        for charge, sign in ((True, 1), (False, -1)):
            if indicated(each, charge):
                for pair in _pairs(each.all("cac:TaxCategory")):
                    amount = each.number("cbc:Amount") or ZERO
                    sums[pair] = sums.get(pair, ZERO) + sign * amount
    return sums


def _adjusted(view: View) -> frozenset[tuple[str, Decimal]]:
    found = (x.all("cac:TaxCategory") for x in view.everywhere("cac:AllowanceCharge"))
    return frozenset(pair for categories in found for pair in _pairs(categories))


def _taxable(code: str) -> Check:
    """The check that the taxable amount of a rate is that of lines, charges and allowances."""

    def check(tax: Node, view: View) -> Values | None:
        pair, expected = (code, _first_rate(tax)), None
        declared = tax.up(1).number("cbc:TaxableAmount")
        for lines_of in (_invoice_lines, _credit_note_lines):
            sums = view.once(lines_of)
            if pair not in sums and pair not in view.once(_adjusted):
                continue
            expected = sums.get(pair, ZERO) + view.once(_adjustments).get(pair, ZERO)
            if declared is None:
                raise InvalidNumber(tax.up(1))  # officially an error, too
            if abs(declared - expected) <= _TOLERANCE:
                return None
        return {"declared": declared, "expected": expected}

    return check


def _tax_of_rate(tax: Node, _: View) -> Values | None:
    """The tax of a rate is this percentage of the taxable amount."""
    row = tax.up(1)
    declared, taxable = row.number("cbc:TaxAmount"), row.number("cbc:TaxableAmount")
    if declared is None or taxable is None:
        raise InvalidNumber(row)  # officially an error, too
    expected = to_cents((abs(taxable) * _first_rate(tax)).scaleb(-2))
    if abs(abs(declared) - expected) <= _TOLERANCE:
        return None
    return {"declared": declared, "expected": expected}


for _category in _RATED:
    _prefix = f"aligned-ibrp-{_category.lower()}"
    chapter.add(
        f"{_prefix}-08", "BT-116", ROWS[_category], _taxable(_category),
        f"The taxable amount of the category {_category} is that of lines, charges, allowances",
        kind=Kind.SUM,
    )  # fmt: skip
    chapter.add(f"{_prefix}-09", "BT-117", ROWS[_category], _tax_of_rate, None, kind=Kind.SUM)
    require(chapter, ROWS[_category], [
        (f"{_prefix}-10", "BT-120 BT-121", not_given(
            "cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode"),
         f"The category {_category} has no exemption reason"),
    ])  # fmt: skip


def _tourism_tax(view: View, name: str) -> Decimal:
    total = ZERO
    for line in view.root.all(name):
        codes = [text_at(each, "cbc:ID") for each in line.all(_LINE_CATEGORY)]
        if _TOURISM in codes:
            total += sum(line.numbers("cac:TaxTotal", "cbc:TaxAmount"), ZERO)
    for each in view.root.all("cac:AllowanceCharge"):
        codes = [text_at(tax, "cbc:ID") for tax in each.all("cac:TaxCategory")]
        for charge, sign in ((True, 1), (False, -1)):
            if indicated(each, charge) and _TOURISM in codes:
                total += sign * (each.number("cbc:Amount") or ZERO)
    return total


def _of_invoice(view: View) -> Decimal:
    return _tourism_tax(view, _LINES[0])


def _of_credit_note(view: View) -> Decimal:
    return _tourism_tax(view, _LINES[1])


@chapter.rule("aligned-ibrp-ttx-09", "BT-117", at=ROWS[_TOURISM], kind=Kind.SUM)
def tourism_tax_adds_up(tax: Node, view: View) -> Values | None:
    """The tourism tax is that of the lines, plus charges, less allowances."""
    declared, expected = tax.up(1).number("cbc:TaxAmount"), None
    for name, fact in zip(_LINES, (_of_invoice, _of_credit_note), strict=True):
        if view.everywhere(name):
            expected = view.once(fact)
            if declared is not None and abs(abs(declared) - expected) <= _TOLERANCE:
                return None
    return {"declared": declared, "expected": expected}


def _no_tax(tax: Node, _: View) -> Values | None:
    declared = tax.up(1).number("cbc:TaxAmount")
    return None if declared == ZERO else {"declared": declared, "expected": ZERO}


require(chapter, ROWS[_TOURISM], [
    ("aligned-ibrp-ttx-08", "BT-119", not_given("cbc:Percent"), "Tourism tax has no rate"),
])  # fmt: skip
chapter.add("aligned-ibrp-o-09", "BT-117", OUTSIDE, _no_tax, "What is not taxed has no tax",
            kind=Kind.SUM)  # fmt: skip


def _exempt_rows(at: Context) -> Chapter:
    own = Chapter(Layer.PINT_MY_UBL)
    own.add("aligned-ibrp-e-08", "BT-116", at, taxable_beside("E"),
            "The taxable amount of the category E is that of lines, charges and allowances",
            kind=Kind.SUM)  # fmt: skip
    own.add("aligned-ibrp-e-09", "BT-117", at, _no_tax, "What is not taxed has no tax",
            kind=Kind.SUM)  # fmt: skip
    return own


require(chapter, EXEMPT_LINE, [
    ("aligned-ibrp-e-05", "BT-152", lambda tax, _: _first_rate(tax) == ZERO,
     "The rate of a line of the category E is 0"),
])  # fmt: skip
chapter.add("aligned-ibrp-cl-01-my", "BT-118 BT-151", CATEGORY,
            coded_in((*_RATED, "E", "O", _TOURISM)),
            "The tax category is SA, SE, HVG, LVG, E, O or TTX", kind=Kind.CODE_LIST)  # fmt: skip
chapter.add("ibr-cl-05-my", "BT-6", TAX_CURRENCY, coded_in(("MYR",)),
            "The tax accounting currency (BT-6) is MYR", kind=Kind.CODE_LIST)  # fmt: skip


def _specified(specification: Specification) -> Chapter:
    """The rules that say which specification a document is of."""
    own = Chapter(Layer.PINT_MY_UBL)
    require(own, DOCUMENT, [
        ("aligned-ibrp-001-my", "BT-24",
         begins("cbc:CustomizationID", specification.customization),
         "The specification identifier (BT-24) is that of PINT MY"),
        ("aligned-ibrp-002", "BT-23",
         lambda invoice, _: specification.process in text_at(invoice, "cbc:ProfileID"),
         "The process (BT-23) is that of the specification"),
    ])  # fmt: skip
    return own


_billing, _self_billing = _specified(billing("my")), _specified(self_billing("my"))
_exempt = _exempt_rows(EXEMPT)
PINT_MY_1_3_0 = Book.of(Layer.PINT_MY_UBL, "1.3.0", [_billing, chapter, _exempt_rows(EXEMPT_1_3_0)])
PINT_MY = Book.of(Layer.PINT_MY_UBL, RELEASE, [_billing, chapter, _exempt])
PINT_MY_SELF_BILLING = Book.of(Layer.PINT_MY_UBL, RELEASE, [_self_billing, chapter, _exempt])
PINT_UBL_1_1_2 = pint_1_1_2()
PINT_UBL_OF_MY = pint_with_types(INVOICES, CREDIT_NOTES, RELEASE)
PINT_UBL_OF_MY_SELF_BILLING = pint_with_types(("389",), ("261",), RELEASE)
