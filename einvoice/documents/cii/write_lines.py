"""The lines of an invoice (BG-25 to BG-32)."""

from __future__ import annotations

from einvoice.documents.cii.tags import ram, udt
from einvoice.documents.cii.write_agreement import typed_object
from einvoice.documents.cii.write_settlement import adjustment
from einvoice.documents.cii.writing import Element, group, identified, number, period, text
from einvoice.domain.invoice import Identifier, Item, Line, Price
from einvoice.domain.money import EXACT


def line(entry: Line) -> Element | None:
    return group(
        ram.IncludedSupplyChainTradeLineItem,
        group(
            ram.AssociatedDocumentLineDocument,
            text(ram.LineID, entry.id),
            group(ram.IncludedNote, text(ram.Content, entry.note)),
        ),
        _product(entry.item),
        group(
            ram.SpecifiedLineTradeAgreement,
            group(ram.BuyerOrderReferencedDocument, text(ram.LineID, entry.order_line)),
            _gross_price(entry.price),
            group(
                ram.NetPriceProductTradePrice,
                number(ram.ChargeAmount, entry.price.net),
                number(
                    ram.BasisQuantity, entry.price.base_quantity, unitCode=entry.price.base_unit
                ),
            ),
        ),
        group(
            ram.SpecifiedLineTradeDelivery,
            number(ram.BilledQuantity, entry.quantity, unitCode=entry.unit),
        ),
        group(
            ram.SpecifiedLineTradeSettlement,
            group(
                ram.ApplicableTradeTax,
                text(ram.TypeCode, "VAT"),
                text(ram.CategoryCode, entry.item.category.code),
                number(ram.RateApplicablePercent, entry.item.category.rate),
            ),
            period(entry.period),
            *[adjustment(allowance) for allowance in entry.adjustments],
            group(
                ram.SpecifiedTradeSettlementLineMonetarySummation,
                number(ram.LineTotalAmount, entry.extension),
            ),
            typed_object(entry.object_id),
            group(
                ram.ReceivableSpecifiedTradeAccountingAccount, text(ram.ID, entry.accounting_cost)
            ),
        ),
    )


def _product(item: Item) -> Element | None:
    return group(
        ram.SpecifiedTradeProduct,
        identified(ram.GlobalID, item.standard_id),
        text(ram.SellerAssignedID, item.seller_id),
        text(ram.BuyerAssignedID, item.buyer_id),
        text(ram.Name, item.name),
        text(ram.Description, item.description),
        *[
            group(
                ram.ApplicableProductCharacteristic,
                text(ram.Description, entry.name),
                text(ram.Value, entry.value),
            )
            for entry in item.attributes
        ],
        *[_classification(code) for code in item.classifications],
        group(ram.OriginTradeCountry, text(ram.ID, item.origin_country)),
    )


def _classification(code: Identifier) -> Element | None:
    value = text(ram.ClassCode, code.value, listID=code.scheme, listVersionID=code.version)
    return group(ram.DesignatedProductClassification, value)


def _gross_price(price: Price) -> Element | None:
    """BT-148 with BT-147; the gross price is computed where only the discount is known."""
    gross, discount = price.gross, price.discount
    if gross is None and discount is None:
        return None
    if gross is None and discount is not None:
        gross = EXACT.add(price.net, discount)
    return group(
        ram.GrossPriceProductTradePrice,
        number(ram.ChargeAmount, gross),
        number(ram.BasisQuantity, price.base_quantity, unitCode=price.base_unit),
        group(
            ram.AppliedTradeAllowanceCharge,
            group(ram.ChargeIndicator, text(udt.Indicator, "false")),
            number(ram.ActualAmount, discount),
        )
        if discount is not None
        else None,
    )
