"""The lines and the VAT breakdown of FA(3) as those of EN 16931.

The lines of EN 16931 add up to the taxable amounts. Where those of FA(3) do not (a final invoice
after advances, an advance, a correction without lines), a line with the difference is added for
each sum. Gross lines become net ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Self

from einvoice.documents.tree import Node
from einvoice.domain.invoice import (
    AllowanceCharge,
    Attribute,
    Identifier,
    Item,
    Line,
    Period,
    Price,
    TaxCategory,
    TaxSubtotal,
)
from einvoice.domain.money import EXACT, ZERO, cents
from einvoice_ksef.fa3 import rates, terms, units
from einvoice_ksef.fa3.rates import MARGIN_SCHEMES
from einvoice_ksef.fa3.read_terms import Described, Entries
from einvoice_ksef.fa3.tags import fa, tag

_MARGIN: Final = TaxCategory("E", ZERO)
_STANDARD: Final = TaxCategory("S", Decimal(23))
_PIECE: Final = "C62"
_GTIN: Final = "0160"
_EIGHT: Final = Decimal("1E-8")
_VATEX: Final = re.compile(r"(VATEX-[A-Z0-9-]+)(?:: (.+))?")
# Why no VAT is charged, where the category alone says it.
_EXEMPTIONS: Final = {
    "AE": "VATEX-EU-AE",
    "K": "VATEX-EU-IC",
    "G": "VATEX-EU-G",
    "O": "VATEX-EU-O",
}
_REMAINDERS: Final = {"ZAL": "Zaliczka", "ROZ": "Rozliczenie zaliczek"}
_CORRECTION, _REMAINDER = "Korekta", "Pozostała wartość"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the elements of lines; those of orders end otherwise.

    >>> Names("Z").net
    '{http://crd.gov.pl/wzor/2025/06/25/13775/}P_11NettoZ'
    """

    end: str = ""

    def of(self, name: str) -> str:
        return tag(name + self.end)

    @property
    def number(self) -> str:
        return tag("NrWierszaZam" if self.end else "NrWierszaFa")

    @property
    def net(self) -> str:
        return tag("P_11NettoZ" if self.end else "P_11")

    @property
    def other_rate(self) -> str:
        return tag(f"P_12{self.end}_XII")


_LINES, _ORDERED = Names(), Names("Z")


@dataclass(frozen=True, slots=True)
class VatLines:
    """Lines and breakdown.

    net, tax  the sums of the breakdown
    zloty     the VAT in PLN; None where it is not given
    """

    lines: tuple[Line, ...]
    taxes: tuple[TaxSubtotal, ...]
    net: Decimal
    tax: Decimal
    zloty: Decimal | None

    @classmethod
    def of(cls, body: Node, described: Described) -> Self:
        """Those in the body (Fa) of a document."""
        bases = _sums(body, "P_13_")
        lines = list(_read(body.all(fa.FaWiersz), _LINES, bases, described))
        order = body.one(fa.Zamowienie)
        if not lines and order is not None:
            ordered = list(_read(order.all(fa.ZamowienieWiersz), _ORDERED, bases, described))
            lines = ordered if _adds_up(ordered, bases) else []
        bases = bases or _simplified(body, lines)
        lines += _remainders(body, lines, bases)
        lines = list(_numbered(lines))
        taxes = tuple(_breakdown(body, lines, bases))
        converted = [amount for base in rates.SUMS
                     if (amount := body.number(tag(f"P_14_{base}W"))) is not None]  # fmt: skip
        return cls(
            tuple(lines),
            taxes,
            sum((each.taxable for each in taxes), ZERO),
            sum((each.tax for each in taxes), ZERO),
            sum(converted, ZERO) if converted else None,
        )


def _sums(body: Node, prefix: str) -> dict[str, Decimal]:
    found = ((base, body.number(tag(prefix + base))) for base in rates.SUMS)
    return {base: amount for base, amount in found if amount is not None}


def _base_of(category: TaxCategory, bases: dict[str, Decimal]) -> str:
    """The number of the sum that a category is in."""
    if category.code == "AE":
        return "9" if "9" in bases and "10" not in bases else "10"
    if category == _MARGIN and "11" in bases and "7" not in bases:
        return "11"
    rate = rates.rate_of(category, None, None)
    return rate.base if rate else rates.OTHER_COUNTRY.base


# -- lines -----------------------------------------------------------------------------------------


def _read(
    nodes: Sequence[Node], names: Names, bases: dict[str, Decimal], described: Described
) -> Iterator[Line]:
    for position, node in enumerate(nodes, 1):
        number = node.text(names.number) or str(position)
        entries = described.lines.get(number, ())
        yield _line(node, names, str(position), bases, entries)


def _line(
    node: Node, names: Names, position: str, bases: dict[str, Decimal], entries: Entries
) -> Line:
    category = _category(node, names, bases)
    sign = -1 if node.text(names.of("StanPrzed")) == "1" else 1
    allowance = None if names.end else node.number(fa.P_10)
    quantity = node.number(names.of("P_8B"))
    quantity = Decimal(1) if quantity is None else quantity
    net = _net(node, names, category, quantity, allowance or ZERO)
    given = dict(reversed([*entries]))
    unit, further = _unit(node.text(names.of("P_8A")))
    gross = given.get(terms.GROSS_PRICE)
    own = {name: given.get(key) for name, (key, _) in terms.LINE.items()}
    return Line(
        id=node.text(names.of("UU_ID")) or position,
        quantity=sign * quantity,
        unit=unit,
        extension=sign * net,
        item=_item(node, names, category, position, entries, further),
        price=Price(
            _price(node, names, quantity, net + (allowance or ZERO)),
            gross=terms.price_of(gross) if gross else None,
        ),
        object_id=terms.identifier_of(given[terms.OBJECT]) if terms.OBJECT in given else None,
        period=_period(node, names, given.get(terms.PERIOD)),
        adjustments=_allowances(sign * allowance, entries) if allowance else (),
        note=own["note"],
        order_line=own["order_line"],
        accounting_cost=own["accounting_cost"],
    )


def _category(node: Node, names: Names, bases: dict[str, Decimal]) -> TaxCategory:
    """By the rate of the line; without one, that of the margin or of the only sum."""
    code, other = node.text(names.of("P_12")), node.number(names.other_rate)
    found = rates.category_of(code) if code else None
    if found is not None:
        return found
    if other is not None:
        return TaxCategory("S", other)
    if "11" in bases:
        return _MARGIN
    return rates.category_of_sum(next(iter(bases))) if len(bases) == 1 else _STANDARD


def _net(
    node: Node, names: Names, category: TaxCategory, quantity: Decimal, allowance: Decimal
) -> Decimal:
    """The net amount: as given, from the gross amount, or from quantity and price."""
    net = node.number(names.net)
    if net is not None:
        return net
    gross = None if names.end else node.number(fa.P_11A)
    if gross is not None:
        tax = node.number(fa.P_11Vat)
        return gross - tax if tax is not None else _without_vat(gross, category)
    price = node.number(names.of("P_9A"))
    return ZERO if price is None else cents(quantity * price - allowance)


def _without_vat(gross: Decimal, category: TaxCategory) -> Decimal:
    return cents(EXACT.divide(gross * 100, 100 + (category.rate or ZERO)))


def _price(node: Node, names: Names, quantity: Decimal, amount: Decimal) -> Decimal:
    """The net price of a unit, else the amount divided by the quantity, with 8 decimals."""
    price = node.number(names.of("P_9A"))
    if price is not None or not quantity:
        return price or ZERO
    exact = EXACT.divide(amount, quantity)
    return exact if exact == cents(exact) else exact.quantize(_EIGHT, context=EXACT).normalize()


def _unit(text: str | None) -> tuple[str, tuple[Attribute, ...]]:
    """The code of a unit; words that have none as an attribute."""
    code = units.unit_code(text) if text else _PIECE
    if code is not None and units.unit_text(code) == (text or units.unit_text(code)):
        return code, ()
    return code or _PIECE, (Attribute(terms.UNIT, text or ""),)


def _item(
    node: Node,
    names: Names,
    category: TaxCategory,
    position: str,
    entries: Entries,
    further: tuple[Attribute, ...],
) -> Item:
    given = dict(reversed([*entries]))
    standard, gtin = given.get(terms.STANDARD_ID), node.text(names.of("GTIN"))
    own = {name: given.get(key) for name, (key, _) in terms.ITEM.items()}
    return Item(
        name=node.text(names.of("P_7")) or f"Pozycja {position}",
        category=category,
        description=own["description"],
        seller_id=node.text(names.of("Indeks")),
        buyer_id=own["buyer_id"],
        standard_id=Identifier(gtin, _GTIN) if gtin
        else terms.identifier_of(standard) if standard else None,
        classifications=tuple(_classifications(node, names, entries)),
        origin_country=own["origin_country"],
        attributes=(*_attributes(node, names, entries), *further),
    )  # fmt: skip


def _classifications(node: Node, names: Names, entries: Entries) -> Iterator[Identifier]:
    for (scheme, version), element in terms.OWN_CLASSIFICATIONS.items():
        code = node.text(names.of(element))
        if code:
            yield Identifier(code, scheme, version)
    yield from (terms.identifier_of(text) for key, text in entries if key == terms.CLASSIFICATION)


_LINE_KEYS: Final = frozenset(
    {
        *(key for key, _ in terms.LINE.values()),
        *(key for key, _ in terms.ITEM.values()),
        terms.OBJECT,
        terms.PERIOD,
        terms.STANDARD_ID,
        terms.CLASSIFICATION,
        terms.GROSS_PRICE,
        terms.ALLOWANCE,
    }
)


def _attributes(node: Node, names: Names, entries: Entries) -> Iterator[Attribute]:
    """Descriptions that are no term, the group of goods and the procedure."""
    yield from (Attribute(key, text) for key, text in entries if key not in _LINE_KEYS)
    for name in ("GTU", "Procedura"):
        code = node.text(names.of(name))
        if code:
            yield Attribute(name, code)


def _period(node: Node, names: Names, text: str | None) -> Period | None:
    day = None if names.end else node.day(fa.P_6A)
    if day is not None:
        return Period(day, day)
    return terms.period_of(text) if text else None


def _allowances(amount: Decimal, entries: Entries) -> tuple[AllowanceCharge, ...]:
    reason = next((text for key, text in entries if key == terms.ALLOWANCE), None)
    return (AllowanceCharge(False, amount, reason=reason),)


def _numbered(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines with their own ids where those are unique, else with their position."""
    ids = Counter(line.id for line in lines)
    for position, line in enumerate(lines, 1):
        yield line if ids[line.id] == 1 else replace(line, id=str(position))


# -- sums ------------------------------------------------------------------------------------------


def _adds_up(lines: Sequence[Line], bases: dict[str, Decimal]) -> bool:
    return all(_net_of(base, lines, bases) == amount for base, amount in bases.items())


def _net_of(base: str, lines: Sequence[Line], bases: dict[str, Decimal]) -> Decimal:
    nets = (line.extension for line in lines if _base_of(line.item.category, bases) == base)
    return sum(nets, ZERO)


def _simplified(body: Node, lines: Sequence[Line]) -> dict[str, Decimal]:
    """The sum of a simplified invoice, which has the gross total alone."""
    category = lines[0].item.category if lines else _STANDARD
    total = body.need_number(fa.P_15)
    return {_base_of(category, {}): _without_vat(total, category)}


def _remainders(body: Node, lines: Sequence[Line], bases: dict[str, Decimal]) -> list[Line]:
    """A line for each sum that the lines do not add up to."""
    kind = body.need_text(fa.RodzajFaktury)
    name = _REMAINDERS.get(kind, _REMAINDER)
    if kind.startswith("KOR"):
        name = body.text(fa.PrzyczynaKorekty) or _CORRECTION
    found: list[Line] = []
    in_lines = {_base_of(line.item.category, bases): line.item.category for line in lines}
    for base in dict.fromkeys((*bases, *in_lines)):
        left = bases.get(base, ZERO) - _net_of(base, lines, bases)
        category = in_lines.get(base) or rates.category_of_sum(base)
        if left or not lines:
            found.append(_remainder(str(len(lines) + len(found) + 1), name, left, category))
    return found


def _remainder(number: str, name: str, amount: Decimal, category: TaxCategory) -> Line:
    """One piece with the amount as its price; a negative amount is a negative quantity."""
    quantity = Decimal(-1 if amount < 0 else 1)
    return Line(number, quantity, _PIECE, amount, Item(name, category), Price(abs(amount)))


def _breakdown(
    body: Node, lines: Sequence[Line], bases: dict[str, Decimal]
) -> Iterator[TaxSubtotal]:
    """An entry for each category. Of the rates of one sum, the first has the VAT that is left."""
    taxes = _sums(body, "P_14_")
    categories = dict.fromkeys(line.item.category for line in lines)
    for category in categories:
        base = _base_of(category, bases)
        net = _taxable(category, lines)
        shared = [each for each in categories if _base_of(each, bases) == base]
        tax = taxes.get(base)
        if tax is None and category.code == "S":  # a simplified invoice has none
            tax = body.need_number(fa.P_15) - net if not taxes else ZERO
        elif tax is not None and shared[0] == category:
            tax -= sum((_computed(each, lines) for each in shared[1:]), ZERO)
        elif tax is not None:
            tax = _computed(category, lines)
        yield _exempt(TaxSubtotal(net, tax or ZERO, category), base, body)


def _taxable(category: TaxCategory, lines: Sequence[Line]) -> Decimal:
    return sum((line.extension for line in lines if line.item.category == category), ZERO)


def _computed(category: TaxCategory, lines: Sequence[Line]) -> Decimal:
    """The VAT on the lines of a category."""
    return cents(_taxable(category, lines) * (category.rate or ZERO) / 100)


def _exempt(tax: TaxSubtotal, base: str, body: Node) -> TaxSubtotal:
    """With why no VAT is charged."""
    code = tax.category.code
    if code in _EXEMPTIONS:
        return replace(tax, exemption_code=_EXEMPTIONS[code])
    if code != "E":
        return tax
    notes = body.one(fa.Adnotacje)
    if base == "11":
        return replace(tax, exemption_code=_scheme(notes))
    exemption = notes and notes.one(fa.Zwolnienie)
    names = (fa.P_19A, fa.P_19B, fa.P_19C)
    basis = next((text for name in names if exemption and (text := exemption.text(name))), None)
    match = _VATEX.fullmatch(basis or "")
    if match:
        return replace(tax, exemption_code=match[1], exemption_reason=match[2])
    return replace(tax, exemption_reason=basis)


def _scheme(notes: Node | None) -> str | None:
    margin = notes and notes.one(fa.PMarzy)
    found = (code for code, name in MARGIN_SCHEMES.items() if margin and margin.has(tag(name)))
    return next(found, None)
