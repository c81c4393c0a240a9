"""Schematron 2.6.0 for CII: what changes against 2.5.0.

Published on 2026-08-31 and in force from that day. The rules of BIS Billing that KoSIT takes over
are those of 2.5.0.
"""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.evaluation_errors import both
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import at_most_one
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.cii import XRECHNUNG_CII, contexts

changes = Chapter(Layer.XRECHNUNG_CII)

_FORMAT = "102"  # year, month and day in UNTDID 2379
_DAY = re.compile(r"\d{8}")
DATE = Pattern().context("udt:DateTimeString", "qdt:DateTimeString", "udt:DateString")

# In each supporting document; CII-SR-475 and -476 count those of all together.
at_most_one(changes, contexts.ATTACHED, [
    ("BR-TMP-4", "BT-123", "ram:Name"),
    ("BR-TMP-5", "BT-125", "ram:AttachmentBinaryObject"),
], Flag.WARNING)  # fmt: skip


@changes.rule("BR-TMP-7", "BT-2 BT-7 BT-9 BT-26 BT-72 BT-73 BT-74 BT-134 BT-135", at=DATE,
              flag=Flag.WARNING, kind=Kind.FORMAT)  # fmt: skip
def date_is_a_day(date: Node, view: View) -> Values | None:
    """A date is eight digits, YYYYMMDD, with the format 102; the calendar is not looked at."""
    form = normalized(date.attributes.get("format", ""))
    holds = both(
        lambda: form == _FORMAT,
        lambda: _DAY.fullmatch(normalized(view.text_node(date))) is not None,
    )
    if holds:
        return None
    return {"text": normalized(date.text)} if form == _FORMAT else {"code": form}


XRECHNUNG_CII_2_6_0 = XRECHNUNG_CII.revised(
    "2.6.0", flags={"BR-TMP-2": Flag.FATAL}, chapters=[changes]
)
