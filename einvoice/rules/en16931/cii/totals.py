"""Document totals (BG-22): presence, sums and currencies.

The number types are those of the official rules: BR-CO-10 adds doubles and compares decimals,
BR-CO-11, BR-CO-12 and BR-CO-14 compute in doubles, the others in decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import SETTLEMENT
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.doubles import cents, equals, exact, rounded, total
from einvoice.rules.en16931.cii.paths import (
    ALLOWANCES,
    BREAKDOWN,
    INVOICE_CURRENCY,
    LINE_NET,
    SUMMATION,
    TAX_CURRENCY,
    currencies,
    indicated,
    tax_currencies,
)
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import present, two_decimals
from einvoice.rules.values import ZERO, decimal_of, double_of, to_cents
from einvoice.rules.view import View

totals = Chapter(Layer.CEN_CII)
_TOTALS = contexts.TOTALS
_LINE, _BASIS, _GRAND = "ram:LineTotalAmount", "ram:TaxBasisTotalAmount", "ram:GrandTotalAmount"
_ALLOWANCE, _CHARGE = "ram:AllowanceTotalAmount", "ram:ChargeTotalAmount"
_PREPAID, _ROUNDING, _DUE = "ram:TotalPrepaidAmount", "ram:RoundingAmount", "ram:DuePayableAmount"
_TAX = "ram:TaxTotalAmount"

present(
    totals,
    _TOTALS,
    [
        ("BR-12", "BT-106", _LINE),
        ("BR-13", "BT-109", _BASIS),
        ("BR-14", "BT-112", _GRAND),
        ("BR-15", "BT-115", _DUE),
    ],
)
two_decimals(
    totals,
    _TOTALS,
    [
        ("BR-DEC-09", "BT-106", _LINE),
        ("BR-DEC-10", "BT-107", _ALLOWANCE),
        ("BR-DEC-11", "BT-108", _CHARGE),
        ("BR-DEC-12", "BT-109", _BASIS),
        ("BR-DEC-14", "BT-112", _GRAND),
        ("BR-DEC-16", "BT-113", _PREPAID),
        ("BR-DEC-17", "BT-114", _ROUNDING),
        ("BR-DEC-18", "BT-115", _DUE),
    ],
)


def _first(totals: Node, path: str) -> Decimal | None:
    """The first of the amounts on the path; the others are not read. Raises InvalidNumber."""
    found = totals.all(path)
    return decimal_of(found[0]) if found else None


@totals.rule("BR-CO-10", "BT-106 BT-131", at=_TOTALS, kind=Kind.SUM)
def lines_add_up(totals: Node, view: View) -> Values | None:
    """The sum of line net amounts (BT-106) is the sum of BT-131 of all lines."""
    declared = totals.number(_LINE)
    if declared is None:
        return BROKEN
    added = exact(_lines_total(totals.up(2), view))
    if added is None:
        raise InvalidNumber(totals)
    expected = to_cents(added)
    return None if declared == expected else {"declared": declared, "expected": expected}


def _lines_total(trade: Node, view: View) -> float:
    """The sum of the line net amounts of a trade, computed once per trade."""
    sums = view.once(_sums_by_trade)
    if trade not in sums:
        nets = f"ram:IncludedSupplyChainTradeLineItem/ram:SpecifiedLineTradeSettlement/{LINE_NET}"
        sums[trade] = total(trade.all(nets))
    return sums[trade]


def _sums_by_trade(_: View) -> dict[Node, float]:
    return {}


def _amounts(view: View, charge: bool) -> Iterator[Node]:
    for group in view.root.all(ALLOWANCES):
        if indicated(group, charge):
            yield from group.all("ram:ActualAmount")[:1]


def _allowance_total(view: View) -> float:
    return cents(total(_amounts(view, charge=False)))


def _charge_total(view: View) -> float:
    return cents(total(_amounts(view, charge=True)))


def _allowances_add_up(totals: Node, view: View, path: str, charge: bool) -> Values | None:
    declared = totals.all(path)
    groups = view.root.all(ALLOWANCES)
    if not declared and not any(indicated(group, charge) for group in groups):
        return None
    expected = view.once(_charge_total if charge else _allowance_total)
    if equals(declared, expected):
        return None
    return {"declared": declared[0].text if declared else "", "expected": expected}


@totals.rule("BR-CO-11", "BT-107 BT-92", at=_TOTALS, kind=Kind.SUM)
def allowances_add_up(totals: Node, view: View) -> Values | None:
    """The sum of allowances (BT-107) is the sum of the allowances of the document (BT-92)."""
    return _allowances_add_up(totals, view, _ALLOWANCE, charge=False)


@totals.rule("BR-CO-12", "BT-108 BT-99", at=_TOTALS, kind=Kind.SUM)
def charges_add_up(totals: Node, view: View) -> Values | None:
    """The sum of charges (BT-108) is the sum of the charges of the document (BT-99)."""
    return _allowances_add_up(totals, view, _CHARGE, charge=True)


@totals.rule("BR-CO-13", "BT-109 BT-106 BT-107 BT-108", at=_TOTALS, kind=Kind.SUM)
def total_without_vat_adds_up(totals: Node, _: View) -> Values | None:
    """The total without VAT is lines less allowances plus charges.

    BT-109 = BT-106 - BT-107 + BT-108.
    """
    if (basis := _first(totals, _BASIS)) is None or (lines := _first(totals, _LINE)) is None:
        return BROKEN
    allowance, charge = _first(totals, _ALLOWANCE), _first(totals, _CHARGE)
    expected = to_cents(lines - (allowance or ZERO) + (charge or ZERO))
    return None if basis == expected else {"declared": basis, "expected": expected}


@totals.rule("BR-CO-16", "BT-115 BT-112 BT-113 BT-114", at=_TOTALS, kind=Kind.SUM)
def amount_due_adds_up(totals: Node, _: View) -> Values | None:
    """The amount due is the total with VAT less the prepaid amount plus the rounding.

    BT-115 = BT-112 - BT-113 + BT-114.
    """
    if (due := _first(totals, _DUE)) is None or (grand := _first(totals, _GRAND)) is None:
        return BROKEN
    paid, rounding = _first(totals, _PREPAID), _first(totals, _ROUNDING)
    expected = grand - (paid or ZERO) + (rounding or ZERO)
    return None if due == expected else {"declared": due, "expected": expected}


@totals.rule("BR-CO-15", "BT-112 BT-109 BT-110", at=contexts.DOCUMENT, kind=Kind.SUM)
def total_with_vat_adds_up(invoice: Node, view: View) -> Values | None:
    """The total with VAT is the total without VAT plus the one VAT total in the currency.

    BT-112 = BT-109 + BT-110.
    """
    for currency in view.root.texts(INVOICE_CURRENCY):
        broken = _total_in(invoice, currency)
        if broken is not None:
            return broken
    return None


def _total_in(invoice: Node, currency: str) -> Values | None:
    summation = f"{SETTLEMENT}/{SUMMATION}"
    if (grand := _first(invoice, f"{summation}/{_GRAND}")) is None:
        return BROKEN
    if (basis := _first(invoice, f"{summation}/{_BASIS}")) is None:
        return BROKEN
    taxes = [
        amount
        for amount in invoice.all(f"{summation}/{_TAX}")
        if amount.attributes.get("currencyID") == currency
    ]
    expected = to_cents(basis + decimal_of(taxes[0])) if len(taxes) == 1 else None
    if grand in (expected, basis):
        return None
    values = {"declared": grand, "expected": expected, "currency": currency}
    return values if expected is not None else {**values, "count": len(taxes)}


@totals.rule("BR-CO-14", "BT-110 BT-117", at=contexts.VAT_TOTAL, kind=Kind.SUM)
def vat_adds_up(amount: Node, view: View) -> Values | None:
    """The VAT total (BT-110) is the sum of the VAT of all categories (BT-117)."""
    expected = view.once(_breakdown_tax)
    if double_of(amount) == expected:
        return None
    return {"declared": amount.text, "expected": expected}


def _breakdown_tax(view: View) -> float:
    return cents(total(view.root.all(f"{BREAKDOWN}/ram:CalculatedAmount")))


@totals.rule("BR-53", "BT-6 BT-111", at=_TOTALS, kind=Kind.PRESENCE)
def has_vat_in_accounting_currency(totals: Node, view: View) -> Values | None:
    """With an accounting currency (BT-6), the VAT total is also given in that currency (BT-111)."""
    accounting = view.once(tax_currencies)
    if not view.root.has(TAX_CURRENCY):
        return None
    given = any(amount.attributes.get("currencyID") in accounting for amount in totals.all(_TAX))
    same = not accounting.isdisjoint(view.once(currencies))
    return BROKEN if not given or same else None


def _has_two_decimals(
    totals: Node, view: View, currencies_of: Callable[[View], frozenset[str]], others: bool
) -> Values | None:
    """Check that a VAT total in a currency has at most two decimals.

    One such total is enough; with `others`, a total in another currency is too.
    """
    amounts = totals.all(_TAX)
    for amount in amounts:
        if amount.attributes.get("currencyID") in view.once(currencies_of):
            number = double_of(amount)
            if number == rounded(number * 100) / 100:
                return None
            if not others:
                continue
        elif others:
            return None
    return {"text": amounts[0].text} if amounts else None


@totals.rule("BR-DEC-13", "BT-110", at=_TOTALS, kind=Kind.FORMAT)
def vat_has_two_decimals(totals: Node, view: View) -> Values | None:
    """The VAT total (BT-110) has at most two decimals."""
    return _has_two_decimals(totals, view, currencies, others=True)


@totals.rule("BR-DEC-15", "BT-111", at=_TOTALS, kind=Kind.FORMAT)
def accounting_vat_has_two_decimals(totals: Node, view: View) -> Values | None:
    """The VAT total in accounting currency (BT-111) has at most two decimals."""
    if not view.root.has(TAX_CURRENCY):
        return None
    return _has_two_decimals(totals, view, tax_currencies, others=False)
