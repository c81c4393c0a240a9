"""BR-DE-CVD in UBL: purchases of vehicles under the Clean Vehicles Directive.

They hold in documents with the specification identifier (BT-24) of CVD.
"""

from __future__ import annotations

from einvoice.rules.book import Chapter, Pattern
from einvoice.rules.layers import Layer
from einvoice.rules.tables import not_blank
from einvoice.rules.xrechnung.clean_vehicles import VehiclePaths, add_vehicle_rules
from einvoice.rules.xrechnung.scenarios import CVD
from einvoice.rules.xrechnung.specification import specified

vehicles = Chapter(Layer.XRECHNUNG_UBL)

_pattern = Pattern(specified("cbc:CustomizationID", CVD))
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote")

not_blank(vehicles, DOCUMENT, [
    ("BR-DE-CVD-02", "BT-17", "cac:OriginatorDocumentReference/cbc:ID"),
    ("BR-DE-CVD-01", "BT-12", "cac:ContractDocumentReference/cbc:ID"),
])  # fmt: skip
add_vehicle_rules(
    vehicles,
    _pattern,
    VehiclePaths(
        items=("cac:InvoiceLine/cac:Item", "cac:CreditNoteLine/cac:Item"),
        code="cac:CommodityClassification/cbc:ItemClassificationCode",
        attribute="cac:AdditionalItemProperty",
        name="cbc:Name",
        value="cbc:Value",
    ),
    document=DOCUMENT,
    items=("/ubl:Invoice/cac:InvoiceLine/cac:Item", "/cn:CreditNote/cac:CreditNoteLine/cac:Item"),
)
