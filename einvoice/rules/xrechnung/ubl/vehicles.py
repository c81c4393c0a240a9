"""BR-DE-CVD: purchases of vehicles under the Clean Vehicles Directive.

They hold in documents with the specification identifier (BT-24) of CVD.
"""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.extended_codes import (
    CLASSIFICATIONS,
    VEHICLE_EMISSIONS,
    VEHICLES,
    scheme_listed,
)
from einvoice.rules.xrechnung.scenarios import CVD

vehicles = Chapter(Layer.XRECHNUNG_UBL)

_LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")
_ITEMS = ("/ubl:Invoice/cac:InvoiceLine/cac:Item", "/cn:CreditNote/cac:CreditNoteLine/cac:Item")
_CODE = "cac:CommodityClassification/cbc:ItemClassificationCode"
_PROPERTY = "cac:AdditionalItemProperty"


def is_cvd(view: View) -> bool:
    """Whether a text node of the specification identifier is that of CVD."""
    identifiers = view.root.all("cbc:CustomizationID")
    return any(CVD in view.text_nodes(identifier) for identifier in identifiers)


def _is_emission(item_property: Node, _: View) -> bool:
    return "cva" in item_property.texts("cbc:Name")


_pattern = Pattern(is_cvd)
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote")
ITEM = _pattern.context(*_ITEMS)
CODE = _pattern.context(*(f"{item}/{_CODE}" for item in _ITEMS))
EMISSION = _pattern.context(*(f"{item}/{_PROPERTY}" for item in _ITEMS), when=_is_emission)

not_blank(vehicles, DOCUMENT, [
    ("BR-DE-CVD-02", "BT-17", "cac:OriginatorDocumentReference/cbc:ID"),
    ("BR-DE-CVD-01", "BT-12", "cac:ContractDocumentReference/cbc:ID"),
])  # fmt: skip


def _vehicle_codes(item: Node) -> int:
    return item.attributes_at(_CODE, "listID").count("CVD")


def _emissions(item: Node) -> int:
    return sum("cva" in each.texts("cbc:Name") for each in item.all(_PROPERTY))


@vehicles.rule("BR-DE-CVD-03", "BT-158 BT-160", at=DOCUMENT, kind=Kind.PRESENCE)
def a_line_is_a_vehicle(invoice: Node, _: View) -> Values | None:
    """A line has a vehicle category (BT-158, list CVD) and an emission class (BT-160 cva)."""
    items = (item for name in _LINES for item in invoice.all(f"{name}/cac:Item"))
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


@vehicles.rule("BR-DE-CVD-05", "BT-161", at=EMISSION, kind=Kind.CODE_LIST, path="cbc:Value")
def emission_class_is_known(emission: Node, _: View) -> Values | None:
    """An emission class (BT-161) is clean, zero-emission or other."""
    value = normalized(emission.text_of("cbc:Value"))
    return None if value in VEHICLE_EMISSIONS else {"code": value}
