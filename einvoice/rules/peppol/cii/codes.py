"""Codes and dates as BIS Billing restricts them."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Check, Kind, Values, never
from einvoice.rules.cii_paths import single_text_node
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.values import normalized
from einvoice.rules.view import View

codes = Chapter(Layer.PEPPOL_CII)
_DAY = re.compile(r"20[0-9]{6}")


def _listed_attribute(codes: frozenset[str], name: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        code = node.attributes.get(name)
        return None if code in codes else {"code": code or ""}

    return check


def _listed(codes: frozenset[str]) -> Check:
    def check(node: Node, view: View) -> Values | None:
        code = normalized(single_text_node(view, [node]))
        return None if code in codes else {"code": node.text}

    return check


for _id, _at, _terms, _list, _attribute in (
    ("CL001", contexts.ATTACHMENT, "BT-125-1", "mime", "mimeCode"),
    ("CL007", contexts.TAX_TOTAL, "BT-5 BT-6", "iso4217_peppol_cii", "currencyID"),
    ("CL008", contexts.ENDPOINT, "BT-34-1 BT-49-1", "eas_peppol_cii", "schemeID"),
):
    # The official list ends with a space, so an empty scheme passes and a missing one does not.
    _codes = code_list(_list).codes | ({""} if _id == "CL008" else set())
    codes.add(
        f"PEPPOL-EN16931-{_id}", _terms, _at, _listed_attribute(_codes, _attribute),
        f"a code of the list {code_list(_list).title}", kind=Kind.CODE_LIST,
        parameters={"list": _list, "path": f"@{_attribute}"},
    )  # fmt: skip

for _id, _at, _terms, _list in (
    ("CL002", contexts.ALLOWANCE_REASON, "BT-98 BT-140", "uncl5189"),
    ("CL003", contexts.CHARGE_REASON, "BT-105 BT-145", "uncl7161"),
):
    codes.add(
        f"PEPPOL-EN16931-{_id}", _terms, _at, _listed(code_list(_list).codes),
        f"a code of the list {code_list(_list).title}", kind=Kind.CODE_LIST,
        parameters={"list": _list},
    )  # fmt: skip


codes.add(
    "PEPPOL-EN16931-P0100", "BT-3", contexts.MISPLACED_TYPE, never,
    "The document type (BT-3) is one that the process allows.", kind=Kind.CODE_LIST,
)  # fmt: skip


@codes.rule(
    "PEPPOL-EN16931-F001", "BT-2 BT-7 BT-9 BT-72 BT-73 BT-74 BT-134 BT-135", at=contexts.DATE,
    kind=Kind.FORMAT,
)  # fmt: skip
def date_is_a_day(date: Node, view: View) -> Values | None:
    """A date is written YYYYMMDD, with a year from 2000 to 2099 and format 102."""
    if normalized(date.attributes.get("format", "")) != "102":
        return BROKEN
    text = single_text_node(view, [date])
    day = len(text) == 8 and _DAY.search(normalized(text))
    return None if day else {"text": text}
