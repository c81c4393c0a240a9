"""Document totals: what is there, what adds up, and in which currency.

Three number types meet here, as in the official rules: BR-CO-10 adds doubles and compares decimals,
BR-CO-11, BR-CO-12 and BR-CO-14 compute in doubles, the others in decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Layer, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.doubles import cents, equals, exact, rounded, total
from einvoice.rules.en16931.cii.paths import (
    ALLOWANCES,
    BREAKDOWN,
    INVOICE_CURRENCY,
    LINE_NET,
    SETTLEMENT,
    SUMMATION,
    TAX_CURRENCY,
    currencies,
    indicated,
    tax_currencies,
)
from einvoice.rules.evaluation_errors import InvalidNumber
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
    """The first of the amounts on the path; the others are not looked at. Raises InvalidNumber."""
    found = totals.all(path)
    return decimal_of(found[0]) if found else None


@totals.rule("BR-CO-10", "BT-106 BT-131", at=_TOTALS, kind=Kind.SUM)
def lines_add_up(totals: Node, view: View) -> Values | None:
    """The sum of line net amounts is what the lines add up to."""
    declared = totals.number(_LINE)
    if declared is None:
        return BROKEN
    added = exact(_lines_total(totals.up(2), view))
    if added is None:
        raise InvalidNumber(totals)
    expected = to_cents(added)
    return None if declared == expected else {"declared": declared, "expected": expected}


def _lines_total(trade: Node, view: View) -> float:
    """The lines of a trade added up, once however many summations ask for it."""
    known = view.once(_known_totals)
    if trade not in known:
        nets = f"ram:IncludedSupplyChainTradeLineItem/ram:SpecifiedLineTradeSettlement/{LINE_NET}"
        known[trade] = total(trade.all(nets))
    return known[trade]


def _known_totals(_: View) -> dict[Node, float]:
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
    """The sum of allowances is what the document's allowances add up to."""
    return _allowances_add_up(totals, view, _ALLOWANCE, charge=False)


@totals.rule("BR-CO-12", "BT-108 BT-99", at=_TOTALS, kind=Kind.SUM)
def charges_add_up(totals: Node, view: View) -> Values | None:
    """The sum of charges is what the document's charges add up to."""
    return _allowances_add_up(totals, view, _CHARGE, charge=True)


@totals.rule("BR-CO-13", "BT-109 BT-106 BT-107 BT-108", at=_TOTALS, kind=Kind.SUM)
def net_total_adds_up(totals: Node, _: View) -> Values | None:
    """The total without VAT is the lines minus allowances plus charges."""
    if (basis := _first(totals, _BASIS)) is None or (lines := _first(totals, _LINE)) is None:
        return BROKEN
    allowance, charge = _first(totals, _ALLOWANCE), _first(totals, _CHARGE)
    expected = to_cents(lines - (allowance or ZERO) + (charge or ZERO))
    return None if basis == expected else {"declared": basis, "expected": expected}


@totals.rule("BR-CO-16", "BT-115 BT-112 BT-113 BT-114", at=_TOTALS, kind=Kind.SUM)
def amount_due_adds_up(totals: Node, _: View) -> Values | None:
    """The amount due is the total with VAT minus what was paid plus rounding."""
    if (due := _first(totals, _DUE)) is None or (grand := _first(totals, _GRAND)) is None:
        return BROKEN
    paid, rounding = _first(totals, _PREPAID), _first(totals, _ROUNDING)
    expected = grand - (paid or ZERO) + (rounding or ZERO)
    return None if due == expected else {"declared": due, "expected": expected}


@totals.rule("BR-CO-15", "BT-112 BT-109 BT-110", at=contexts.DOCUMENT, kind=Kind.SUM)
def total_with_vat_adds_up(invoice: Node, view: View) -> Values | None:
    """The total with VAT is the total without VAT plus the VAT, told once in the currency."""
    for currency in view.root.texts(INVOICE_CURRENCY):
        wrong = _with_vat(invoice, currency)
        if wrong is not None:
            return wrong
    return None


def _with_vat(invoice: Node, currency: str) -> Values | None:
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
    told = {"declared": grand, "expected": expected, "currency": currency}
    return told if expected is not None else {**told, "count": len(taxes)}


@totals.rule("BR-CO-14", "BT-110 BT-117", at=contexts.VAT_TOTAL, kind=Kind.SUM)
def vat_adds_up(amount: Node, view: View) -> Values | None:
    """The VAT is what the VAT breakdown adds up to."""
    expected = view.once(_breakdown_tax)
    if double_of(amount) == expected:
        return None
    return {"declared": amount.text, "expected": expected}


def _breakdown_tax(view: View) -> float:
    return cents(total(view.root.all(f"{BREAKDOWN}/ram:CalculatedAmount")))


@totals.rule("BR-53", "BT-6 BT-111", at=_TOTALS, kind=Kind.PRESENCE)
def vat_is_told_in_the_accounting_currency(totals: Node, view: View) -> Values | None:
    """Where another currency is used for accounting, the VAT is told in it, too."""
    accounting = view.once(tax_currencies)
    if not view.root.has(TAX_CURRENCY):
        return None
    told = any(amount.attributes.get("currencyID") in accounting for amount in totals.all(_TAX))
    same = not accounting.isdisjoint(view.once(currencies))
    return BROKEN if not told or same else None


def _in_cents(
    totals: Node, view: View, of: Callable[[View], frozenset[str]], others: bool
) -> Values | None:
    """One VAT total with at most two decimals, or one in another currency, is enough."""
    amounts = totals.all(_TAX)
    for amount in amounts:
        if amount.attributes.get("currencyID") in view.once(of):
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
    """The VAT has at most two decimals."""
    return _in_cents(totals, view, currencies, others=True)


@totals.rule("BR-DEC-15", "BT-111", at=_TOTALS, kind=Kind.FORMAT)
def accounting_vat_has_two_decimals(totals: Node, view: View) -> Values | None:
    """The VAT in the accounting currency has at most two decimals."""
    if not view.root.has(TAX_CURRENCY):
        return None
    return _in_cents(totals, view, tax_currencies, others=False)
