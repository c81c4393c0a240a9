"""The lines of an invoice or a credit note (BG-25 to BG-32)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.tree import Node
from einvoice.documents.ubl.read_references import line_object
from einvoice.documents.ubl.read_tax import read_adjustments, read_category
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import (
    Attribute,
    DocumentKind,
    Identifier,
    Item,
    Line,
    Period,
    Price,
)

_ELEMENTS: Final = {
    DocumentKind.INVOICE: (cac.InvoiceLine, cbc.InvoicedQuantity),
    DocumentKind.CREDIT_NOTE: (cac.CreditNoteLine, cbc.CreditedQuantity),
}


def read_lines(invoice: Node, kind: DocumentKind) -> tuple[Line, ...]:
    element, quantity = _ELEMENTS[kind]
    return tuple(_line(node, quantity) for node in invoice.all(element))


def read_period(node: Node | None) -> Period | None:
    """BG-14, BG-26."""
    if node is None:
        return None
    period = Period(node.day(cbc.StartDate), node.day(cbc.EndDate))
    return period if period != Period() else None


def _line(node: Node, quantity: str) -> Line:
    return Line(
        id=node.need_text(cbc.ID),
        quantity=node.need_number(quantity),
        unit=node.need_attribute(quantity, "unitCode"),
        extension=node.need_number(cbc.LineExtensionAmount),
        item=_item(node.need(cac.Item)),
        price=_price(node.need(cac.Price)),
        note=node.text(cbc.Note),
        object_id=line_object(node),
        order_line=node.text_at(cac.OrderLineReference, cbc.LineID),
        accounting_cost=node.text(cbc.AccountingCost),
        period=read_period(node.one(cac.InvoicePeriod)),
        adjustments=read_adjustments(node),
    )


def _item(node: Node) -> Item:
    standard = node.one(cac.StandardItemIdentification)
    return Item(
        name=node.need_text(cbc.Name),
        category=read_category(node.need(cac.ClassifiedTaxCategory)),
        description=node.text(cbc.Description),
        seller_id=node.text_at(cac.SellersItemIdentification, cbc.ID),
        buyer_id=node.text_at(cac.BuyersItemIdentification, cbc.ID),
        standard_id=standard.identifier(cbc.ID) if standard else None,
        classifications=tuple(
            code
            for entry in node.all(cac.CommodityClassification)
            if (code := _classification(entry))
        ),
        origin_country=node.text_at(cac.OriginCountry, cbc.IdentificationCode),
        attributes=tuple(
            Attribute(entry.need_text(cbc.Name), entry.need_text(cbc.Value))
            for entry in node.all(cac.AdditionalItemProperty)
        ),
    )


def _classification(node: Node) -> Identifier | None:
    code = cbc.ItemClassificationCode
    value = node.text(code)
    if value is None:
        return None
    return Identifier(value, node.attribute(code, "listID"), node.attribute(code, "listVersionID"))


def _price(node: Node) -> Price:
    discount = node.one(cac.AllowanceCharge)
    return Price(
        net=node.need_number(cbc.PriceAmount),
        discount=discount.number(cbc.Amount) if discount else None,
        gross=discount.number(cbc.BaseAmount) if discount else None,
        base_quantity=node.number(cbc.BaseQuantity),
        base_unit=node.attribute(cbc.BaseQuantity, "unitCode"),
    )
