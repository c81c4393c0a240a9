"""Lines: net amount, price, document reference and period."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_DOWN, Context, Decimal

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.evaluation_errors import InvalidDate, MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.tolerance import SLACK
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.peppol.ubl.allowances import within_slack
from einvoice.rules.tables import at_most_one
from einvoice.rules.values import ONE, ZERO, decimal_of, moment_of, normalized, parse_date, to_cents
from einvoice.rules.view import View

lines = Chapter(Layer.PEPPOL_UBL)

_INVOICED_OBJECT = "130"  # the type code of a document reference to an invoiced object
_DIVISION = Context(prec=600)
_PLACES = 18  # decimals to which the official processor divides

at_most_one(lines, contexts.LINE, [("PEPPOL-EN16931-R100", "BT-128", "cac:DocumentReference")])


@lines.rule("PEPPOL-EN16931-R101", "BT-128", at=contexts.LINE, kind=Kind.CODE_LIST,
            present=("cac:DocumentReference",))  # fmt: skip
def document_reference_is_an_object(line: Node, _: View) -> Values | None:
    """A document reference of a line is to the invoiced object (BT-128), type 130."""
    types = line.texts("cac:DocumentReference/cbc:DocumentTypeCode")
    return None if _INVOICED_OBJECT in types else {"code": " ".join(types)}


@lines.rule("PEPPOL-EN16931-R120", "BT-131 BT-129 BT-146 BT-149 BT-136 BT-141", at=contexts.LINE,
            kind=Kind.SUM)  # fmt: skip
def line_net_adds_up(line: Node, view: View) -> Values | None:
    """The line net amount is quantity times price plus charges less allowances, within 0.02.

    BT-131 = BT-129 × BT-146 ÷ BT-149 + BT-141 - BT-136.
    """
    return line_net(line, view, SLACK)


def line_net(
    line: Node, view: View, slack: Decimal, adjusted: Decimal | None = None
) -> Values | None:
    """Whether the line net amount adds up, within the tolerance.

    adjusted  charges less allowances; None: each sum rounded to cents
    """
    declared = line.number("cbc:LineExtensionAmount")
    invoice = view.root.name == "ubl:Invoice"
    quantity = line.number("cbc:InvoicedQuantity" if invoice else "cbc:CreditedQuantity")
    price = line.number("cac:Price/cbc:PriceAmount")
    base = line.number("cac:Price/cbc:BaseQuantity")
    expected = (ONE if quantity is None else quantity) * _unit_price(price or ZERO, base)
    adjustments = line.children.get("cac:AllowanceCharge")
    if adjusted is not None:
        expected += adjusted
    elif adjustments:
        charges, allowances = _sum(adjustments, "true"), _sum(adjustments, "false")
        expected += charges - allowances
    if within_slack(declared or ZERO, expected, slack):
        return None
    return {"declared": declared, "expected": expected, "quantity": quantity, "price": price}


def _unit_price(price: Decimal, base: Decimal | None) -> Decimal:
    """The price of one unit, to as many decimals as the official division keeps."""
    if not base or base == 1:
        return price
    places = max(_PLACES, *(-int(number.as_tuple().exponent) for number in (price, base)))
    quotient = _DIVISION.divide(price, base)
    return quotient.quantize(ONE.scaleb(-places), ROUND_HALF_DOWN)


def _sum(adjustments: Sequence[Node], indicator: str) -> Decimal:
    amounts = (
        decimal_of(amount)
        for adjustment in adjustments
        if normalized(adjustment.text_of("cbc:ChargeIndicator")) == indicator
        for amount in adjustment.all("cbc:Amount")
    )
    return to_cents(sum(amounts, ZERO))


@lines.rule("PEPPOL-EN16931-R121", "BT-149", at=contexts.LINE, kind=Kind.SUM,
            present=("cac:Price/cbc:BaseQuantity",), path="cac:Price/cbc:BaseQuantity")  # fmt: skip
def price_base_is_positive(line: Node, _: View) -> Values | None:
    """The base quantity of the price (BT-149) is greater than zero."""
    base = line.number("cac:Price/cbc:BaseQuantity")
    return None if base is None or base > 0 else {"declared": base}


@lines.rule("PEPPOL-EN16931-R130", "BT-150 BT-130", at=contexts.PRICE_BASE)
def price_is_for_the_same_unit(base: Node, view: View) -> Values | None:
    """The unit of the price base quantity (BT-150) is the invoiced unit (BT-130)."""
    unit, line = base.attributes.get("unitCode"), base.up(2)
    invoiced, credited = line.all("cbc:InvoicedQuantity"), line.all("cbc:CreditedQuantity")
    if unit is None or not (invoiced or credited):
        return None
    counted = invoiced if view.root.name == "ubl:Invoice" else credited
    units = [quantity.attributes.get("unitCode") for quantity in counted]
    return None if unit in units else {"unit": unit, "expected": units[0] if units else None}


@lines.rule("PEPPOL-EN16931-R110", "BT-134 BT-73", at=contexts.LINE_START)
def line_starts_within_the_period(date: Node, view: View) -> Values | None:
    """The period of a line (BT-134) does not start before that of the invoice (BT-73)."""
    return _outside(date, view, _starts, 1)


@lines.rule("PEPPOL-EN16931-R111", "BT-135 BT-74", at=contexts.LINE_END)
def line_ends_within_the_period(date: Node, view: View) -> Values | None:
    """The period of a line (BT-135) does not end after that of the invoice (BT-74)."""
    return _outside(date, view, _ends, -1)


def _starts(view: View) -> Sequence[Node]:
    return view.root.all("cac:InvoicePeriod/cbc:StartDate")


def _ends(view: View) -> Sequence[Node]:
    return view.root.all("cac:InvoicePeriod/cbc:EndDate")


def _outside(
    date: Node, view: View, limits: Callable[[View], Sequence[Node]], sign: int
) -> Values | None:
    """Whether the line's date is before (sign 1) or after (-1) the invoice's.

    Raises MoreThanOneItem, InvalidDate.
    """
    found = view.once(limits)
    if not found:
        return None
    text = view.text_node(date)
    if text:
        moment = parse_date(text)
        if moment is None:
            raise InvalidDate(date)
        if len(found) > 1:
            raise MoreThanOneItem(found[0], found[0].name, len(found))
        if sign * (moment - moment_of(found[0])) >= 0:
            return None
    return {"date": date.text, "limit": found[0].text}
