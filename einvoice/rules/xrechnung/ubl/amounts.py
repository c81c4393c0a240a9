"""Two rules of BIS Billing with a tolerance of their own."""

from __future__ import annotations

from decimal import Decimal

from einvoice.rules.book import Chapter, Flag, Kind, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.peppol.ubl.allowances import percentage_of_base
from einvoice.rules.peppol.ubl.lines import line_net
from einvoice.rules.view import View
from einvoice.rules.xrechnung.tolerance import slack_in

amounts = Chapter(Layer.XRECHNUNG_UBL)


def _slack(view: View) -> Decimal:
    return slack_in(view.root.texts("cbc:DocumentCurrencyCode"))


@amounts.rule(
    "PEPPOL-EN16931-R040",
    "BT-92 BT-93 BT-94 BT-99 BT-100 BT-101 BT-136 BT-137 BT-138 BT-141 BT-142 BT-143",
    at=contexts.ALLOWANCE, kind=Kind.SUM, present=("cbc:BaseAmount",),
)  # fmt: skip
def amount_is_the_percentage_of_its_base(allowance: Node, view: View) -> Values | None:
    """An allowance or charge amount is base amount times percentage, within 0.02 (HUF: 0.5)."""
    return percentage_of_base(allowance, view.once(_slack))


@amounts.rule(
    "PEPPOL-EN16931-R120", "BT-131 BT-129 BT-146 BT-149 BT-136 BT-141", at=contexts.LINE,
    flag=Flag.WARNING, kind=Kind.SUM,
)  # fmt: skip
def line_net_adds_up(line: Node, view: View) -> Values | None:
    """The line net amount is quantity times price, charges and allowances, within 0.02 (HUF: 0.5).

    BT-131 = BT-129 × BT-146 ÷ BT-149 + BT-141 - BT-136.
    """
    return line_net(line, view, view.once(_slack))
