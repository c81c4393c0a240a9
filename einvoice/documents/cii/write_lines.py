"""The lines of an invoice (BG-25 to BG-32)."""

from __future__ import annotations

from einvoice.documents.cii.tags import ram, udt
from einvoice.documents.cii.write_agreement import typed_object
from einvoice.documents.cii.write_settlement import adjustment
from einvoice.documents.cii.writing import Element, group, identified, number, period, text
from einvoice.domain.invoice import Identifier, Item, Line, Price
from einvoice.domain.money import EXACT


def line(it: Line) -> Element | None:
    return group(
        ram.IncludedSupplyChainTradeLineItem,
        group(
            ram.AssociatedDocumentLineDocument,
            text(ram.LineID, it.id),
            group(ram.IncludedNote, text(ram.Content, it.note)),
        ),
        _product(it.item),
        group(
            ram.SpecifiedLineTradeAgreement,
            group(ram.BuyerOrderReferencedDocument, text(ram.LineID, it.order_line)),
            _gross_price(it.price),
            group(
                ram.NetPriceProductTradePrice,
                number(ram.ChargeAmount, it.price.net),
                number(ram.BasisQuantity, it.price.base_quantity, unitCode=it.price.base_unit),
            ),
        ),
        group(
            ram.SpecifiedLineTradeDelivery,
            number(ram.BilledQuantity, it.quantity, unitCode=it.unit),
        ),
        group(
            ram.SpecifiedLineTradeSettlement,
            group(
                ram.ApplicableTradeTax,
                text(ram.TypeCode, "VAT"),
                text(ram.CategoryCode, it.item.category.code),
                number(ram.RateApplicablePercent, it.item.category.rate),
            ),
            period(it.period),
            *[adjustment(entry) for entry in it.adjustments],
            group(
                ram.SpecifiedTradeSettlementLineMonetarySummation,
                number(ram.LineTotalAmount, it.extension),
            ),
            typed_object(it.object_id),
            group(ram.ReceivableSpecifiedTradeAccountingAccount, text(ram.ID, it.accounting_cost)),
        ),
    )


def _product(it: Item) -> Element | None:
    return group(
        ram.SpecifiedTradeProduct,
        identified(ram.GlobalID, it.standard_id),
        text(ram.SellerAssignedID, it.seller_id),
        text(ram.BuyerAssignedID, it.buyer_id),
        text(ram.Name, it.name),
        text(ram.Description, it.description),
        *[
            group(
                ram.ApplicableProductCharacteristic,
                text(ram.Description, entry.name),
                text(ram.Value, entry.value),
            )
            for entry in it.attributes
        ],
        *[_classification(code) for code in it.classifications],
        group(ram.OriginTradeCountry, text(ram.ID, it.origin_country)),
    )


def _classification(code: Identifier) -> Element | None:
    value = text(ram.ClassCode, code.value, listID=code.scheme, listVersionID=code.version)
    return group(ram.DesignatedProductClassification, value)


def _gross_price(it: Price) -> Element | None:
    """BT-148 with BT-147; the gross price is computed where only the discount is known."""
    gross, discount = it.gross, it.discount
    if gross is None and discount is None:
        return None
    if gross is None and discount is not None:
        gross = EXACT.add(it.net, discount)
    return group(
        ram.GrossPriceProductTradePrice,
        number(ram.ChargeAmount, gross),
        number(ram.BasisQuantity, it.base_quantity, unitCode=it.base_unit),
        group(
            ram.AppliedTradeAllowanceCharge,
            group(ram.ChargeIndicator, text(udt.Indicator, "false")),
            number(ram.ActualAmount, discount),
        )
        if discount is not None
        else None,
    )
