"""VAT exemption reasons (BT-121), and the VAT category (BT-118) that each belongs to."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Check, Kind, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.values import normalized
from einvoice.rules.view import View

vat = Chapter(Layer.PEPPOL_UBL)

_CATEGORIES = (  # rule, exemption reason code, category
    ("P0104", "VATEX-EU-G", "G"),
    ("P0105", "VATEX-EU-O", "O"),
    ("P0106", "VATEX-EU-IC", "K"),
    ("P0107", "VATEX-EU-AE", "AE"),
    ("P0108", "VATEX-EU-D", "E"),
    ("P0109", "VATEX-EU-F", "E"),
    ("P0110", "VATEX-EU-I", "E"),
    ("P0111", "VATEX-EU-J", "E"),
)


def _in_category(reason: str, expected: str) -> Check:
    def check(category: Node, _: View) -> Values | None:
        code = normalized(category.text_of("cbc:ID"))
        return None if code == expected else {"code": code, "expected": expected, "reason": reason}

    return check


for _rule, _reason, _category in _CATEGORIES:
    vat.add(
        f"PEPPOL-EN16931-{_rule}", "BT-121 BT-118", contexts.EXEMPTION.case(_reason),
        _in_category(_reason, _category),
        f"Exemption reason {_reason} is used with category {_category} only", kind=Kind.CATEGORY,
        parameters={"reason": _reason, "category": _category},
    )  # fmt: skip
