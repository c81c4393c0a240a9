"""Allowances and charges: of the document (BG-20, BG-21) and of lines (BG-27, BG-28)."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import present, two_decimals, unfired
from einvoice.rules.view import View

allowances = Chapter(Layer.CEN_UBL)


def _has_a_reason(adjustment: Node, _: View) -> Values | None:
    """An allowance or charge has a reason (BT-97, BT-104, BT-139, BT-144) or a reason code."""
    given = adjustment.children
    if "cbc:AllowanceChargeReason" in given or "cbc:AllowanceChargeReasonCode" in given:
        return None
    return BROKEN


def _has_a_vat_category(adjustment: Node, _: View) -> Values | None:
    """An allowance or charge of the document has a VAT category."""
    for category in adjustment.all("cac:TaxCategory"):
        if is_vat(category) and category.has("cbc:ID"):
            return None
    return BROKEN


# Context; group; rules on the amount, on the reason (two), on the agreement of reason and code, on
# the decimals of amount and base; terms of amount, base, reason and reason code.
_KINDS = [
    (
        contexts.DOCUMENT_ALLOWANCE,
        "BG-20",
        ("BR-31", "BR-33", "BR-CO-21", "BR-CO-05", "BR-DEC-01", "BR-DEC-02"),
        ("BT-92", "BT-93", "BT-97", "BT-98"),
    ),
    (
        contexts.DOCUMENT_CHARGE,
        "BG-21",
        ("BR-36", "BR-38", "BR-CO-22", "BR-CO-06", "BR-DEC-05", "BR-DEC-06"),
        ("BT-99", "BT-100", "BT-104", "BT-105"),
    ),
    (
        contexts.LINE_ALLOWANCE,
        "BG-27",
        ("BR-41", "BR-42", "BR-CO-23", "BR-CO-07", "BR-DEC-24", "BR-DEC-25"),
        ("BT-136", "BT-137", "BT-139", "BT-140"),
    ),
    (
        contexts.LINE_CHARGE,
        "BG-28",
        ("BR-43", "BR-44", "BR-CO-24", "BR-CO-08", "BR-DEC-27", "BR-DEC-28"),
        ("BT-141", "BT-142", "BT-144", "BT-145"),
    ),
]

for _at, _group, _ids, _terms in _KINDS:
    _given, _reason, _reason_again, _agreement, _amount_decimals, _base_decimals = _ids
    _amount, _base, _text, _code = _terms
    present(allowances, _at, [(_given, f"{_group} {_amount}", "cbc:Amount")])
    for _id in (_reason, _reason_again):
        allowances.rule(_id, f"{_group} {_text} {_code}", at=_at, kind=Kind.PRESENCE)(_has_a_reason)
    unfired(allowances, _at, [(_agreement, f"{_code} {_text}", "Reason and reason code agree")])
    two_decimals(
        allowances,
        _at,
        [(_amount_decimals, _amount, "cbc:Amount"), (_base_decimals, _base, "cbc:BaseAmount")],
    )

allowances.rule("BR-32", "BG-20 BT-95", at=contexts.DOCUMENT_ALLOWANCE, kind=Kind.PRESENCE)(
    _has_a_vat_category
)
allowances.rule("BR-37", "BG-21 BT-102", at=contexts.DOCUMENT_CHARGE, kind=Kind.PRESENCE)(
    _has_a_vat_category
)
