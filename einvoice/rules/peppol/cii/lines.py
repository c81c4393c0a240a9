"""Lines, prices, allowances and charges, as BIS Billing asks."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_DOWN, Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Layer, Values
from einvoice.rules.cii_paths import normalized_text
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.peppol.cii.fast_path import SLACK
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
    contexts.PERCENT_ALONE, _broken, "An allowance or charge with a percentage has a base.",
)  # fmt: skip
lines.add(
    "PEPPOL-EN16931-R042", "BT-93 BT-94 BT-100 BT-101 BT-137 BT-138 BT-142 BT-143",
    contexts.BASE_ALONE, _broken, "An allowance or charge with a base has a percentage.",
)  # fmt: skip


@lines.rule(
    "PEPPOL-EN16931-R040", "BT-92 BT-99 BT-136 BT-141", at=contexts.ALLOWANCE, kind=Kind.SUM
)
def allowance_is_base_times_percent(allowance: Node, _: View) -> Values | None:
    """An allowance or charge is its base times its percentage; 0.02 of difference is allowed."""
    judged = allowance.name == "ram:SpecifiedTradeAllowanceCharge"  # not a price's allowance
    if not (
        judged and allowance.has("ram:CalculationPercent") and allowance.has("ram:BasisAmount")
    ):
        return None
    amount = allowance.number("ram:ActualAmount") or ZERO
    base, percent = allowance.number("ram:BasisAmount"), allowance.number("ram:CalculationPercent")
    if base is None or percent is None:
        return BROKEN
    expected = share(base, percent)
    if abs(amount - expected) <= SLACK:
        return None
    return {"declared": amount, "expected": expected, "base": base, "rate": percent}


def _spelt(allowance: Node, view: View) -> Values | None:
    said = normalized_text(allowance, view, "ram:ChargeIndicator/udt:Indicator")
    return None if said in ("true", "false") else {"text": said}


lines.add(
    "PEPPOL-EN16931-R043", "", contexts.ALLOWANCE, _spelt,
    "A charge indicator reads true or false.", kind=Kind.FORMAT,
)  # fmt: skip


@lines.rule("PEPPOL-EN16931-R120", "BT-131", at=contexts.LINE, kind=Kind.SUM)
def line_adds_up(line: Node, _: View) -> Values | None:
    """A line is quantity times price plus charges minus allowances; 0.02 may be missing."""
    net = line.number(_NET) or ZERO
    quantity = line.number(_QUANTITY)
    price = line.number(f"{_PRICE}/ram:ChargeAmount") or ZERO
    base = line.number(f"{_PRICE}/ram:BasisQuantity") or ONE
    groups = line.all(_ALLOWANCES)
    charges, allowances = _said(groups, "true"), _said(groups, "false")
    gross = (ONE if quantity is None else quantity) * _quotient(price, base)
    expected = gross + charges - allowances
    if abs(net - expected) <= SLACK:
        return None
    return {"declared": net, "expected": expected, "quantity": quantity, "price": price}


def _quotient(price: Decimal, base: Decimal) -> Decimal:
    """Divided as the official rules do it: at least eighteen decimals, half down."""
    if base == ONE:
        return price
    return (price / base).quantize(_EIGHTEEN, ROUND_HALF_DOWN)


def _said(groups: Sequence[Node], said: str) -> Decimal:
    """The amounts of the charges ("true") or allowances ("false"), in cents."""
    if not groups:
        return ZERO
    amounts = (
        decimal_of(amount)
        for group in groups
        if normalized(group.text_of("ram:ChargeIndicator/udt:Indicator")) == said
        for amount in group.all("ram:ActualAmount")
    )
    return to_cents(sum(amounts, ZERO))


@lines.rule(
    "PEPPOL-EN16931-R100", "BT-128", at=contexts.LINE, kind=Kind.CARDINALITY, repeated=(_DOCUMENTS,)
)
def one_invoiced_object(line: Node, _: View) -> Values | None:
    """A line names at most one invoiced object (type 130)."""
    count = sum("130" in document.texts("ram:TypeCode") for document in line.all(_DOCUMENTS))
    return None if count <= 1 else {"count": count}


@lines.rule("PEPPOL-EN16931-R101", "BT-128", at=contexts.LINE, present=(_DOCUMENTS,))
def only_invoiced_objects(line: Node, _: View) -> Values | None:
    """A line refers to a document only to name its invoiced object (type 130)."""
    types = line.texts(f"{_DOCUMENTS}/ram:TypeCode")
    return None if "130" in types else {"codes": ", ".join(types)}


@lines.rule("PEPPOL-EN16931-R121", "BT-149", at=contexts.PRICE, present=("ram:BasisQuantity",))
def price_base_is_positive(price: Node, _: View) -> Values | None:
    """The quantity that a price is for is above zero."""
    base = price.number("ram:BasisQuantity")
    return None if base is None or base > 0 else {"declared": base}


@lines.rule("PEPPOL-EN16931-R130", "BT-130 BT-150", at=contexts.PRICE_QUANTITY)
def price_unit_is_invoiced_unit(quantity: Node, _: View) -> Values | None:
    """The price is for the unit that is invoiced."""
    billed = quantity.up(3).all(_QUANTITY)
    unit = quantity.attributes["unitCode"]
    if any(each.attributes.get("unitCode") == unit for each in billed):
        return None
    return {"code": unit}


@lines.rule("PEPPOL-EN16931-R110", "BT-73 BT-134", at=contexts.LINE_START)
def line_starts_within_the_invoice(start: Node, _: View) -> Values | None:
    """The period of a line does not start before that of the invoice."""
    days, first = _days(start, "ram:StartDateTime")
    return None if days and first and max(days) >= min(first) else BROKEN


@lines.rule("PEPPOL-EN16931-R111", "BT-74 BT-135", at=contexts.LINE_END)
def line_ends_within_the_invoice(end: Node, _: View) -> Values | None:
    """The period of a line does not end after that of the invoice."""
    days, last = _days(end, "ram:EndDateTime")
    return None if days and last and min(days) <= max(last) else BROKEN


def _days(bound: Node, name: str) -> tuple[list[str], list[str]]:
    """The days of a line's bound and those of the invoice, as texts: YYYYMMDD sorts."""
    invoice = bound.up(4).texts(f"{contexts.INVOICE_PERIOD}/{name}/udt:DateTimeString")
    return bound.texts("udt:DateTimeString"), invoice
