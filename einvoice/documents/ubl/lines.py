"""The lines of an invoice or a credit note (BG-25 to BG-32)."""

from __future__ import annotations

from einvoice.documents.ubl.names import Aggregate, Basic, cac, cbc
from einvoice.documents.ubl.tax import adjustment, category
from einvoice.documents.ubl.values import (
    INVOICED_OBJECT,
    amount,
    identified,
    period,
    reference,
)
from einvoice.domain.invoice import DocumentKind, Identifier, Invoice, Item, Line, Price
from einvoice.domain.money import EXACT, plain

_ELEMENTS: dict[DocumentKind, tuple[Aggregate, Basic]] = {
    DocumentKind.INVOICE: (cac.InvoiceLine, cbc.InvoicedQuantity),
    DocumentKind.CREDIT_NOTE: (cac.CreditNoteLine, cbc.CreditedQuantity),
}


def lines(invoice: Invoice) -> str:
    element, quantity = _ELEMENTS[invoice.kind]
    return "".join([_line(element, quantity, line, invoice.currency) for line in invoice.lines])


def _line(element: Aggregate, quantity: Basic, line: Line, currency: str) -> str:
    return element(
        cbc.ID(line.id),
        cbc.Note(line.note),
        quantity(plain(line.quantity), unitCode=line.unit),
        amount(cbc.LineExtensionAmount, line.extension, currency),
        cbc.AccountingCost(line.accounting_cost),
        period(line.period) if line.period else "",
        cac.OrderLineReference(cbc.LineID(line.order_line)),
        _object(line.object_id) if line.object_id else "",
        "".join([adjustment(entry, currency) for entry in line.adjustments]),
        _item(line.item),
        _price(line.price, currency),
    )


def _object(identifier: Identifier) -> str:
    return cac.DocumentReference(identified(cbc.ID, identifier), INVOICED_OBJECT)


def _item(item: Item) -> str:
    return cac.Item(
        cbc.Description(item.description),
        cbc.Name(item.name),
        reference(cac.BuyersItemIdentification, item.buyer_id),
        reference(cac.SellersItemIdentification, item.seller_id),
        cac.StandardItemIdentification(identified(cbc.ID, item.standard_id)),
        cac.OriginCountry(cbc.IdentificationCode(item.origin_country)),
        "".join([_classification(code) for code in item.classifications]),
        category(cac.ClassifiedTaxCategory, item.category),
        "".join(
            [
                cac.AdditionalItemProperty(cbc.Name(entry.name), cbc.Value(entry.value))
                for entry in item.attributes
            ]
        ),
    )


def _classification(code: Identifier) -> str:
    return cac.CommodityClassification(
        cbc.ItemClassificationCode(code.value, listID=code.scheme, listVersionID=code.version)
    )


def _price(price: Price, currency: str) -> str:
    base = price.base_quantity
    return cac.Price(
        amount(cbc.PriceAmount, price.net, currency),
        "" if base is None else cbc.BaseQuantity(plain(base), unitCode=price.base_unit),
        _discount(price, currency),
    )


def _discount(price: Price, currency: str) -> str:
    """BT-147 with BT-148; UBL cannot state the gross price without the discount on it."""
    discount = price.discount
    if discount is None:
        if price.gross is None:
            return ""
        discount = EXACT.subtract(price.gross, price.net)
    return cac.AllowanceCharge(
        cbc.ChargeIndicator("false"),
        amount(cbc.Amount, discount, currency),
        amount(cbc.BaseAmount, price.gross, currency),
    )
