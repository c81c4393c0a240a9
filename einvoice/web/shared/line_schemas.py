"""One line of a send, with its allowances and charges (decisions 18)."""

from __future__ import annotations

from einvoice.domain.codes import VAT_CATEGORIES
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Code, Number, Text
from einvoice.web.shared.party_schemas import (
    ObjectReference,
    Period,
    TaxExemption,
    country,
    reference,
)

MAX_ADJUSTMENTS = 100
_UNIT = (r"[A-Z0-9]{1,3}", "a unit code of UN/ECE Recommendation 20 or 21")
_SCHEME = (r"[0-9]{4}", "a 4-digit scheme code of ISO 6523")
_LIST = (r"[A-Z0-9]{1,3}", "a list code of UNTDID 7143")
_REASON_CODE = (r"[A-Za-z0-9]{1,10}", "a reason code")


class LineAdjustment(Contract):
    amount = Number("Amount without VAT, in the invoice's currency.", required=True, example=5.00)
    percent = Number(
        "The percentage that amount is of baseAmount, in percent; written as sent.",
        minimum=0,
        example=5.0,
    )
    baseAmount = Number("What percent is a percentage of; written as sent.", example=100.00)
    reason = Text("The reason as text.", max_length=512, example="Discount")
    reasonCode = Text(
        "UNTDID 5189 (allowance) or 7161 (charge).", max_length=10, form=_REASON_CODE, example="95"
    )


class Adjustment(LineAdjustment):
    taxRate = Number(
        "VAT rate in percent; absent: that of the lines, if they all have the same.",
        minimum=0,
        maximum=100,
        example=21.0,
    )
    taxCategory = Code(
        "VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %.",
        VAT_CATEGORIES,
        name="a VAT category",
        example="S",
    )


class StandardItem(Contract):
    scheme = Text("ISO 6523 scheme.", max_length=4, form=_SCHEME, required=True, example="0160")
    id = Text(
        "The identifier, such as a GTIN.", max_length=100, required=True, example="9506000134352"
    )


class Classification(Contract):
    scheme = Text("UNTDID 7143 list.", max_length=3, form=_LIST, required=True, example="STI")
    value = Text("The code in that list.", max_length=100, required=True, example="43211503")
    version = Text("The version of that list.", max_length=50, example="26.0801")


class Attribute(Contract):
    name = Text("Its name.", max_length=200, required=True, example="Colour")
    value = Text("Its value.", max_length=1024, required=True, example="Black")


class LineItem(Contract):
    description = Text(
        "The item. Without a name, its first 100 characters become the item's name.",
        max_length=4096,
        required=True,
        example="Consulting, November",
    )
    quantity = Number("Number of units; may be negative.", required=True, example=2)
    unitPrice = Number(
        "Price of one unit (or of priceBaseQuantity units) without VAT.",
        required=True,
        example=50.00,
    )
    taxRate = Number(
        "VAT rate in percent: 21.0 is 21 %.", required=True, minimum=0, maximum=100, example=21.0
    )
    name = Text("Item name.", max_length=512, example="Consulting")
    unitCode = Text(
        "UN/ECE Recommendation 20 or 21; default C62 (one).",
        max_length=3,
        form=_UNIT,
        codes_of="unece_rec20_21",
        example="HUR",
    )
    taxCategory = Code(
        "VAT category (UNTDID 5305); absent: S above 0 %, Z at 0 %.",
        VAT_CATEGORIES,
        name="a VAT category",
        example="S",
    )
    taxExemption = Part(TaxExemption, "Reason for the VAT exemption (categories E, AE, K, G, O).")
    sellerItemId = reference("The supplier's item number.", example="SKU-1")
    buyerItemId = reference("The buyer's item number.", example="B-77")
    standardItemId = Part(StandardItem, "Item number of a registered scheme, such as a GTIN.")
    classifications = Items(
        Part(Classification, "One code."), "Item classifications.", max_items=20
    )
    note = Text("Note on the line.", max_length=4096, example="Second delivery")
    period = Part(Period, "Period of the line.")
    orderLineReference = reference("Line of the order.", example="1")
    allowances = Items(
        Part(LineAdjustment, "One allowance."),
        "Allowances of the line.",
        max_items=MAX_ADJUSTMENTS,
    )
    charges = Items(
        Part(LineAdjustment, "One charge."), "Charges of the line.", max_items=MAX_ADJUSTMENTS
    )
    priceBaseQuantity = Number(
        "Number of units to which unitPrice applies; default 1.", exclusive_minimum=0, example=1
    )
    priceBaseUnitCode = Text(
        "Unit of priceBaseQuantity; default unitCode.",
        max_length=3,
        form=_UNIT,
        codes_of="unece_rec20_21",
        example="HUR",
    )
    grossPrice = Number(
        "Price before priceDiscount, of as many units as unitPrice.", minimum=0, example=60.00
    )
    priceDiscount = Number(
        "What unitPrice is less than grossPrice; default: the difference.", example=10.00
    )
    lineId = Text(
        "Identifier of the line; default its number, from 1 on. All or none of the lines have one.",
        max_length=50,
        example="10",
    )
    objectReference = Part(
        ObjectReference, "The object that the line is about, such as a meter or a subscription."
    )
    attributes = Items(
        Part(Attribute, "One attribute."), "Attributes of the item.", max_items=MAX_ADJUSTMENTS
    )
    originCountry = country("Country of origin, ISO 3166-1 alpha-2.")
    accountingCost = reference(
        "The buyer's cost centre or account for the line.", example="4000-12"
    )
    itemType = Code(
        "Of PINT: goods (G), service (S) or, in the Emirates, both (B).",
        ("G", "S", "B"),
        name="G, S or B",
        example="G",
    )
    serviceCode = Text(
        "Of PINT: the code of the service, in the Emirates of the list SAC, in Oman of its list of "
        "services (00000000 for goods).",
        max_length=50,
        example="998313",
    )
    supplyNature = Text(
        "Of PINT: in the Emirates the nature of a supply under reverse charge, such as "
        "DL8.48.8.1; in Oman the nature of the goods.",
        max_length=50,
        example="DL8.48.8.1",
    )
    economicActivity = Text(
        "Of PINT OM: the economic activity (ISIC), six digits.", max_length=20, example="620100"
    )
    lotNumber = Text("Of PINT AE: the number of the lot.", max_length=100, example="LOT-7")
    orderReference = reference(
        "Of PINT: the number of the order of orderLineReference.", example="PO-4711"
    )
