"""Schematron 2.6.0 for UBL: what changes against 2.5.0.

Published on 2026-08-31 and in force from that day. The rules of BIS Billing that KoSIT takes over
are those of 2.5.0, but for R008.
"""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.ubl import XRECHNUNG_UBL

changes = Chapter(Layer.XRECHNUNG_UBL)

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
DATE = Pattern().context(
    "cbc:IssueDate", "cbc:DueDate", "cbc:StartDate", "cbc:EndDate", "cbc:ActualDeliveryDate",
    "cbc:TaxPointDate", "cbc:PaymentDueDate",
)  # fmt: skip


@changes.rule("PEPPOL-EN16931-R008", "", at=contexts.EMPTY, kind=Kind.PRESENCE)
def nothing_is_empty(empty: Node, _: View) -> Values | None:
    """No element is empty, except the number of an order (BT-13); others are left out.

    UBL wants it where only the seller's order number (BT-14) is known.
    """
    above = empty.parent
    of_order = above is not None and above.name == "cac:OrderReference"
    return None if of_order and empty.name == "cbc:ID" else BROKEN


@changes.rule("BR-TMP-6", "BT-2 BT-7 BT-9 BT-26 BT-72 BT-73 BT-74 BT-134 BT-135", at=DATE,
              flag=Flag.WARNING, kind=Kind.FORMAT)  # fmt: skip
def date_is_a_day(date: Node, view: View) -> Values | None:
    """A date is written YYYY-MM-DD, without a time zone or sign; the calendar is not looked at."""
    text = normalized(view.text_node(date))
    return None if _DAY.fullmatch(text) else {"text": text}


XRECHNUNG_UBL_2_6_0 = XRECHNUNG_UBL.revised(
    "2.6.0", flags={"BR-TMP-2": Flag.FATAL}, chapters=[changes]
)
