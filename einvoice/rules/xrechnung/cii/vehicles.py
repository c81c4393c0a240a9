"""BR-DE-CVD: purchases of vehicles under the Clean Vehicles Directive.

They hold in documents with the specification identifier (BT-24) of CVD.
"""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.cii_paths import AGREEMENT, INVOICE, LINE, TRADE
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.cii.extension import GUIDELINE
from einvoice.rules.xrechnung.extended_codes import (
    CLASSIFICATIONS,
    VEHICLE_EMISSIONS,
    VEHICLES,
    scheme_listed,
)
from einvoice.rules.xrechnung.scenarios import CVD

vehicles = Chapter(Layer.XRECHNUNG_CII)

_PRODUCT = "ram:SpecifiedTradeProduct"
_CODE = "ram:DesignatedProductClassification/ram:ClassCode"
_PROPERTY = "ram:ApplicableProductCharacteristic"
_DOCUMENTS = "ram:AdditionalReferencedDocument"
_TENDER = "50"  # the type code of a reference to a tender or lot


def is_cvd(view: View) -> bool:
    """Whether a text node of the specification identifier is that of CVD."""
    return any(CVD in view.text_nodes(identifier) for identifier in view.root.all(GUIDELINE))


def _is_emission(characteristic: Node, _: View) -> bool:
    return "cva" in characteristic.texts("ram:Description")


_pattern = Pattern(is_cvd)
TRANSACTION = _pattern.context(f"{INVOICE}/{TRADE}")
ITEM = _pattern.context(f"{INVOICE}/{LINE}/{_PRODUCT}")
CODE = _pattern.context(f"{INVOICE}/{LINE}/{_PRODUCT}/{_CODE}")
EMISSION = _pattern.context(f"{INVOICE}/{LINE}/{_PRODUCT}/{_PROPERTY}", when=_is_emission)
REFERENCES = _pattern.context(f"{INVOICE}/{AGREEMENT}")

not_blank(vehicles, REFERENCES, [
    ("BR-DE-CVD-01", "BT-12", "ram:ContractReferencedDocument/ram:IssuerAssignedID"),
])  # fmt: skip


@vehicles.rule("BR-DE-CVD-02", "BT-17", at=REFERENCES, kind=Kind.PRESENCE)
def tender_is_given(agreement: Node, _: View) -> Values | None:
    """The reference to the tender or lot (BT-17) is given."""
    given = any(
        normalized(each.text_of("ram:TypeCode")) == _TENDER
        and each.text_of("ram:IssuerAssignedID").strip(XML_SPACE)
        for each in agreement.all(_DOCUMENTS)
    )
    return None if given else BROKEN


def _vehicle_codes(item: Node) -> int:
    return item.attributes_at(_CODE, "listID").count("CVD")


def _emissions(item: Node) -> int:
    return sum("cva" in each.texts("ram:Description") for each in item.all(_PROPERTY))


@vehicles.rule("BR-DE-CVD-03", "BT-158 BT-160", at=TRANSACTION, kind=Kind.PRESENCE)
def a_line_is_a_vehicle(trade: Node, _: View) -> Values | None:
    """A line has a vehicle category (BT-158, list CVD) and an emission class (BT-160 cva)."""
    items = trade.all(f"ram:IncludedSupplyChainTradeLineItem/{_PRODUCT}")
    return None if any(_vehicle_codes(item) and _emissions(item) for item in items) else BROKEN


@vehicles.rule("BR-DE-CVD-06-a", "BT-158 BT-160", at=ITEM, kind=Kind.CARDINALITY, present=(_CODE,))
def vehicle_has_one_emission_class(item: Node, _: View) -> Values | None:
    """An item with a vehicle category (BT-158) has exactly one emission class (BT-160 cva)."""
    count = _emissions(item)
    return None if not _vehicle_codes(item) or count == 1 else {"count": count}


@vehicles.rule(
    "BR-DE-CVD-06-b", "BT-158 BT-160", at=ITEM, kind=Kind.CARDINALITY, present=(_PROPERTY,)
)
def emission_class_has_one_vehicle(item: Node, _: View) -> Values | None:
    """An item with an emission class (BT-160 cva) has exactly one vehicle category (BT-158)."""
    count = _vehicle_codes(item)
    return None if not _emissions(item) or count == 1 else {"count": count}


vehicles.add(
    "BR-TMP-CVD-01", "BT-158-1", CODE, scheme_listed(CLASSIFICATIONS, "listID"),
    "The list of an item classification (BT-158-1) is a code of UNTDID 7143, or CVD.",
    kind=Kind.CODE_LIST, parameters={"list": "uncl7143", "path": "@listID"},
)  # fmt: skip


@vehicles.rule("BR-DE-CVD-04", "BT-158", at=CODE, kind=Kind.CODE_LIST)
def vehicle_category_is_known(code: Node, _: View) -> Values | None:
    """A vehicle category (BT-158, list CVD) is M1, M2, M3, N1, N2 or N3."""
    if normalized(code.attributes.get("listID", "")) != "CVD":
        return None
    return None if normalized(code.text) in VEHICLES else {"code": code.text}


@vehicles.rule("BR-DE-CVD-05", "BT-161", at=EMISSION, kind=Kind.CODE_LIST, path="ram:Value")
def emission_class_is_known(emission: Node, _: View) -> Values | None:
    """An emission class (BT-161) is clean, zero-emission or other."""
    value = normalized(emission.text_of("ram:Value"))
    return None if value in VEHICLE_EMISSIONS else {"code": value}
