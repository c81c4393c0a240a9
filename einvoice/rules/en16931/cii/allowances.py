"""Allowances and charges: of the document (BG-20, BG-21) and of lines (BG-27, BG-28)."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Kind, Values, never
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.conditions import is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import decimals
from einvoice.rules.view import View

allowances = Chapter(Layer.CEN_CII)

# The official context is the indicator, so that is the location; the rules are about its group.
_GROUPS = (
    # context, rules on amount, VAT category, reason (two), agreement of reason and code (never
    # tested), decimals of amount and base; terms of amount, base, category, reason and code
    (contexts.ALLOWANCE, "BR-31", "BR-32", ("BR-33", "BR-CO-21"), "BR-CO-05",
     ("BR-DEC-01", "BR-DEC-02"), "BT-92 BT-93 BT-95 BT-97 BT-98", "An allowance of the document"),
    (contexts.CHARGE, "BR-36", "BR-37", ("BR-38", "BR-CO-22"), "BR-CO-06",
     ("BR-DEC-05", "BR-DEC-06"), "BT-99 BT-100 BT-102 BT-104 BT-105", "A charge of the document"),
    (contexts.LINE_ALLOWANCE, "BR-41", "", ("BR-42", "BR-CO-23"), "BR-CO-07",
     ("BR-DEC-24", "BR-DEC-25"), "BT-136 BT-137 - BT-139 BT-140", "An allowance of a line"),
    (contexts.LINE_CHARGE, "BR-43", "", ("BR-44", "BR-CO-24"), "BR-CO-08",
     ("BR-DEC-27", "BR-DEC-28"), "BT-141 BT-142 - BT-144 BT-145", "A charge of a line"),
)  # fmt: skip


def _has_amount(indicator: Node, _: View) -> Values | None:
    return None if indicator.up(1).has("ram:ActualAmount") else BROKEN


def _has_category(indicator: Node, _: View) -> Values | None:
    taxes = indicator.up(1).all("ram:CategoryTradeTax")
    return None if any(tax.has("ram:CategoryCode") for tax in taxes if is_vat(tax)) else BROKEN


def _has_reason(indicator: Node, _: View) -> Values | None:
    group = indicator.up(1)
    return None if group.has("ram:Reason") or group.has("ram:ReasonCode") else BROKEN


def _amount_decimals(indicator: Node, _: View) -> Values | None:
    amounts = indicator.up(1).all("ram:ActualAmount")[:1]
    return next(({"text": each.text} for each in amounts if decimals(each.text) > 2), None)


def _base_decimals(indicator: Node, _: View) -> Values | None:
    text = indicator.up(1).text_of("ram:BasisAmount")
    return None if decimals(text) <= 2 else {"text": text}


def _add_rules(
    context: Context, amount: str, category: str, reasons: tuple[str, str], untested: str,
    cents: tuple[str, str], terms: str, what: str,
) -> None:  # fmt: skip
    bt_amount, bt_base, bt_category, *bt_reasons = terms.split()
    reason = " ".join(bt_reasons)

    def add(
        id: str, terms: str, check: Check, requires: str, kind: Kind, **parameters: object  # noqa: A002
    ) -> None:  # fmt: skip
        requires = f"{what} {requires}."
        allowances.add(id, terms, context, check, requires, kind=kind, parameters=parameters)

    add(amount, bt_amount, _has_amount, "has an amount", Kind.PRESENCE)
    if category:
        add(category, bt_category, _has_category, "has a VAT category", Kind.PRESENCE)
    for id in reasons:  # noqa: A001
        add(id, reason, _has_reason, "has a reason, as text or as code", Kind.PRESENCE)
    add(untested, reason, never, "means the same by text and code of its reason", Kind.OTHER)
    add(
        cents[0],
        bt_amount,
        _amount_decimals,
        "has at most two decimals",
        Kind.FORMAT,
        decimals=2,
    )
    add(
        cents[1], bt_base, _base_decimals, "has at most two decimals in its base",
        Kind.FORMAT, decimals=2,
    )  # fmt: skip


for _group in _GROUPS:
    _add_rules(*_group)
