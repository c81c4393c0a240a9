"""The UBL lines of an invoice or a credit note (BG-25 to BG-32)."""

from __future__ import annotations

from collections.abc import Iterable

from einvoice.binding.builder import Builder, GroupT, given
from einvoice.binding.ubl.references import invoiced_object, period
from einvoice.binding.ubl.tax import adjustment, category
from einvoice.domain.invoice import Item, Line, Price
from einvoice.domain.money import EXACT


def lines(build: Builder[GroupT], root: GroupT, entries: Iterable[Line], credit_note: bool) -> None:
    name = "cac:CreditNoteLine" if credit_note else "cac:InvoiceLine"
    quantity = "cbc:CreditedQuantity" if credit_note else "cbc:InvoicedQuantity"
    for entry in entries:
        _line(build, build.group(root, name), entry, quantity)


def _line(build: Builder[GroupT], group: GroupT, entry: Line, quantity: str) -> None:
    build.text(group, "cbc:ID", entry.id)
    build.text(group, "cbc:Note", entry.note)
    build.quantity(group, quantity, entry.quantity, entry.unit)
    build.amount(group, "cbc:LineExtensionAmount", entry.extension)
    build.text(group, "cbc:AccountingCost", entry.accounting_cost)
    period(build, group, entry.period)
    if entry.order_line is not None:
        build.text(build.group(group, "cac:OrderLineReference"), "cbc:LineID", entry.order_line)
    if entry.object_id is not None:
        invoiced_object(build, group, "cac:DocumentReference", entry.object_id)
    for allowance in entry.adjustments:
        adjustment(build, group, allowance)
    _item(build, build.group(group, "cac:Item"), entry.item)
    _price(build, build.group(group, "cac:Price"), entry.price)


def _item(build: Builder[GroupT], group: GroupT, item: Item) -> None:
    build.text(group, "cbc:Description", item.description)
    build.text(group, "cbc:Name", item.name)
    build.reference(group, "cac:BuyersItemIdentification", item.buyer_id)
    build.reference(group, "cac:SellersItemIdentification", item.seller_id)
    if item.standard_id is not None:
        standard = build.group(group, "cac:StandardItemIdentification")
        build.identified(standard, "cbc:ID", item.standard_id)
    if item.origin_country is not None:
        origin = build.group(group, "cac:OriginCountry")
        build.text(origin, "cbc:IdentificationCode", item.origin_country)
    for code in item.classifications:
        classified = build.group(group, "cac:CommodityClassification")
        attributes = given(listID=code.scheme, listVersionID=code.version)
        build.text(classified, "cbc:ItemClassificationCode", code.value, attributes)
    category(build, build.group(group, "cac:ClassifiedTaxCategory"), item.category)
    for attribute in item.attributes:
        pair = build.group(group, "cac:AdditionalItemProperty")
        build.text(pair, "cbc:Name", attribute.name)
        build.text(pair, "cbc:Value", attribute.value)


def _price(build: Builder[GroupT], group: GroupT, price: Price) -> None:
    build.amount(group, "cbc:PriceAmount", price.net)
    build.quantity(group, "cbc:BaseQuantity", price.base_quantity, price.base_unit)
    _discount(build, group, price)


def _discount(build: Builder[GroupT], group: GroupT, price: Price) -> None:
    """BT-147 with BT-148; UBL cannot state the gross price without the discount on it."""
    discount = price.discount
    if discount is None:
        if price.gross is None:
            return
        discount = EXACT.subtract(price.gross, price.net)
    allowance = build.group(group, "cac:AllowanceCharge")
    build.text(allowance, "cbc:ChargeIndicator", "false")
    build.amount(allowance, "cbc:Amount", discount)
    build.amount(allowance, "cbc:BaseAmount", price.gross)
