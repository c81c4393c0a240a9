"""The rules of EXTENDED about the VAT breakdown: by category, rate and reason of exemption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from einvoice.rules.book import BROKEN, Chapter, Check, Condition, Flag, Kind, Pattern, Values
from einvoice.rules.cii_paths import INVOICE, LINE_SETTLEMENT
from einvoice.rules.factur_x.exempted_amounts import exempted_amounts
from einvoice.rules.factur_x.extended_lines import typed_vat
from einvoice.rules.factur_x.extended_totals import PER_AMOUNT
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import share, to_cents
from einvoice.rules.view import View

_HEADER_SETTLEMENT = "ram:ApplicableHeaderTradeSettlement"
_ROW = f"{_HEADER_SETTLEMENT}/ram:ApplicableTradeTax"
_GATHERED = ("ram:CategoryTradeTax", "ram:AppliedTradeTax", LINE_SETTLEMENT, _HEADER_SETTLEMENT)

# The part of an id that names a VAT category, and the code of the category.
_CATEGORIES = (
    ("S", "S"), ("Z", "Z"), ("E", "E"), ("AE", "AE"), ("IC", "K"), ("G", "G"), ("O", "O"),
    ("AF", "L"), ("AG", "M"),
)  # fmt: skip


def _of_category(category: str, *, vat_only: bool = True) -> Condition:
    """The condition that a VAT row is of a category."""

    def holds(row: Node, _: View) -> bool:
        return category in row.texts("ram:CategoryCode") and (not vat_only or typed_vat(row))

    return holds


def _taxable_amount_adds_up(category: str, *, plain: bool, with_reason: bool) -> Check:
    """A check that a taxable amount (BT-116) is the sum of its category and rate.

    plain        whatever the reasons of exemption
    with_reason  of what has the reason of exemption of the row (BT-120, BT-121); with both flags,
                 either will do
    """

    def check(row: Node, view: View) -> Values | None:
        base, sums = row.number("ram:BasisAmount"), view.once(exempted_amounts)
        compared = [
            sums.of_row(row, category, with_reason=reason)
            for reason, asked in ((True, with_reason), (False, plain))
            if asked
        ]
        if base is None or None in compared:
            return BROKEN
        found = [each for each in compared if each is not None]
        if any(abs(base - each.amount) <= each.count * PER_AMOUNT for each in found):
            return None
        return {"declared": base, "expected": found[-1].amount, "category": category}

    return check


def _tax_is_its_share(row: Node, view: View) -> Values | None:
    """The VAT of a row (BT-117) is the share of its taxable amount that its rate says."""
    tax, base = row.number("ram:CalculatedAmount"), row.number("ram:BasisAmount")
    rate, sums = row.number("ram:RateApplicablePercent"), view.once(exempted_amounts)
    if tax is None or base is None or rate is None:
        return BROKEN
    found = [sums.of_row(row, "S", with_reason=reason) for reason in (True, False)]
    most = max(each.count for each in found if each is not None)
    expected = to_cents(share(base, rate))
    if abs(tax - expected) <= most * PER_AMOUNT:
        return None
    return {"declared": tax, "expected": expected}


def _is_in_both(category: str) -> Check:
    """A check that a category is in the VAT breakdown if, and only if, something is taxed by it."""

    def check(_: Node, view: View) -> Values | None:
        rows, taxed = view.once(_categories)
        return None if (category in rows) == (category in taxed) else {"category": category}

    return check


def _categories(view: View) -> tuple[frozenset[str], frozenset[str]]:
    """The categories of VAT rows, and of lines, allowances, charges and services.

    Lines that do not count are among them: the rule as published looks for their status at a place
    where it never is.
    """
    taxed = [*view.everywhere("ram:CategoryTradeTax"), *view.everywhere("ram:AppliedTradeTax")]
    for settlement in view.everywhere(LINE_SETTLEMENT):
        taxed += settlement.all("ram:ApplicableTradeTax")
    rows = [
        row
        for settlement in view.everywhere(_HEADER_SETTLEMENT)
        for row in settlement.all("ram:ApplicableTradeTax")
    ]
    return frozenset(_codes(rows)), frozenset(_codes(taxed))


def _codes(taxes: Iterable[Node]) -> Iterator[str]:
    return (code for tax in taxes for code in tax.texts("ram:CategoryCode"))


def chapter_of(layer: Layer) -> Chapter:
    """The rules about the VAT breakdown."""
    chapter = Chapter(layer, _GATHERED)
    terms = "BT-116 BT-131 BT-92 BT-99"
    for name, category in _CATEGORIES:
        rule = f"BR-FXEXT-{name}"
        chapter.add(
            f"{rule}-01", "BT-118 BT-151 BT-95 BT-102", Pattern().context(INVOICE),
            _is_in_both(category),
            "A category is in the VAT breakdown exactly if something is taxed by it",
            kind=Kind.CATEGORY,
        )  # fmt: skip
        both = "BR-FXEXT-S08b" if name == "S" else f"{rule}-08b"  # as published
        for each, flag, plain, with_reason in (
            (both, Flag.FATAL, True, True),
            (f"{rule}-08ini", Flag.WARNING, True, False),
            (f"{rule}-08rev", Flag.WARNING, False, True),
        ):
            chapter.add(
                each, terms, Pattern().context(_ROW, when=_of_category(category)),
                _taxable_amount_adds_up(category, plain=plain, with_reason=with_reason),
                "The taxable amount (BT-116) is the sum of its amounts, within a cent for each",
                flag, Kind.SUM,
            )  # fmt: skip
    chapter.add(
        "BR-FXEXT-S-09b", "BT-117 BT-116 BT-119",
        Pattern().context(_ROW, when=_of_category("S", vat_only=False)), _tax_is_its_share, None,
        kind=Kind.SUM,
    )  # fmt: skip
    return chapter
