"""Rules for CII on invoicing periods (BG-14, BG-26) and the VAT point date."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.view import View

periods = Chapter(Layer.CEN_CII, gathers=("ram:TaxPointDate", "ram:DueDateTypeCode"))


def _days(period: Node, end: str) -> list[str]:
    dates = period.all(f"{end}/udt:DateTimeString")
    return [date.text for date in dates if date.attributes.get("format") == "102"]


def _ends_after_it_starts(period: Node) -> Values | None:
    """Check that the period does not end before it starts; YYYYMMDD sorts as text."""
    if not period.has("ram:EndDateTime") or not period.has("ram:StartDateTime"):
        return None
    ends, starts = _days(period, "ram:EndDateTime"), _days(period, "ram:StartDateTime")
    if ends and starts and max(ends) >= min(starts):
        return None
    return {"start": ", ".join(starts), "end": ", ".join(ends)}


def _has_start_or_end(period: Node) -> Values | None:
    return None if period.has("ram:StartDateTime") or period.has("ram:EndDateTime") else BROKEN


@periods.rule("BR-29", "BT-73 BT-74", at=contexts.PERIOD)
def invoicing_period_ends_after_it_starts(period: Node, _: View) -> Values | None:
    """The invoicing period does not end (BT-74) before it starts (BT-73)."""
    return _ends_after_it_starts(period)


@periods.rule("BR-30", "BT-134 BT-135", at=contexts.LINE_PERIOD)
def line_period_ends_after_it_starts(period: Node, _: View) -> Values | None:
    """The period of a line does not end (BT-135) before it starts (BT-134)."""
    return _ends_after_it_starts(period)


@periods.rule("BR-CO-19", "BG-14", at=contexts.PERIOD, kind=Kind.PRESENCE)
def invoicing_period_is_not_empty(period: Node, _: View) -> Values | None:
    """An invoicing period (BG-14) has a start or an end."""
    return _has_start_or_end(period)


@periods.rule("BR-CO-20", "BG-26", at=contexts.LINE_PERIOD, kind=Kind.PRESENCE)
def line_period_is_not_empty(period: Node, _: View) -> Values | None:
    """The period of a line (BG-26) has a start or an end."""
    return _has_start_or_end(period)


@periods.rule("BR-CO-03", "BT-7 BT-8", at=contexts.BREAKDOWN)
def has_one_vat_point(_: Node, view: View) -> Values | None:
    """The VAT point is given as a date (BT-7) or as a code (BT-8), not as both."""
    both = view.everywhere("ram:TaxPointDate") and view.everywhere("ram:DueDateTypeCode")
    return BROKEN if both else None
