"""The rules of EXTENDED about the totals of the document: sums within a cent for each amount.

Amounts are added in doubles, as the published rules add them, and compared as the decimals that
these doubles are.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.cii_paths import ALLOWANCE, ITEM, SETTLEMENT, single_text
from einvoice.rules.en16931.cii.doubles import cents, exact, rounded, total
from einvoice.rules.en16931.cii.paths import ALLOWANCES, NET_OF_LINE, SUMMATION
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.factur_x.copies import indicated
from einvoice.rules.factur_x.exempted_amounts import counts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, decimal_of, to_cents
from einvoice.rules.view import View

PER_AMOUNT = Decimal("0.01")  # by which a sum may differ
_SERVICES = "ram:SpecifiedLogisticsServiceCharge"


def _decimal(number: float, node: Node) -> Decimal:
    """The decimal that a double is. Raises InvalidNumber for infinities and NaN."""
    found = exact(number)
    if found is None:
        raise InvalidNumber(node)
    return found


def _net_of_lines(totals: Node) -> Decimal:
    nets = [net for line in totals.up(2).all(ITEM) if counts(line) for net in line.all(NET_OF_LINE)]
    return _decimal(rounded(total(nets) * 100) / 100, totals)


def _allowances(totals: Node, view: View) -> Decimal:
    groups = indicated(view.root.all(ALLOWANCES), "false")
    amounts = [amount for each in groups for amount in each.all("ram:ActualAmount")]
    return _decimal(cents(total(amounts)), totals)


def _charges(totals: Node, view: View) -> Decimal:
    groups = indicated(view.root.all(ALLOWANCES), "true")
    amounts = [amount for each in groups for amount in each.all("ram:ActualAmount")]
    services = view.root.all(f"{SETTLEMENT}/{_SERVICES}/ram:AppliedAmount")
    charged = _decimal(rounded(total(amounts) * 100) / 100, totals)
    return charged + _decimal(cents(total(services)), totals)


class _Counts:
    """How many amounts the totals of a settlement add."""

    def __init__(self, totals: Node) -> None:
        settlement = totals.up(1)
        groups = settlement.all(ALLOWANCE)
        self.allowances = len(indicated(groups, "false"))
        self.charges = len(indicated(groups, "true")) + len(settlement.all(_SERVICES))
        self.lines = sum(map(counts, totals.up(2).all(ITEM)))

    @property
    def all(self) -> int:
        return self.lines + self.allowances + self.charges


def _near(declared: Decimal | None, expected: Decimal, amounts: int) -> Values | None:
    """Nothing if the declared sum differs by at most a cent for each amount."""
    if declared is None:
        return BROKEN
    if abs(declared - expected) <= amounts * PER_AMOUNT:
        return None
    return {"declared": declared, "expected": to_cents(expected)}


def _lines_add_up(totals: Node, _: View) -> Values | None:
    """The sum of line net amounts (BT-106) is the sum of BT-131 of the lines that count."""
    amounts = len(totals.up(2).all(ITEM))
    return _near(totals.number("ram:LineTotalAmount"), _net_of_lines(totals), amounts)


def _allowances_add_up(totals: Node, view: View) -> Values | None:
    """The sum of allowances (BT-107) is the sum of the allowances of the document (BT-92)."""
    path = "ram:AllowanceTotalAmount"
    if not totals.has(path) and not indicated(view.root.all(ALLOWANCES), "false"):
        return None
    expected = _allowances(totals, view)
    return _near(totals.number(path), expected, _Counts(totals).allowances)


def _charges_add_up(totals: Node, view: View) -> Values | None:
    """The sum of charges (BT-108) is that of the charges and logistics services (BT-99)."""
    path = "ram:ChargeTotalAmount"
    if not totals.has(path) and not indicated(view.root.all(ALLOWANCES), "true"):
        return None
    return _near(totals.number(path), _charges(totals, view), _Counts(totals).charges)


def _total_without_vat_adds_up(totals: Node, view: View) -> Values | None:
    """The total without VAT (BT-109) is lines less allowances plus charges."""
    expected = _net_of_lines(totals) - _allowances(totals, view) + _charges(totals, view)
    return _near(totals.number("ram:TaxBasisTotalAmount"), expected, _Counts(totals).all)


def _total_with_vat_adds_up(totals: Node, _: View) -> Values | None:
    """The total with VAT (BT-112) is the total without VAT plus the VAT total in the currency."""
    currency = single_text(totals.up(1).all("ram:InvoiceCurrencyCode"))
    taxes = [
        tax
        for tax in totals.all("ram:TaxTotalAmount")
        if tax.attributes.get("currencyID") == currency
    ]
    basis = totals.number("ram:TaxBasisTotalAmount")
    if basis is None or not single_text(taxes):
        return BROKEN
    expected = basis + decimal_of(taxes[0])
    return _near(totals.number("ram:GrandTotalAmount"), expected, _Counts(totals).all)


def _amount_due_adds_up(totals: Node, _: View) -> Values | None:
    """The amount due (BT-115) is the total less prepaid amounts, plus rounding and adjustments."""

    def added(found: Sequence[Node]) -> Decimal:
        return sum(map(decimal_of, found), ZERO)

    due = totals.number("ram:DuePayableAmount")
    expected = (
        added(totals.all("ram:GrandTotalAmount"))
        - added(totals.all("ram:TotalPrepaidAmount"))
        + added(totals.all("ram:RoundingAmount"))
        + added(totals.up(1).all("ram:SpecifiedFinancialAdjustment/ram:ActualAmount"))
    )
    if due is None:
        return BROKEN
    return None if due == expected else {"declared": due, "expected": expected}


def chapter_of(layer: Layer) -> Chapter:
    """The rules about totals."""
    chapter = Chapter(layer)
    for rule, terms, check in (
        ("BR-FXEXT-CO-10", "BT-106 BT-131", _lines_add_up),
        ("BR-FXEXT-CO-11", "BT-107 BT-92", _allowances_add_up),
        ("BR-FXEXT-CO-12", "BT-108 BT-99", _charges_add_up),
        ("BR-FXEXT-CO-13", "BT-109 BT-131 BT-92 BT-99", _total_without_vat_adds_up),
        ("BR-FXEXT-CO-15", "BT-112 BT-109 BT-110", _total_with_vat_adds_up),
        ("BR-FXEXT-CO-16", "BT-115 BT-112 BT-113 BT-114", _amount_due_adds_up),
    ):
        chapter.add(rule, terms, Pattern().context(SUMMATION), check, None, kind=Kind.SUM)
    return chapter
