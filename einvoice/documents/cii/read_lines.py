"""Reading the lines of a CII invoice (BG-25 to BG-32)."""

from __future__ import annotations

from einvoice.documents.cii.read_settlement import read_adjustments, read_category
from einvoice.documents.cii.read_values import read_period, typed_reference
from einvoice.documents.cii.tags import ram
from einvoice.documents.tree import Node
from einvoice.domain.invoice import Attribute, Identifier, Item, Line, Price


def read_lines(transaction: Node) -> tuple[Line, ...]:
    return tuple(_line(node) for node in transaction.all(ram.IncludedSupplyChainTradeLineItem))


def _line(node: Node) -> Line:
    document = node.need(ram.AssociatedDocumentLineDocument)
    agreement = node.need(ram.SpecifiedLineTradeAgreement)
    delivery = node.need(ram.SpecifiedLineTradeDelivery)
    settlement = node.need(ram.SpecifiedLineTradeSettlement)
    invoiced = settlement.one(ram.AdditionalReferencedDocument)
    summation = settlement.need(ram.SpecifiedTradeSettlementLineMonetarySummation)
    return Line(
        id=document.need_text(ram.LineID),
        quantity=delivery.need_number(ram.BilledQuantity),
        unit=delivery.need_attribute(ram.BilledQuantity, "unitCode"),
        extension=summation.need_number(ram.LineTotalAmount),
        item=_item(node.need(ram.SpecifiedTradeProduct), settlement),
        price=_price(agreement),
        note=document.text_at(ram.IncludedNote, ram.Content),
        object_id=typed_reference(invoiced) if invoiced else None,
        order_line=agreement.text_at(ram.BuyerOrderReferencedDocument, ram.LineID),
        accounting_cost=settlement.text_at(ram.ReceivableSpecifiedTradeAccountingAccount, ram.ID),
        period=read_period(settlement.one(ram.BillingSpecifiedPeriod)),
        adjustments=read_adjustments(settlement),
    )


def _item(node: Node, settlement: Node) -> Item:
    return Item(
        name=node.need_text(ram.Name),
        category=read_category(settlement.need(ram.ApplicableTradeTax)),
        description=node.text(ram.Description),
        seller_id=node.text(ram.SellerAssignedID),
        buyer_id=node.text(ram.BuyerAssignedID),
        standard_id=node.identifier(ram.GlobalID),
        classifications=tuple(
            code
            for entry in node.all(ram.DesignatedProductClassification)
            if (code := _classification(entry))
        ),
        origin_country=node.text_at(ram.OriginTradeCountry, ram.ID),
        attributes=tuple(
            Attribute(entry.need_text(ram.Description), entry.need_text(ram.Value))
            for entry in node.all(ram.ApplicableProductCharacteristic)
        ),
    )


def _classification(node: Node) -> Identifier | None:
    code = ram.ClassCode
    value = node.text(code)
    if value is None:
        return None
    return Identifier(value, node.attribute(code, "listID"), node.attribute(code, "listVersionID"))


def _price(agreement: Node) -> Price:
    """The base quantity of the net price, else of the gross price."""
    net = agreement.need(ram.NetPriceProductTradePrice)
    gross = agreement.one(ram.GrossPriceProductTradePrice)
    discount = gross.one(ram.AppliedTradeAllowanceCharge) if gross else None
    based = net if net.has(ram.BasisQuantity) or gross is None else gross
    return Price(
        net=net.need_number(ram.ChargeAmount),
        discount=discount.number(ram.ActualAmount) if discount else None,
        gross=gross.number(ram.ChargeAmount) if gross else None,
        base_quantity=based.number(ram.BasisQuantity),
        base_unit=based.attribute(ram.BasisQuantity, "unitCode"),
    )
