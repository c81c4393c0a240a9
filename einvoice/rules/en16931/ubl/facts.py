"""What the category rules need of the whole document, worked out once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from einvoice.rules.en16931.ubl.conditions import (
    NO_CATEGORY,
    category,
    indicated,
    is_only_vat,
    is_vat,
)
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, normalized
from einvoice.rules.view import View

_SELLER = "cac:AccountingSupplierParty"
_BUYER = "cac:AccountingCustomerParty"
RATED = ("S", "L", "M")  # categories that are summed by rate


def lines_of(view: View) -> Iterator[Node]:
    yield from view.everywhere("cac:InvoiceLine")
    yield from view.everywhere("cac:CreditNoteLine")


def line_categories(view: View) -> Mapping[Node, str]:
    """The VAT category of each line, blank for other taxes. Raises MoreThanOneItem."""
    named = dict.fromkeys(view.everywhere("cac:ClassifiedTaxCategory"))
    return {one: category(one) for one in named}


def tax_categories(view: View) -> tuple[Node, ...]:
    """Every tax category of breakdown, lines, allowances and charges, once each."""
    named = (*view.everywhere("cac:TaxCategory"), *view.everywhere("cac:ClassifiedTaxCategory"))
    return tuple(dict.fromkeys(named))  # lines that repeat another share its own


def coded_vat(view: View) -> frozenset[str]:
    """Every VAT category named anywhere: in the breakdown, on lines, allowances and charges."""
    named = view.everywhere("cac:TaxCategory")
    codes = {normalized(code.text) for one in named if is_vat(one) for code in one.all("cbc:ID")}
    return frozenset(codes) | view.once(line_codes)


def broken_down(view: View) -> tuple[str, ...]:
    """The VAT categories of the breakdown, one entry a row."""
    rows = view.root.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    return tuple(normalized(code.text) for row in rows if is_vat(row) for code in row.all("cbc:ID"))


def broken_down_categories(view: View) -> tuple[str, ...]:
    """As `broken_down`, one entry a category element, blank for other taxes."""
    return tuple(
        category(row) for row in view.root.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    )


def line_codes(view: View) -> frozenset[str]:
    """The VAT categories of lines."""
    return frozenset(view.once(line_categories).values())


def line_codes_of_any_tax(view: View) -> frozenset[str]:
    """The tax categories of lines, whether or not the tax is VAT."""
    named = dict.fromkeys(view.everywhere("cac:ClassifiedTaxCategory"))
    return frozenset(normalized(one.text_of("cbc:ID")) for one in named)


@dataclass(frozen=True, slots=True)
class Taxed:
    """A tax category of an allowance or charge, wherever that stands."""

    named: Node
    code: str  # normalized, of any tax
    vat: bool
    allowance: bool
    charge: bool  # several indicators may make it both


def taxed_adjustments(view: View) -> tuple[Taxed, ...]:
    """All allowances and charges with a category. Raises InvalidBoolean for any without a kind."""
    found: list[Taxed] = []
    for adjustment in view.everywhere("cac:AllowanceCharge"):
        allowance, charge = indicated(adjustment, False), indicated(adjustment, True)
        for named in adjustment.all("cac:TaxCategory"):
            code = normalized(named.text_of("cbc:ID"))
            found.append(Taxed(named, code, is_vat(named), allowance, charge))
    return tuple(found)


def adjustment_codes(view: View) -> frozenset[str]:
    """The VAT categories of allowances and charges, wherever they stand."""
    return frozenset(one.code for one in view.once(taxed_adjustments) if one.vat)


def adjustment_codes_of_any_tax(view: View) -> frozenset[str]:
    """The tax categories of allowances and charges, whether or not the tax is VAT."""
    return frozenset(one.code for one in view.once(taxed_adjustments))


def rated_adjustments(view: View) -> frozenset[tuple[str, Decimal]]:
    """Category and rate of allowances and charges, wherever they stand."""
    taxed = dict.fromkeys(one.named.up(1) for one in view.once(taxed_adjustments))
    return frozenset(pair for each in taxed for pair in _rated(each.all("cac:TaxCategory")))


def allowance_codes(view: View) -> frozenset[str]:
    """The VAT categories of allowances, wherever they stand."""
    taxed = view.once(taxed_adjustments)
    return frozenset(one.code if one.vat else NO_CATEGORY for one in taxed if one.allowance)


def charge_codes(view: View) -> frozenset[str]:
    """The VAT categories of charges, wherever they stand."""
    taxed = view.once(taxed_adjustments)
    return frozenset(one.code if one.vat else NO_CATEGORY for one in taxed if one.charge)


def charge_codes_as_written(view: View) -> frozenset[str]:
    """The VAT categories of charges, wherever they stand, not trimmed."""
    charges = (one.named for one in view.once(taxed_adjustments) if one.charge and one.vat)
    return frozenset(text for named in charges for text in named.texts("cbc:ID"))


def document_allowance_codes(view: View) -> frozenset[str]:
    """The VAT categories of the document's own allowances."""
    return frozenset(_adjustment_codes(view.root.all("cac:AllowanceCharge"), False))


def document_charge_codes(view: View) -> frozenset[str]:
    """The VAT categories of the document's own charges."""
    return frozenset(_adjustment_codes(view.root.all("cac:AllowanceCharge"), True))


def _adjustment_codes(adjustments: Iterable[Node], charge: bool) -> Iterator[str]:
    for adjustment in adjustments:
        if indicated(adjustment, charge):
            yield from (category(named) for named in adjustment.all("cac:TaxCategory"))


def _parties(view: View, role: str) -> Iterator[Node]:
    for party in view.everywhere(role):
        yield from party.all("cac:Party")


def _vat_numbers(registrations: Iterable[Node]) -> bool:
    return any(is_only_vat(one) and one.has("cbc:CompanyID") for one in registrations)


def seller_is_registered(view: View) -> bool:
    """Has the seller a tax number of any kind?"""
    path = "cac:PartyTaxScheme/cbc:CompanyID"
    return any(party.has(path) for party in _parties(view, _SELLER))


def seller_has_vat_number(view: View) -> bool:
    parties = _parties(view, _SELLER)
    return _vat_numbers(one for party in parties for one in party.all("cac:PartyTaxScheme"))


def representative_has_vat_number(view: View) -> bool:
    parties = view.everywhere("cac:TaxRepresentativeParty")
    return _vat_numbers(one for party in parties for one in party.all("cac:PartyTaxScheme"))


def buyer_has_vat_number(view: View) -> bool:
    parties = _parties(view, _BUYER)
    return _vat_numbers(one for party in parties for one in party.all("cac:PartyTaxScheme"))


def buyer_is_registered(view: View) -> bool:
    """Has the buyer a VAT number or a legal registration?"""
    path = "cac:PartyLegalEntity/cbc:CompanyID"
    return view.once(buyer_has_vat_number) or any(
        party.has(path) for party in _parties(view, _BUYER)
    )


@dataclass(frozen=True, slots=True)
class Base:
    """What the breakdown must come to: sums of line nets and of charges minus allowances."""

    lines: dict[str, Decimal]  # by category
    rated_lines: dict[tuple[str, Decimal], Decimal]  # by category and rate
    adjustments: dict[str, Decimal]
    rated_adjustments: dict[tuple[str, Decimal], Decimal]


def invoice_base(view: View) -> Base:
    """The sums over the lines of an invoice."""
    return _base(view, "cac:InvoiceLine")


def credit_note_base(view: View) -> Base:
    """The sums over the lines of a credit note."""
    return _base(view, "cac:CreditNoteLine")


def _base(view: View, name: str) -> Base:
    base = Base(*(defaultdict(lambda: ZERO) for _ in range(4)))
    for categories, lines in _by_categories(view.root.all(name)):
        _add(lines, "cbc:LineExtensionAmount", categories, base.lines, base.rated_lines, False)
    for adjustment in view.root.all("cac:AllowanceCharge"):
        categories = adjustment.all("cac:TaxCategory")
        for charge in (True, False):
            if indicated(adjustment, charge):
                _add((adjustment,), "cbc:Amount", categories,
                     base.adjustments, base.rated_adjustments, not charge)  # fmt: skip
    return base


def _by_categories(lines: Iterable[Node]) -> Iterable[tuple[Sequence[Node], list[Node]]]:
    """Lines by their tax categories: those that repeat another share its nodes."""
    shared: dict[Node, tuple[Sequence[Node], list[Node]]] = {}
    for line in lines:
        categories = line.all("cac:Item/cac:ClassifiedTaxCategory")
        if categories:
            shared.setdefault(categories[0], (categories, []))[1].append(line)
    return shared.values()


def _add(
    holders: Iterable[Node], amount: str, categories: Sequence[Node],
    by_code: dict[str, Decimal], by_rate: dict[tuple[str, Decimal], Decimal], negative: bool,
) -> None:  # fmt: skip
    codes = {normalized(named.text_of("cbc:ID")) for named in categories}
    if not codes:
        return
    number = sum((holder.number(amount) or ZERO for holder in holders), ZERO)
    number = -number if negative else number
    for code in codes:
        by_code[code] += number
    for pair in _rated(categories):
        by_rate[pair] += number


def _rated(categories: Sequence[Node]) -> Collection[tuple[str, Decimal]]:
    """Each category that is summed by rate, with each rate that stands beside it."""
    codes = {normalized(named.text_of("cbc:ID")) for named in categories}.intersection(RATED)
    if not codes:
        return ()
    rates = [rate for named in categories if (rate := named.number("cbc:Percent")) is not None]
    return {(code, rate) for code in codes for rate in rates}
