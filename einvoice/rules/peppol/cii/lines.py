"""Requirements of BIS Billing on lines, prices, allowances and charges."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_DOWN, Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import normalized_text
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.peppol.tolerance import SLACK
from einvoice.rules.values import ONE, ZERO, decimal_of, normalized, share, to_cents
from einvoice.rules.view import View

lines = Chapter(Layer.PEPPOL_CII)

_EIGHTEEN = Decimal(1).scaleb(-18)
_ALLOWANCES = "ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeAllowanceCharge"
_NET = (
    "ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation"
    "/ram:LineTotalAmount"
)
_QUANTITY = "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity"
_PRICE = "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice"
_DOCUMENTS = "ram:SpecifiedLineTradeSettlement/ram:AdditionalReferencedDocument"


def _broken(_: Node, __: View) -> Values | None:
    return BROKEN


lines.add(
    "PEPPOL-EN16931-R041", "BT-93 BT-94 BT-100 BT-101 BT-137 BT-138 BT-142 BT-143",
    contexts.PERCENT_ALONE, _broken,
    "An allowance or charge with a percentage has a base (BT-93, BT-100, BT-137, BT-142).",
)  # fmt: skip
lines.add(
    "PEPPOL-EN16931-R042", "BT-93 BT-94 BT-100 BT-101 BT-137 BT-138 BT-142 BT-143",
    contexts.BASE_ALONE, _broken,
    "An allowance or charge with a base has a percentage (BT-94, BT-101, BT-138, BT-143).",
)  # fmt: skip


@lines.rule(
    "PEPPOL-EN16931-R040", "BT-92 BT-99 BT-136 BT-141", at=contexts.ALLOWANCE, kind=Kind.SUM
)
def amount_is_the_percentage_of_its_base(allowance: Node, _: View) -> Values | None:
    """An allowance or charge amount is base amount times percentage, within 0.02.

    BT-92 = BT-93 × BT-94, BT-99 = BT-100 × BT-101, BT-136 = BT-137 × BT-138,
    BT-141 = BT-142 × BT-143.
    """
    return percentage_of_base(allowance, SLACK)


def percentage_of_base(allowance: Node, slack: Decimal) -> Values | None:
    """Whether the amount is its percentage of the base, within the tolerance."""
    applies = allowance.name == "ram:SpecifiedTradeAllowanceCharge"  # not to a price's allowance
    if not (
        applies and allowance.has("ram:CalculationPercent") and allowance.has("ram:BasisAmount")
    ):
        return None
    amount = allowance.number("ram:ActualAmount") or ZERO
    base, percent = allowance.number("ram:BasisAmount"), allowance.number("ram:CalculationPercent")
    if base is None or percent is None:
        return BROKEN
    expected = share(base, percent)
    if abs(amount - expected) <= slack:
        return None
    return {"declared": amount, "expected": expected, "base": base, "rate": percent}


def indicator_is_true_or_false(allowance: Node, view: View) -> Values | None:
    indicator = normalized_text(allowance, view, "ram:ChargeIndicator/udt:Indicator")
    return None if indicator in ("true", "false") else {"text": indicator}


lines.add(
    "PEPPOL-EN16931-R043", "", contexts.ALLOWANCE, indicator_is_true_or_false,
    "A charge indicator is written as true or false.", kind=Kind.FORMAT,
)  # fmt: skip


@lines.rule("PEPPOL-EN16931-R120", "BT-131", at=contexts.LINE, kind=Kind.SUM)
def line_net_adds_up(line: Node, _: View) -> Values | None:
    """The line net amount is quantity times price plus charges less allowances, within 0.02.

    BT-131 = BT-129 × BT-146 ÷ BT-149 + BT-141 - BT-136.
    """
    return line_net(line, SLACK, _PRICE)


def line_net(line: Node, slack: Decimal, *prices: str) -> Values | None:
    """Whether the line net amount adds up, within the tolerance.

    prices  the price groups whose base quantity counts, the first that has one above or below 0
    """
    net = line.number(_NET) or ZERO
    quantity = line.number(_QUANTITY)
    price = line.number(f"{_PRICE}/ram:ChargeAmount") or ZERO
    base = _base_quantity(line, prices)
    groups = line.all(_ALLOWANCES)
    charges, allowances = _sum(groups, "true"), _sum(groups, "false")
    product = (ONE if quantity is None else quantity) * _quotient(price, base)
    expected = product + charges - allowances
    if abs(net - expected) <= slack:
        return None
    return {"declared": net, "expected": expected, "quantity": quantity, "price": price}


def _base_quantity(line: Node, prices: Sequence[str]) -> Decimal:
    """The first base quantity of these price groups that is not 0; 1 if there is none."""
    for price_group in prices:
        base = line.number(f"{price_group}/ram:BasisQuantity")
        if base:
            return base
    return ONE


def _quotient(price: Decimal, base: Decimal) -> Decimal:
    """Price divided by base quantity, rounded half down to 18 decimals as the official rules do."""
    if base == ONE:
        return price
    return (price / base).quantize(_EIGHTEEN, ROUND_HALF_DOWN)


def _sum(groups: Sequence[Node], indicator: str) -> Decimal:
    """The sum of the charges ("true") or allowances ("false"), rounded to cents."""
    if not groups:
        return ZERO
    amounts = (
        decimal_of(amount)
        for group in groups
        if normalized(group.text_of("ram:ChargeIndicator/udt:Indicator")) == indicator
        for amount in group.all("ram:ActualAmount")
    )
    return to_cents(sum(amounts, ZERO))


@lines.rule(
    "PEPPOL-EN16931-R100", "BT-128", at=contexts.LINE, kind=Kind.CARDINALITY, repeated=(_DOCUMENTS,)
)
def has_at_most_one_invoiced_object(line: Node, _: View) -> Values | None:
    """A line refers to at most one invoiced object (BT-128, type 130)."""
    count = sum("130" in document.texts("ram:TypeCode") for document in line.all(_DOCUMENTS))
    return None if count <= 1 else {"count": count}


@lines.rule("PEPPOL-EN16931-R101", "BT-128", at=contexts.LINE, present=(_DOCUMENTS,))
def document_reference_is_an_object(line: Node, _: View) -> Values | None:
    """A document reference of a line is to the invoiced object (BT-128), type 130."""
    types = line.texts(f"{_DOCUMENTS}/ram:TypeCode")
    return None if "130" in types else {"codes": ", ".join(types)}


@lines.rule("PEPPOL-EN16931-R121", "BT-149", at=contexts.PRICE, present=("ram:BasisQuantity",))
def price_base_is_positive(price: Node, _: View) -> Values | None:
    """The base quantity of the price (BT-149) is greater than zero."""
    base = price.number("ram:BasisQuantity")
    return None if base is None or base > 0 else {"declared": base}


@lines.rule("PEPPOL-EN16931-R130", "BT-130 BT-150", at=contexts.PRICE_QUANTITY)
def price_is_for_the_same_unit(quantity: Node, _: View) -> Values | None:
    """The unit of the price base quantity (BT-150) is the invoiced unit (BT-130)."""
    billed = quantity.up(3).all(_QUANTITY)
    unit = quantity.attributes["unitCode"]
    if any(each.attributes.get("unitCode") == unit for each in billed):
        return None
    return {"code": unit}


@lines.rule("PEPPOL-EN16931-R110", "BT-73 BT-134", at=contexts.LINE_START)
def line_starts_within_the_period(start: Node, _: View) -> Values | None:
    """The period of a line (BT-134) does not start before that of the invoice (BT-73)."""
    days, first = _days(start, "ram:StartDateTime")
    return None if days and first and max(days) >= min(first) else BROKEN


@lines.rule("PEPPOL-EN16931-R111", "BT-74 BT-135", at=contexts.LINE_END)
def line_ends_within_the_period(end: Node, _: View) -> Values | None:
    """The period of a line (BT-135) does not end after that of the invoice (BT-74)."""
    days, last = _days(end, "ram:EndDateTime")
    return None if days and last and min(days) <= max(last) else BROKEN


def _days(bound: Node, name: str) -> tuple[list[str], list[str]]:
    """The dates of a line's bound and of the invoice's, YYYYMMDD: texts that sort as dates do."""
    invoice = bound.up(4).texts(f"{contexts.INVOICE_PERIOD}/{name}/udt:DateTimeString")
    return bound.texts("udt:DateTimeString"), invoice
