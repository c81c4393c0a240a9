"""BR-DE-CVD in CII: purchases of vehicles under the Clean Vehicles Directive.

They hold in documents with the specification identifier (BT-24) of CVD.
"""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.cii_paths import AGREEMENT, GUIDELINE, INVOICE, LINE, TRADE
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.clean_vehicles import VehiclePaths, add_vehicle_rules
from einvoice.rules.xrechnung.scenarios import CVD
from einvoice.rules.xrechnung.specification import specified

vehicles = Chapter(Layer.XRECHNUNG_CII)

_PRODUCT = "ram:SpecifiedTradeProduct"
_DOCUMENTS = "ram:AdditionalReferencedDocument"
_TENDER = "50"  # the type code of a reference to a tender or lot

_pattern = Pattern(specified(GUIDELINE, CVD))
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


add_vehicle_rules(
    vehicles,
    _pattern,
    VehiclePaths(
        items=(f"ram:IncludedSupplyChainTradeLineItem/{_PRODUCT}",),
        code="ram:DesignatedProductClassification/ram:ClassCode",
        attribute="ram:ApplicableProductCharacteristic",
        name="ram:Description",
        value="ram:Value",
    ),
    document=_pattern.context(f"{INVOICE}/{TRADE}"),
    items=(f"{INVOICE}/{LINE}/{_PRODUCT}",),
)
