"""Invoice lines (decisions 17.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from einvoice.domain.bounds import MAX_LISTED
from einvoice.domain.derive.amounts import adjustment
from einvoice.domain.derive.further import line_terms
from einvoice.domain.derive.text import filled, identifier, period
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import (
    AllowanceCharge,
    Attribute,
    Identifier,
    Item,
    Line,
    Price,
    TaxCategory,
)
from einvoice.domain.request import LineRequest, SendWarning
from einvoice.domain.vat import Vat

_NAME_LENGTH = 100
_ONE = Decimal(1)
_PRICED = frozenset({"priceBaseQuantity", "priceBaseUnitCode", "grossPrice", "priceDiscount"})


def invoice_lines(
    requests: Sequence[LineRequest],
    amounts: Sequence[Decimal],
    vats: Sequence[Vat],
    vat: Mapping[Vat, TaxCategory],
    warnings: list[SendWarning],
) -> tuple[Line, ...]:
    _note_negative_prices(requests, warnings)
    _note_names_of_lines(requests, warnings)
    ids = _line_ids(requests)
    return tuple(
        [
            _line(line_id, request, amount, vat[key])
            for line_id, request, amount, key in zip(ids, requests, amounts, vats, strict=True)
        ]
    )


def _line_ids(requests: Sequence[LineRequest]) -> list[str]:
    """BT-126 of each line: as sent, else its number. Raises InvalidField where two are the same."""
    ids = [request.get("lineId") or str(number) for number, request in enumerate(requests, 1)]
    if len(set(ids)) == len(ids):
        return ids
    first: dict[str, int] = {}
    errors = [
        FieldError(
            f"/invoice/lineItems/{at}/lineId",
            "repeated",
            f"{line_id!r} is the identifier of line {first[line_id] + 1} too: give each its own",
        )
        for at, line_id in enumerate(ids)
        if first.setdefault(line_id, at) != at
    ]
    raise InvalidField(errors[:MAX_LISTED])


def _note_negative_prices(requests: Sequence[LineRequest], warnings: list[SendWarning]) -> None:
    negative = [i for i, request in enumerate(requests) if request["unitPrice"] < 0]
    if negative:
        field = f"invoice.lineItems[{negative[0]}].unitPrice"
        values = {"count": str(len(negative))}
        warnings.append(SendWarning("negative-price-moved", field=field, values=values))


def _note_names_of_lines(requests: Sequence[LineRequest], warnings: list[SendWarning]) -> None:
    """Warn of names with line breaks or tabs, which are written in one line."""
    broken = [
        place
        for place, request in enumerate(requests)
        if "name" in request and _one_line(request["name"]) != request["name"]
    ]
    if broken:
        field, values = f"invoice.lineItems[{broken[0]}].name", {"count": str(len(broken))}
        warnings.append(SendWarning("item-name-in-one-line", field=field, values=values))


def _one_line(text: str) -> str:
    """The text with a space for each line break or tab."""
    if text.isprintable():
        return text
    parts = [part.strip() for part in text.replace("\t", "\n").splitlines()]
    return " ".join([part for part in parts if part])


def _line(line_id: str, request: LineRequest, amount: Decimal, category: TaxCategory) -> Line:
    """BT-146 may not be negative (BR-27): the sign of a negative price moves to the quantity."""
    quantity, price = request["quantity"], request["unitPrice"]
    if price < 0:
        quantity, price = -quantity, -price
    unit = request.get("unitCode") or "C62"
    return Line(
        id=line_id,
        quantity=quantity,
        unit=unit,
        extension=amount,
        item=_item(request, category),
        price=_price(request, price, unit),
        note=filled(request.get("note")),
        object_id=identifier(request["objectReference"]) if "objectReference" in request else None,
        order_line=filled(request.get("orderLineReference")),
        accounting_cost=filled(request.get("accountingCost")),
        period=period(request.get("period")),
        adjustments=_adjustments(request),
        further=line_terms(request),
    )


def _price(request: LineRequest, net: Decimal, unit: str) -> Price:
    """BG-29. A base unit alone means a base quantity of 1: documents have it with one only."""
    if _PRICED.isdisjoint(request):
        return Price(net)
    base, base_unit = request.get("priceBaseQuantity"), request.get("priceBaseUnitCode") or None
    if base is not None or base_unit is not None:
        base, base_unit = base or _ONE, base_unit or unit
    gross, discount = request.get("grossPrice"), request.get("priceDiscount")
    return Price(net, discount, gross, base, base_unit)


def _item(request: LineRequest, category: TaxCategory) -> Item:
    """The name as sent, else the first 100 characters of the description, in one line."""
    description: str | None = request["description"]
    name = _one_line(request.get("name", ""))
    if not name:
        name, description = _named(request["description"])
    standard = request.get("standardItemId")
    return Item(
        name=name,
        category=category,
        description=description,
        seller_id=filled(request.get("sellerItemId")),
        buyer_id=filled(request.get("buyerItemId")),
        standard_id=Identifier(standard["id"], standard["scheme"]) if standard else None,
        classifications=tuple(
            [
                Identifier(c["value"], c["scheme"], filled(c.get("version")))
                for c in request.get("classifications", ())
            ]
        ),
        origin_country=filled(request.get("originCountry")),
        attributes=_attributes(request) if "attributes" in request else (),
    )


def _attributes(request: LineRequest) -> tuple[Attribute, ...]:
    return tuple([Attribute(each["name"], each["value"]) for each in request["attributes"]])


def _named(description: str) -> tuple[str, str | None]:
    """Name and description; a description that fits the name is not repeated."""
    name = _one_line(description)
    if len(name) > _NAME_LENGTH:
        return name[:_NAME_LENGTH].rstrip(), description
    return name, None if name == description else description


def _adjustments(request: LineRequest) -> tuple[AllowanceCharge, ...]:
    if "allowances" not in request and "charges" not in request:
        return ()
    return (
        *[adjustment(allowance, charge=False) for allowance in request.get("allowances", ())],
        *[adjustment(charge, charge=True) for charge in request.get("charges", ())],
    )
