"""The VAT breakdown, allowances and charges of the document, rates and tax numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from einvoice.rules.book import Chapter, Context, Flag, Kind
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import (
    Rated,
    Requirement,
    Test,
    by_rate,
    castable,
    computed,
    given,
    not_given,
    require,
    text_at,
    unless,
)
from einvoice.rules.pint.om import contexts, terms
from einvoice.rules.pint.om.terms import (
    BAISA,
    CENT,
    GATHERED,
    LINE_CATEGORY,
    LINE_TAX,
    SIMPLIFIED,
    STANDARD_RATE,
    adjustments,
    is_any,
    lines,
    of_category,
    total,
    within,
)
from einvoice.rules.values import ZERO, normalized, parse_decimal, to_cents
from einvoice.rules.view import View

_PERCENT = "cac:TaxCategory/cbc:Percent"
_REASON_CODE = "cac:TaxCategory/cbc:TaxExemptionReasonCode"
_VAT_NUMBER = re.compile(r"OM[0-9]{10}")
_RATE = re.compile(r"[0-9]+(?:\.[0-9]{1,2})?")
_THREE = Decimal("0.001")
_BASE = ("cbc:BaseAmount", "cbc:MultiplierFactorNumeric")

chapter = Chapter(Layer.PINT_OM_UBL, gathers=GATHERED)


def _code(node: Node) -> str:
    return text_at(node, "cac:TaxCategory/cbc:ID")


def _of(*codes: str) -> Test:
    """Whether the VAT category is one of these. The test raises MoreThanOneItem."""
    return lambda node, _: _code(node) in codes


def _not(test: Test) -> Test:
    return lambda node, view: not test(node, view)


def _in_invoice_currency(row: Node, view: View) -> bool:
    return view.once(terms.currency) in row.attributes_at("cbc:TaxAmount", "currencyID")


def _in_tax_currency(row: Node, view: View) -> bool:
    code = view.once(terms.tax_currency)
    return bool(code) and code in row.attributes_at("cbc:TaxAmount", "currencyID")


def _all_of(*tests: Test) -> Test:
    return lambda node, view: all(test(node, view) for test in tests)


def _rate_is(rate: Decimal) -> Test:
    return lambda node, _: castable(node, _PERCENT) == rate


_no_rate, _simplified = not_given(_PERCENT), is_any(SIMPLIFIED)


def _where(condition: Test, test: Test) -> Test:
    return lambda node, view: not condition(node, view) or test(node, view)


# -- rows of the breakdown -------------------------------------------------------------------------


def _base(view: View, code: str) -> Decimal:
    """Lines, plus charges, less allowances of the category. Raises InvalidNumber."""
    base = total(of_category(view.once(lines), LINE_CATEGORY, code), "cbc:LineExtensionAmount")
    for indicator, sign in (("false", -1), ("true", 1)):
        found = of_category(adjustments(view, indicator), "cac:TaxCategory", code)
        base += sign * total(found, "cbc:Amount")
    return base


def _taxable(code: str) -> Test:
    """Whether the taxable amount is that of the lines, charges and allowances of the category."""

    def test(row: Node, view: View) -> bool:
        declared = castable(row, "cbc:TaxableAmount")
        if declared is None:
            return False
        base = view.once(computed).number(code, lambda: _base(view, code))
        return within(declared, to_cents(base), CENT)

    return test


def _no_tax(row: Node, _: View) -> bool:
    return castable(row, "cbc:TaxAmount") == ZERO


def _standard_lines(view: View) -> Rated:
    """The lines of the category S by their rate."""
    found = of_category(view.once(lines), LINE_CATEGORY, "S")
    return by_rate(found, lambda line: castable(line, f"{LINE_CATEGORY}/cbc:Percent"))


def _charges(view: View) -> tuple[tuple[int, Rated], ...]:
    """Charges and allowances of the category S by rate. Raises MoreThanOneItem, InvalidNumber."""
    return tuple(
        (sign, by_rate(of_category(adjustments(view, indicator), "cac:TaxCategory", "S"),
                       lambda each: each.number(_PERCENT)))
        for indicator, sign in (("true", 1), ("false", -1))
    )  # fmt: skip


def _rated_charges(view: View) -> tuple[tuple[int, Rated], ...]:
    """The same of those whose rate is a number."""
    return tuple(
        (sign, by_rate(of_category(adjustments(view, indicator), "cac:TaxCategory", "S"),
                       lambda each: castable(each, _PERCENT)))
        for indicator, sign in (("true", 1), ("false", -1))
    )  # fmt: skip


def _standard_base(view: View, rate: Decimal) -> Decimal:
    base = total(view.once(_standard_lines).get(rate, ()), "cbc:LineExtensionAmount")
    for sign, rated in view.once(_charges):
        base += sign * total(rated.get(rate, ()), "cbc:Amount")
    return base


def _standard_taxable(row: Node, view: View) -> bool:
    declared, rate = castable(row, "cbc:TaxableAmount"), castable(row, _PERCENT)
    if declared is None or rate is None:
        return False
    base = view.once(computed).number(("S", rate), lambda: _standard_base(view, rate))
    return within(declared, to_cents(base), CENT)


def _tax_of(view: View, rate: Decimal) -> Decimal:
    """The tax of the lines of the rate, plus that of charges, less that of allowances."""
    tax = total(view.once(_standard_lines).get(rate, ()), LINE_TAX)
    for sign, rated in view.once(_rated_charges):
        tax += sign * sum(_taxes(rated.get(rate, ()), rate), ZERO)
    return to_cents(tax)


def _expected_tax(row: Node, view: View) -> Decimal | None:
    rate = castable(row, _PERCENT)
    if rate is None:
        return None
    return view.once(computed).number(("tax", rate), lambda: _tax_of(view, rate))


def _taxes(found: Iterable[Node], rate: Decimal) -> Iterator[Decimal]:
    for each in found:
        amount = each.number("cbc:Amount")
        if amount is not None:
            yield (amount * rate).scaleb(-2)


def _tax_within(row: Node, view: View, tolerance: Decimal) -> bool:
    declared = castable(row, "cbc:TaxAmount")
    if declared is None:
        return False
    return within(to_cents(declared), _expected_tax(row, view), tolerance)


def _standard_tax(row: Node, view: View) -> bool:
    """Whether the tax differs by at most a baisa for each line."""
    return _tax_within(row, view, BAISA * len(view.once(lines)))


def _exact_tax(row: Node, view: View) -> bool:
    return _tax_within(row, view, ZERO) or not _standard_tax(row, view)


_standard = _all_of(_in_invoice_currency, _of("S"))
_SUMS: list[Requirement] = []
for _category in ("E", "O", "Z"):
    _SUMS += [
        (f"ALIGNED-IBRP-{_category}-08-OM", "BT-116", unless(
            _not(_in_invoice_currency), unless(
                _simplified, _where(_of(_category), _taxable(_category)))),
         f"The taxable amount of the category {_category} is that of lines, charges, allowances"),
        (f"ALIGNED-IBRP-{_category}-09-OM", "BT-117", unless(
            _simplified, _where(_of(_category), _no_tax)),
         f"The VAT of the category {_category} is 0"),
    ]  # fmt: skip
require(chapter, contexts.SUBTOTAL, [
    *_SUMS,
    ("ALIGNED-IBRP-S-08-OM", "BT-116", _where(_standard, _standard_taxable),
     "The taxable amount of a rate is that of its lines, charges and allowances"),
    ("ALIGNED-IBRP-S-09-OM", "BT-117", _where(_standard, _standard_tax),
     "The VAT of a rate is that of its lines, charges and allowances"),
], Kind.SUM)  # fmt: skip
require(chapter, contexts.SUBTOTAL, [
    ("ALIGNED-IBRP-S-09-OM-WARN", "BT-117", _where(_standard, _exact_tax),
     "The VAT of a rate is exactly that of its lines, charges and allowances"),
], Kind.SUM, Flag.WARNING)  # fmt: skip
_taxed_in_rials = _in_tax_currency
require(chapter, contexts.SUBTOTAL, [
    ("ALIGNED-IBRP-045", "BG-23 BT-116", _where(_in_invoice_currency, given("cbc:TaxableAmount")),
     "Each row of the VAT breakdown has a taxable amount (BT-116)"),
    ("ALIGNED-IBRP-046", "BG-23 BT-117", _where(_in_invoice_currency, given("cbc:TaxAmount")),
     "Each row of the VAT breakdown has a tax amount (BT-117)"),
    ("ALIGNED-IBRP-047", "BG-23 BT-118", _where(
        _in_invoice_currency, given("cac:TaxCategory/cbc:ID")),
     "Each row of the VAT breakdown has a VAT category (BT-118)"),
    ("ALIGNED-IBRP-048", "BG-23 BT-119", _where(
        _in_invoice_currency, unless(_of("E", "O"), given(_PERCENT))),
     "Each row of the VAT breakdown has a rate (BT-119), unless it is of the category E or O"),
    ("ALIGNED-IBRP-S-10-OM", "BT-120 BT-121", _where(_of("S"), not_given(
        _REASON_CODE, "cac:TaxCategory/cbc:TaxExemptionReason")),
     "The category S has no exemption reason"),
    ("IBR-053-OM", "BT-119", _where(
        _all_of(_taxed_in_rials, _of("S")), _rate_is(STANDARD_RATE)),
     "The VAT rate of the category S in OMR is 5"),
    ("IBR-061-OM", "BT-119", _where(_of("O"), _no_rate), "The category O has no VAT rate"),
    ("IBR-067-OM", "BT-119", _where(_of("E"), _no_rate), "The category E has no VAT rate"),
    ("IBR-069-OM", "BT-121", _where(_of("E", "Z"), given(_REASON_CODE)),
     "The categories E and Z have a reason code (BT-121)"),
    ("IBR-070-OM", "BT-121", _where(_of("O"), not_given(_REASON_CODE)),
     "The category O has no reason code (BT-121)"),
    ("IBR-095-OM", "BT-119", _where(_all_of(_taxed_in_rials, _of("E")), _no_rate),
     "The category E has no VAT rate in OMR"),
    ("IBR-096-OM", "BT-119", _where(_all_of(_taxed_in_rials, _of("O")), _no_rate),
     "The category O has no VAT rate in OMR"),
    ("IBR-097-OM", "BT-119", _where(_all_of(_taxed_in_rials, _of("Z")), _rate_is(ZERO)),
     "The VAT rate of the category Z in OMR is 0"),
])  # fmt: skip


# -- allowances and charges ------------------------------------------------------------------------


def both_or_neither(adjustment: Node, _: View) -> bool:
    return adjustment.has(_BASE[0]) is adjustment.has(_BASE[1])


def _is_its_percentage(adjustment: Node, _: View) -> bool:
    if not all(map(adjustment.has, _BASE)):
        return True
    amount = castable(adjustment, "cbc:Amount")
    base, percent = (castable(adjustment, path) for path in _BASE)
    if amount is None or base is None or percent is None:
        return False
    return within(amount, to_cents((base * percent).scaleb(-2)), CENT)


def base_is_given(adjustment: Node, _: View) -> bool:
    return not adjustment.has(_BASE[1]) or adjustment.has(_BASE[0])


# context; what it is; ids of: both or neither, the rate of S, the reason, the rate of E, O, Z
_ADJUSTMENTS: tuple[tuple[Context, str, tuple[str, ...]], ...] = (
    (contexts.CHARGE, "A charge", ("058", "045", "064", "098", "099", "100")),
    (contexts.ALLOWANCE, "An allowance", ("057", "047", "062", "092", "093", "094")),
)
for _context, _what, _ids in _ADJUSTMENTS:
    require(chapter, _context, [
        (f"ALIGNED-IBRP-{_ids[0]}", "BT-93 BT-94 BT-100 BT-101", both_or_neither,
         f"{_what} has both a base amount and a percentage, or neither"),
        (f"IBR-{_ids[1]}-OM", "BT-96 BT-103", _where(_of("S"), _rate_is(STANDARD_RATE)),
         f"{_what} of the category S has the VAT rate 5"),
        (f"IBR-{_ids[2]}-OM", "BT-95 BT-102", _where(_of("E", "Z"), given(_REASON_CODE)),
         f"{_what} of the category E or Z has a reason code"),
        (f"IBR-{_ids[3]}-OM", "BT-96 BT-103", _where(_of("E"), _no_rate),
         f"{_what} of the category E has no VAT rate"),
        (f"IBR-{_ids[4]}-OM", "BT-96 BT-103", _where(_of("O"), _no_rate),
         f"{_what} of the category O has no VAT rate"),
        (f"IBR-{_ids[5]}-OM", "BT-96 BT-103", _where(_of("Z"), _rate_is(ZERO)),
         f"{_what} of the category Z has the VAT rate 0"),
    ])  # fmt: skip
require(chapter, contexts.CHARGE, [
    ("IBR-042-OM", "BT-105", given("cbc:AllowanceChargeReasonCode"),
     "A charge has a reason code (BT-105)"),
])  # fmt: skip
require(chapter, contexts.ALLOWANCE, [
    ("IBR-033-OM", "BT-92", _is_its_percentage,
     "An allowance with a percentage is this percentage of its base amount"),
])  # fmt: skip
require(chapter, contexts.OTHER_ADJUSTMENT, [
    ("IBR-041-OM", "BT-100", base_is_given, "A percentage has a base amount"),
    ("IBR-063-OM", "BT-99", _is_its_percentage,
     "An amount with a percentage is this percentage of its base amount"),
])  # fmt: skip
require(chapter, contexts.LINE_ADJUSTMENT, [
    ("IBR-035-OM", "BT-137 BT-142", base_is_given, "A percentage has a base amount"),
    ("IBR-073-OM", "BT-137 BT-142", both_or_neither,
     "An allowance or charge of a line has both a base amount and a percentage, or neither"),
])  # fmt: skip


# -- numbers ---------------------------------------------------------------------------------------


def _is_a_rate(rate: Node, _: View) -> bool:
    text = normalized(rate.text)
    number = parse_decimal(rate.text)
    return _RATE.fullmatch(text) is not None and number is not None and 0 <= number <= 100


def _in_baisa(amount: Node, _: View) -> bool:
    number = parse_decimal(amount.text)
    return number is not None and number == number.quantize(_THREE)


def _count_of_vat(party: Node) -> int:
    registrations = party.all("cac:PartyTaxScheme")
    return sum("VAT" in each.texts("cac:TaxScheme/cbc:ID") for each in registrations)


def _tax_is_vat(taxed: Node, view: View) -> bool:
    """Whether the tax is VAT; a seller may have another registration beside that of VAT."""
    vat = "VAT" in taxed.texts("cac:TaxScheme/cbc:ID")
    party = taxed.up(1)
    if taxed.within("cac:TaxRepresentativeParty") or taxed.name == "cac:TaxCategory":
        return vat
    if taxed.within("cac:AccountingCustomerParty"):
        return len(party.all("cac:PartyTaxScheme")) == 1 and vat
    if taxed.within("cac:AccountingSupplierParty"):
        of_vat = view.once(computed).number(party, lambda: Decimal(_count_of_vat(party)))
        return of_vat == 1 if vat else of_vat > 0
    return vat


require(chapter, contexts.RATE, [
    ("IBR-046-OM", "BT-96 BT-103 BT-119 BT-152", _is_a_rate,
     "A VAT rate is between 0 and 100, with at most two decimals"),
], Kind.FORMAT)  # fmt: skip
require(chapter, contexts.AMOUNT, [
    ("IBR-DEC-03-OM", "", _in_baisa, "An amount has at most three decimals"),
], Kind.FORMAT)  # fmt: skip
require(chapter, contexts.VAT_NUMBER, [
    ("IBR-003-OM", "BT-31 BT-48", lambda number, _: (
        _VAT_NUMBER.fullmatch("".join(number.text.split())) is not None),
     "A VAT number of Oman is OM and ten digits"),
], Kind.FORMAT)  # fmt: skip
require(chapter, contexts.TAXED, [
    ("IBR-009-OM", "BT-31 BT-48 BT-118 BT-151", _tax_is_vat,
     "The tax is VAT, and of a party given once"),
])  # fmt: skip
