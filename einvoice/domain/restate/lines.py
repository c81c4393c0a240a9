"""Lines, with the reasons of the VAT breakdown, and the allowances and charges (BG-20 to BG-32)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from einvoice.domain.invoice import AllowanceCharge, Invoice, Item, Line, Price, TaxCategory
from einvoice.domain.money import ZERO
from einvoice.domain.restate.members import Members, identifier, period, stated

_Group = tuple[str, Decimal]


def line_items(invoice: Invoice) -> list[Members]:
    """Each reason of the breakdown stands at the lines of its category and rate."""
    reasons = _exemptions(invoice)
    numbered = [line.id for line in invoice.lines] == [
        str(number) for number in range(1, len(invoice.lines) + 1)
    ]
    return [
        _line(line, None if numbered else line.id, reasons.get(_group(line.item.category), {}))
        for line in invoice.lines
    ]


def general_exemption(invoice: Invoice) -> Members:
    """The reason of a category that only allowances or charges have."""
    of_lines = {_group(line.item.category) for line in invoice.lines}
    others = [each for group, each in _exemptions(invoice).items() if group not in of_lines]
    return others[0] if others else {}


def _exemptions(invoice: Invoice) -> Mapping[_Group, Members]:
    found = {
        _group(tax.category): stated(reasonCode=tax.exemption_code, reason=tax.exemption_reason)
        for tax in invoice.taxes
    }
    return {group: reason for group, reason in found.items() if reason}


def _group(category: TaxCategory) -> _Group:
    return category.code, category.rate or ZERO


def _line(line: Line, line_id: str | None, exemption: Members) -> Members:
    item, standard = line.item, line.item.standard_id
    return stated(
        lineId=line_id,
        **_named(item),
        quantity=line.quantity,
        unitCode=line.unit,
        **_price(line.price, line.unit),
        taxRate=item.category.rate or ZERO,
        taxCategory=item.category.code,
        taxExemption=exemption,
        sellerItemId=item.seller_id,
        buyerItemId=item.buyer_id,
        standardItemId=identifier(standard) if standard and standard.scheme else None,
        classifications=[
            stated(scheme=each.scheme, value=each.value, version=each.version)
            for each in item.classifications
            if each.scheme
        ],
        attributes=[stated(name=each.name, value=each.value) for each in item.attributes],
        originCountry=item.origin_country,
        note=line.note,
        period=period(line.period),
        orderLineReference=line.order_line,
        objectReference=identifier(line.object_id),
        accountingCost=line.accounting_cost,
        allowances=adjustments(line.adjustments, charge=False),
        charges=adjustments(line.adjustments, charge=True),
    )


def _named(item: Item) -> Members:
    """Name and description; a short name alone is the description; derive makes it again."""
    if item.description is None and len(item.name) <= _NAME_LENGTH:
        return {"description": item.name}
    return {"name": item.name, "description": item.description or item.name}


_NAME_LENGTH = 100


def _price(price: Price, unit: str) -> Members:
    base_unit = price.base_unit if price.base_unit != unit else None
    # UBL has a gross price as the base of a discount only, and so writes one of zero.
    silent = price.gross is not None and not price.discount
    return stated(
        unitPrice=price.net,
        grossPrice=price.gross,
        priceDiscount=None if silent else price.discount,
        priceBaseQuantity=price.base_quantity or None,
        priceBaseUnitCode=base_unit if price.base_quantity else None,
    )


def adjustments(entries: Iterable[AllowanceCharge], *, charge: bool) -> list[Members]:
    return [_adjustment(entry) for entry in entries if entry.charge is charge]


def _adjustment(entry: AllowanceCharge) -> Members:
    category = entry.category
    return stated(
        amount=entry.amount,
        percent=entry.percentage,
        baseAmount=entry.base_amount,
        reason=entry.reason,
        reasonCode=entry.reason_code,
        taxRate=(category.rate or ZERO) if category else None,
        taxCategory=category.code if category else None,
    )
