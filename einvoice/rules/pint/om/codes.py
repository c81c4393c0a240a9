"""Code lists of Oman."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Check, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import coded_in, require, text_at
from einvoice.rules.pint.om import contexts
from einvoice.rules.pint.om.terms import MARGIN, MARGIN_SELF, transaction
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_EXEMPT = frozenset(f"VATEX-OM-{number:02}" for number in range(1, 13))
_ZERO_RATED = frozenset(f"VATZR-OM-{number:02}" for number in range(1, 17))
_MARGIN_GOODS = frozenset(f"VATPM-OM-{number:02}" for number in range(1, 6))
_PARTY_SCHEMES = frozenset({"CR", "TIN", "CID", "PASNUM", "OTHID", "ICID", "SZLN"})
_INCOTERMS = ("EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF")
_CORRECTIONS = ("CAN", "VAT", "VAL", "QTY", "OTH")
_ZONES = ("SHRFZ", "SEZAD", "SLLFZ", "AFZ", "MO", "OTH")
_SERVICES = (
    *(f"{code}000000" for code in (64, 70, 71, 72, 73, 76, 77, 78, *range(80, 87), *range(90, 95))),
    "00000000",
)

chapter = Chapter(Layer.PINT_OM_UBL)
for _context, _rule, _terms, _codes, _requires in (
    (contexts.CORRECTION, "CL-02-OM", "BG-3", _CORRECTIONS, "The reason of a correction is a code"),
    (contexts.CATEGORY, "CL-04-OM", "BT-95 BT-102 BT-118 BT-151", ("S", "E", "O", "Z"),
     "The VAT category is S, E, O or Z"),
    (contexts.ITEM_TYPE, "CL-07-OM", "", ("G", "S"), "The type of an item is G or S"),
    (contexts.INCOTERM, "CL-09-OM", "", _INCOTERMS, "The delivery terms are a code (Incoterms)"),
    (contexts.SERVICE, "CL-12-OM", "", _SERVICES, "The service type of an item is a code"),
    (contexts.ZONE, "CL-13-OM", "", _ZONES, "The special zone is a code"),
):  # fmt: skip
    chapter.add(_rule, _terms, _context, coded_in(_codes), _requires, kind=Kind.CODE_LIST)


def _reason_of(category: str, codes: frozenset[str]) -> Check:
    """The check that the reason code of this category is one of these."""

    def check(reason: Node, _: View) -> Values | None:
        if text_at(reason.up(1), "cbc:ID") != category or normalized(reason.text) in codes:
            return None
        return {"code": reason.text, "codes": sorted(codes)}

    return check


for _rule, _category, _codes_of in (
    ("CL-05-OM", "E", _EXEMPT),
    ("CL-10-OM", "Z", _ZERO_RATED),
):
    chapter.add(
        _rule,
        "BT-121",
        contexts.REASON,
        _reason_of(_category, _codes_of),
        f"The reason code of the category {_category} is one of Oman",
        kind=Kind.CODE_LIST,
    )


@chapter.rule("CL-06-OM", "BT-29 BT-46", at=contexts.PARTY_ID, kind=Kind.CODE_LIST)
def party_scheme_is_known(identifier: Node, _: View) -> Values | None:
    """The scheme of an identifier of seller or buyer is a code, such as CR or TIN."""
    name = normalized(identifier.attributes["schemeName"])
    return None if name in _PARTY_SCHEMES else {"code": name, "codes": sorted(_PARTY_SCHEMES)}


@chapter.rule("CL-08-OM-HS", "BT-158", at=contexts.TARIFF, kind=Kind.CODE_LIST, list="hs_oman")
def tariff_code_is_known(code: Node, _: View) -> Values | None:
    """A code of goods is one of the customs tariff of Oman."""
    found = normalized(code.text)
    return None if not found or found in code_list("hs_oman") else {"code": found}


@chapter.rule("CL-08-OM-ISIC", "", at=contexts.ACTIVITY, kind=Kind.CODE_LIST, list="isic_oman")
def activity_is_known(code: Node, _: View) -> Values | None:
    """The economic activity of an item is one of the list of Oman."""
    found = normalized(code.text)
    return None if not found or found in code_list("isic_oman") else {"code": found}


@chapter.rule("CL-11-OM", "", at=contexts.MARGIN_GOODS, kind=Kind.CODE_LIST)
def margin_goods_are_known(code: Node, view: View) -> Values | None:
    """Goods under the margin scheme are of a kind of VATPM-OM."""
    if not view.once(transaction).is_any(MARGIN, MARGIN_SELF):
        return None
    found = normalized(code.text)
    return None if found in _MARGIN_GOODS else {"code": found, "codes": sorted(_MARGIN_GOODS)}


def _kind(code: Node) -> str:
    return normalized(code.attributes["name"])


require(chapter, contexts.KIND, [
    ("CL-03-OM-1", "", lambda code, _: _kind(code)[:2] != "11",
     "A document is not both a full and a simplified tax invoice"),
    ("CL-03-OM-2", "", lambda code, _: "1" in _kind(code)[:2],
     "A document is a full or a simplified tax invoice"),
])  # fmt: skip
