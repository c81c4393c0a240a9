"""Invoicing periods, and the day from which VAT is due."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Layer, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.node import Node
from einvoice.rules.view import View

periods = Chapter(Layer.CEN_CII, gathers=("ram:TaxPointDate", "ram:DueDateTypeCode"))


def _days(period: Node, end: str) -> list[str]:
    dates = period.all(f"{end}/udt:DateTimeString")
    return [date.text for date in dates if date.attributes.get("format") == "102"]


def _in_order(period: Node) -> Values | None:
    """Compared as texts, which for YYYYMMDD is the order of days."""
    if not period.has("ram:EndDateTime") or not period.has("ram:StartDateTime"):
        return None
    ends, starts = _days(period, "ram:EndDateTime"), _days(period, "ram:StartDateTime")
    if ends and starts and max(ends) >= min(starts):
        return None
    return {"start": ", ".join(starts), "end": ", ".join(ends)}


def _bounded(period: Node) -> Values | None:
    return None if period.has("ram:StartDateTime") or period.has("ram:EndDateTime") else BROKEN


@periods.rule("BR-29", "BT-73 BT-74", at=contexts.PERIOD)
def invoicing_period_is_in_order(period: Node, _: View) -> Values | None:
    """The invoicing period does not end before it starts."""
    return _in_order(period)


@periods.rule("BR-30", "BT-134 BT-135", at=contexts.LINE_PERIOD)
def line_period_is_in_order(period: Node, _: View) -> Values | None:
    """The period of a line does not end before it starts."""
    return _in_order(period)


@periods.rule("BR-CO-19", "BG-14", at=contexts.PERIOD, kind=Kind.PRESENCE)
def invoicing_period_is_bounded(period: Node, _: View) -> Values | None:
    """An invoicing period has a start or an end."""
    return _bounded(period)


@periods.rule("BR-CO-20", "BG-26", at=contexts.LINE_PERIOD, kind=Kind.PRESENCE)
def line_period_is_bounded(period: Node, _: View) -> Values | None:
    """The period of a line has a start or an end."""
    return _bounded(period)


@periods.rule("BR-CO-03", "BT-7 BT-8", at=contexts.BREAKDOWN)
def tax_point_is_told_one_way(_: Node, view: View) -> Values | None:
    """The VAT point is a date or a code, not both."""
    both = view.everywhere("ram:TaxPointDate") and view.everywhere("ram:DueDateTypeCode")
    return BROKEN if both else None
