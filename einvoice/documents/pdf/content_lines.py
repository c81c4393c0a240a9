"""The table of invoice lines."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from einvoice.documents.pdf.figures import Figures
from einvoice.documents.pdf.words import Words
from einvoice.domain.invoice import AllowanceCharge, Invoice, Item, Line, Price, TaxCategory

Content = dict[str, Any]

_MAX_FIGURE_CHARACTERS: Final = (
    36  # of quantity, price and amount, beyond which the description gets too narrow
)


def line_table(invoice: Invoice, words: Words, figures: Figures) -> Content:
    """Header and rows. `…_fill` pads the decimals of a figure so that the points align."""
    quantities = [figures.number(line.quantity) for line in invoice.lines]
    prices = [figures.price(line.price.net) for line in invoice.lines]
    quantity_fill, price_fill = _fills(quantities, figures), _fills(prices, figures)
    amounts = [figures.amount(line.extension) for line in invoice.lines]
    return {
        "wide": _wide(quantities, prices, amounts),
        "head": {
            "number": words("line.number"),
            "item": words("line.item"),
            "quantity": words("line.quantity"),
            "price": words("line.price"),
            "vat": words("line.vat"),
            "amount": words("line.amount", currency=invoice.currency),
        },
        "rows": [
            {
                "number": _in_pieces(line.id),
                "name": line.item.name,
                "details": list(_details(line, words, figures)),
                "quantity": quantities[at],
                "quantity_fill": quantity_fill[at],
                "unit": words.unit(line.unit),
                "price": prices[at],
                "price_fill": price_fill[at],
                "per": _per(line, words, figures),
                "vat": rate(line.item.category, figures),
                "amount": amounts[at],
            }
            for at, line in enumerate(invoice.lines)
        ],
    }


def _wide(*columns: list[str]) -> bool:
    """Whether the figures are so long that the table needs a smaller font."""
    return sum(max(map(len, column), default=0) for column in columns) > _MAX_FIGURE_CHARACTERS


def _in_pieces(number: str) -> str:
    """A line number with break opportunities, for its narrow column."""
    return "\N{ZERO WIDTH SPACE}".join(number[at : at + 7] for at in range(0, len(number), 7))


def _fills(texts: list[str], figures: Figures) -> list[str]:
    """For each figure the digits (and the point) that it has fewer than the longest one."""
    tails = [len(text.partition(figures.point)[2]) for text in texts]
    longest = max(tails, default=0)
    return [
        ("" if tail or not longest else figures.point) + "0" * (longest - tail) for tail in tails
    ]


def _per(line: Line, words: Words, figures: Figures) -> str:
    """The base quantity of the price, unless it is 1."""
    base = line.price.base_quantity
    if base is None or base == Decimal(1):
        return ""
    return f"/ {figures.number(base)} {words.unit(line.price.base_unit or line.unit)}"


def rate(category: TaxCategory, figures: Figures) -> str:
    """The rate; without one the category code, which the VAT breakdown explains."""
    return category.code if category.rate is None else figures.percent(category.rate)


def _details(line: Line, words: Words, figures: Figures) -> Iterator[str]:
    """The small print below the item name."""
    if line.item.description and line.item.description != line.item.name:
        yield line.item.description
    if line.note:
        yield line.note
    yield from _item_details(line.item, words, figures)
    if line.period:
        ends = (line.period.start, line.period.end)
        yield " – ".join(figures.short_day(day) for day in ends if day)
    references = (
        ("line.order_line", line.order_line),
        ("line.object", line.object_id and line.object_id.value),
        ("line.accounting_cost", line.accounting_cost),
    )
    found = [f"{words(key)} {text}" for key, text in references if text]
    if found:
        yield " · ".join(found)
    yield from _price_details(line.price, words, figures)
    yield from (adjusted(entry, words, figures) for entry in line.adjustments)


def _item_details(item: Item, words: Words, figures: Figures) -> Iterator[str]:
    facts = (
        ("line.item_number", item.seller_id),
        ("line.your_item_number", item.buyer_id),
        ("line.origin", item.origin_country and figures.country(item.origin_country)),
    )
    numbers = [f"{words(key)} {text}" for key, text in facts if text]
    if item.standard_id:
        scheme = "GTIN" if item.standard_id.scheme == "0160" else ""
        numbers.append(f"{scheme} {item.standard_id.value}".strip())
    numbers += [f"{code.scheme or ''} {code.value}".strip() for code in item.classifications]
    if numbers:
        yield " · ".join(numbers)
    if item.attributes:
        yield " · ".join(f"{entry.name}: {entry.value}" for entry in item.attributes)


def _price_details(price: Price, words: Words, figures: Figures) -> Iterator[str]:
    if price.gross is not None and price.discount:
        yield words(
            "line.list_price",
            price=figures.price(price.gross),
            discount=figures.price(price.discount),
        )


def adjusted(entry: AllowanceCharge, words: Words, figures: Figures) -> str:
    """An allowance or charge as text: reason, computation and amount."""
    sign = "+" if entry.charge else "−"
    return f"{adjustment_name(entry, words, figures)}: {sign}{figures.amount(entry.amount)}"


def adjustment_name(entry: AllowanceCharge, words: Words, figures: Figures) -> str:
    name = entry.reason or words("line.charge" if entry.charge else "line.allowance")
    if entry.percentage is None or entry.base_amount is None:
        return name
    part = words(
        "line.part_of",
        percent=figures.percent(entry.percentage),
        base=figures.amount(entry.base_amount),
    )
    return f"{name} ({part})"
