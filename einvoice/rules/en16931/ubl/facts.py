"""Values of the whole document for the rules of VAT categories, computed once (View.once)."""

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


def line_categories(view: View) -> Mapping[Node, str]:
    """Category element of a line → code; NO_CATEGORY for other taxes. Raises MoreThanOneItem."""
    elements = dict.fromkeys(view.everywhere("cac:ClassifiedTaxCategory"))
    return {element: category(element) for element in elements}


def tax_categories(view: View) -> tuple[Node, ...]:
    """Every tax category of breakdown, lines, allowances and charges, without repetitions."""
    found = (*view.everywhere("cac:TaxCategory"), *view.everywhere("cac:ClassifiedTaxCategory"))
    return tuple(dict.fromkeys(found))  # repeated lines share the node of the first


def all_vat_codes(view: View) -> frozenset[str]:
    """The VAT categories of breakdown, lines, allowances and charges."""
    found = view.everywhere("cac:TaxCategory")
    codes = {normalized(code.text) for each in found if is_vat(each) for code in each.all("cbc:ID")}
    return frozenset(codes) | view.once(line_codes)


def breakdown_vat_codes(view: View) -> tuple[str, ...]:
    """The VAT categories of the breakdown (BT-118), an entry for each code."""
    rows = view.root.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    return tuple(normalized(code.text) for row in rows if is_vat(row) for code in row.all("cbc:ID"))


def breakdown_categories(view: View) -> tuple[str, ...]:
    """As `breakdown_vat_codes`, an entry for each category element; NO_CATEGORY for other taxes."""
    return tuple(
        category(row) for row in view.root.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    )


def line_codes(view: View) -> frozenset[str]:
    """The VAT categories of lines (BT-151)."""
    return frozenset(view.once(line_categories).values())


def line_codes_of_any_tax(view: View) -> frozenset[str]:
    """The tax categories of lines, whether or not the tax is VAT."""
    elements = dict.fromkeys(view.everywhere("cac:ClassifiedTaxCategory"))
    return frozenset(normalized(element.text_of("cbc:ID")) for element in elements)


@dataclass(frozen=True, slots=True)
class TaxedAdjustment:
    """A tax category of an allowance or charge, of the document, a line or a price."""

    category: Node
    code: str  # normalized, of any tax
    vat: bool
    allowance: bool
    charge: bool  # several indicators may make it both


def taxed_adjustments(view: View) -> tuple[TaxedAdjustment, ...]:
    """All tax categories of allowances and charges. Raises InvalidBoolean for a bad indicator."""
    found: list[TaxedAdjustment] = []
    for adjustment in view.everywhere("cac:AllowanceCharge"):
        allowance, charge = indicated(adjustment, False), indicated(adjustment, True)
        for element in adjustment.all("cac:TaxCategory"):
            code = normalized(element.text_of("cbc:ID"))
            found.append(TaxedAdjustment(element, code, is_vat(element), allowance, charge))
    return tuple(found)


def adjustment_codes(view: View) -> frozenset[str]:
    """The VAT categories of all allowances and charges."""
    return frozenset(each.code for each in view.once(taxed_adjustments) if each.vat)


def adjustment_codes_of_any_tax(view: View) -> frozenset[str]:
    """The tax categories of allowances and charges, whether or not the tax is VAT."""
    return frozenset(each.code for each in view.once(taxed_adjustments))


def rated_adjustments(view: View) -> frozenset[tuple[str, Decimal]]:
    """Category and rate of all allowances and charges."""
    adjustments = dict.fromkeys(each.category.up(1) for each in view.once(taxed_adjustments))
    return frozenset(pair for each in adjustments for pair in _rated(each.all("cac:TaxCategory")))


def allowance_codes(view: View) -> frozenset[str]:
    """The VAT categories of all allowances; NO_CATEGORY for other taxes."""
    taxed = view.once(taxed_adjustments)
    return frozenset(each.code if each.vat else NO_CATEGORY for each in taxed if each.allowance)


def charge_codes(view: View) -> frozenset[str]:
    """The VAT categories of all charges; NO_CATEGORY for other taxes."""
    taxed = view.once(taxed_adjustments)
    return frozenset(each.code if each.vat else NO_CATEGORY for each in taxed if each.charge)


def charge_codes_as_written(view: View) -> frozenset[str]:
    """The VAT categories of all charges, as written."""
    taxed = view.once(taxed_adjustments)
    charges = (each.category for each in taxed if each.charge and each.vat)
    return frozenset(text for element in charges for text in element.texts("cbc:ID"))


def document_allowance_codes(view: View) -> frozenset[str]:
    """The VAT categories of allowances of the document (BT-95)."""
    return frozenset(_adjustment_codes(view.root.all("cac:AllowanceCharge"), False))


def document_charge_codes(view: View) -> frozenset[str]:
    """The VAT categories of charges of the document (BT-102)."""
    return frozenset(_adjustment_codes(view.root.all("cac:AllowanceCharge"), True))


def _adjustment_codes(adjustments: Iterable[Node], charge: bool) -> Iterator[str]:
    for adjustment in adjustments:
        if indicated(adjustment, charge):
            yield from map(category, adjustment.all("cac:TaxCategory"))


def _parties(view: View, role: str) -> Iterator[Node]:
    for party in view.everywhere(role):
        yield from party.all("cac:Party")


def _has_vat_number(registrations: Iterable[Node]) -> bool:
    return any(is_only_vat(each) and each.has("cbc:CompanyID") for each in registrations)


def seller_is_registered(view: View) -> bool:
    """Whether the seller has a tax number of any kind (BT-31, BT-32)."""
    path = "cac:PartyTaxScheme/cbc:CompanyID"
    return any(party.has(path) for party in _parties(view, _SELLER))


def seller_has_vat_number(view: View) -> bool:
    """Whether the seller has a VAT number (BT-31). Raises MoreThanOneItem."""
    parties = _parties(view, _SELLER)
    return _has_vat_number(each for party in parties for each in party.all("cac:PartyTaxScheme"))


def representative_has_vat_number(view: View) -> bool:
    """Whether the tax representative has a VAT number (BT-63). Raises MoreThanOneItem."""
    parties = view.everywhere("cac:TaxRepresentativeParty")
    return _has_vat_number(each for party in parties for each in party.all("cac:PartyTaxScheme"))


def buyer_has_vat_number(view: View) -> bool:
    """Whether the buyer has a VAT number (BT-48). Raises MoreThanOneItem."""
    parties = _parties(view, _BUYER)
    return _has_vat_number(each for party in parties for each in party.all("cac:PartyTaxScheme"))


def buyer_is_registered(view: View) -> bool:
    """Whether the buyer has a VAT number (BT-48) or a legal registration (BT-47)."""
    path = "cac:PartyLegalEntity/cbc:CompanyID"
    return view.once(buyer_has_vat_number) or any(
        party.has(path) for party in _parties(view, _BUYER)
    )


@dataclass(frozen=True, slots=True)
class TaxableSums:
    """Expected taxable amounts (BT-116): line net amounts, and charges less allowances."""

    lines: dict[str, Decimal]  # by category
    rated_lines: dict[tuple[str, Decimal], Decimal]  # by category and rate
    adjustments: dict[str, Decimal]
    rated_adjustments: dict[tuple[str, Decimal], Decimal]


def invoice_sums(view: View) -> TaxableSums:
    """The sums over the lines of an invoice."""
    return _sums(view, "cac:InvoiceLine")


def credit_note_sums(view: View) -> TaxableSums:
    """The sums over the lines of a credit note."""
    return _sums(view, "cac:CreditNoteLine")


def _sums(view: View, name: str) -> TaxableSums:
    sums = TaxableSums(*(defaultdict(lambda: ZERO) for _ in range(4)))
    for categories, lines in _by_categories(view.root.all(name)):
        _add(lines, "cbc:LineExtensionAmount", categories, sums.lines, sums.rated_lines, False)
    for adjustment in view.root.all("cac:AllowanceCharge"):
        categories = adjustment.all("cac:TaxCategory")
        for charge in (True, False):
            if indicated(adjustment, charge):
                _add((adjustment,), "cbc:Amount", categories,
                     sums.adjustments, sums.rated_adjustments, not charge)  # fmt: skip
    return sums


def _by_categories(lines: Iterable[Node]) -> Iterable[tuple[Sequence[Node], list[Node]]]:
    """Lines grouped by their tax categories; repeated lines share the nodes of the first."""
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
    codes = {normalized(each.text_of("cbc:ID")) for each in categories}
    if not codes:
        return
    number = sum((holder.number(amount) or ZERO for holder in holders), ZERO)
    number = -number if negative else number
    for code in codes:
        by_code[code] += number
    for pair in _rated(categories):
        by_rate[pair] += number


def _rated(categories: Sequence[Node]) -> Collection[tuple[str, Decimal]]:
    """Each category that is summed by rate, with each of the rates."""
    codes = {normalized(each.text_of("cbc:ID")) for each in categories}.intersection(RATED)
    if not codes:
        return ()
    rates = [rate for each in categories if (rate := each.number("cbc:Percent")) is not None]
    return {(code, rate) for code in codes for rate in rates}
