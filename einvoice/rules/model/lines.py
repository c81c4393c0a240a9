"""The lines of an invoice or a credit note (BG-25 to BG-32)."""

from __future__ import annotations

from einvoice.domain.invoice import Item, Line, Price
from einvoice.domain.money import EXACT
from einvoice.rules.model.fill import Fill
from einvoice.rules.model.references import invoiced_object, period
from einvoice.rules.model.tax import adjustment, category
from einvoice.rules.node import Node


def line(fill: Fill, root: Node, entry: Line, credit_note: bool) -> None:
    group = fill.group(root, "cac:CreditNoteLine" if credit_note else "cac:InvoiceLine")
    fill.text(group, "cbc:ID", entry.id)
    fill.text(group, "cbc:Note", entry.note)
    quantity = "cbc:CreditedQuantity" if credit_note else "cbc:InvoicedQuantity"
    fill.quantity(group, quantity, entry.quantity, entry.unit)
    fill.amount(group, "cbc:LineExtensionAmount", entry.extension)
    fill.text(group, "cbc:AccountingCost", entry.accounting_cost)
    period(fill, group, entry.period)
    if entry.order_line is not None:
        fill.text(fill.group(group, "cac:OrderLineReference"), "cbc:LineID", entry.order_line)
    if entry.object_id is not None:
        invoiced_object(fill, group, "cac:DocumentReference", entry.object_id)
    for allowance in entry.adjustments:
        adjustment(fill, group, allowance)
    _item(fill, fill.group(group, "cac:Item"), entry.item)
    _price(fill, fill.group(group, "cac:Price"), entry.price)


def _item(fill: Fill, group: Node, item: Item) -> None:
    fill.text(group, "cbc:Description", item.description)
    fill.text(group, "cbc:Name", item.name)
    fill.reference(group, "cac:BuyersItemIdentification", item.buyer_id)
    fill.reference(group, "cac:SellersItemIdentification", item.seller_id)
    if item.standard_id is not None:
        standard = fill.group(group, "cac:StandardItemIdentification")
        fill.identified(standard, "cbc:ID", item.standard_id)
    if item.origin_country is not None:
        origin = fill.group(group, "cac:OriginCountry")
        fill.text(origin, "cbc:IdentificationCode", item.origin_country)
    for code in item.classifications:
        named = {"listID": code.scheme, "listVersionID": code.version}
        given = {name: value for name, value in named.items() if value}
        classified = fill.group(group, "cac:CommodityClassification")
        fill.text(classified, "cbc:ItemClassificationCode", code.value, given)
    category(fill, group, "cac:ClassifiedTaxCategory", item.category)
    for attribute in item.attributes:
        pair = fill.group(group, "cac:AdditionalItemProperty")
        fill.text(pair, "cbc:Name", attribute.name)
        fill.text(pair, "cbc:Value", attribute.value)


def _price(fill: Fill, group: Node, price: Price) -> None:
    fill.amount(group, "cbc:PriceAmount", price.net)
    fill.quantity(group, "cbc:BaseQuantity", price.base_quantity, price.base_unit)
    discount = price.discount
    if discount is None:  # the gross price needs the discount on it
        if price.gross is None:
            return
        discount = EXACT.subtract(price.gross, price.net)
    allowance = fill.group(group, "cac:AllowanceCharge")
    fill.text(allowance, "cbc:ChargeIndicator", "false")
    fill.amount(allowance, "cbc:Amount", discount)
    fill.amount(allowance, "cbc:BaseAmount", price.gross)
