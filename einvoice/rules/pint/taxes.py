"""A tax by the name of its scheme (VAT, GST), and what the rules of countries ask of it alike.

What `en16931.ubl.facts` and `conditions` find of VAT, for a tax of another name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal

from einvoice.rules.book import BROKEN, Check, Values
from einvoice.rules.en16931.ubl import facts
from einvoice.rules.en16931.ubl.conditions import NO_CATEGORY, indicated, kind_above
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import LINES, Test, computed, text_at
from einvoice.rules.values import ZERO, normalized, share, to_cents, to_integer
from einvoice.rules.view import View

LINE_CATEGORY = "cac:Item/cac:ClassifiedTaxCategory"
BREAKDOWN = "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"
BASE_AND_PERCENTAGE = ("cbc:BaseAmount", "cbc:MultiplierFactorNumeric")
GATHERED = (*LINES, "cac:AllowanceCharge", "cac:TaxCategory", "cac:ClassifiedTaxCategory")
_SUMS = (("cac:InvoiceLine", facts.invoice_sums), ("cac:CreditNoteLine", facts.credit_note_sums))


class Tax:
    """The tax whose scheme has this name, in any case."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme

    def levied(self, node: Node) -> bool:
        """Whether a tax scheme of the node is that of this tax. Raises MoreThanOneItem."""
        schemes = node.all("cac:TaxScheme")
        return any(normalized(each.text_of("cbc:ID").upper()) == self.scheme for each in schemes)

    def levied_alone(self, node: Node) -> bool:
        """Whether the single tax scheme of the node is that of this tax. Raises MoreThanOneItem."""
        node.only("cac:TaxScheme")
        return self.levied(node)

    def of(self, node: Node, path: str) -> list[Node]:
        """The nodes on a path that are of this tax."""
        return [each for each in node.all(path) if self.levied(each)]

    def category(self, node: Node) -> str:
        """The code of a category; NO_CATEGORY for another tax. Raises MoreThanOneItem."""
        code = normalized(node.text_of("cbc:ID"))
        return code if self.levied(node) else NO_CATEGORY

    def kind_and_category(self, node: Node) -> tuple[str | None, str]:
        """Whether a category is of an allowance or a charge, and its code."""
        return kind_above(node), self.category(node)

    def has(self, path: str, *members: str) -> Test:
        """Whether some category of this tax on the path has each of these members."""
        return lambda node, _: any(
            all(each.has(member) for member in members) for each in self.of(node, path)
        )

    def one_number(self, party: str, *, other: bool = False) -> Test:
        """Whether a party has at most one number of this tax, or of other ones."""

        def test(invoice: Node, _: View) -> bool:
            numbers = 0
            for each in invoice.all(f"{party}/cac:PartyTaxScheme"):
                names = [scheme.text_of("cbc:ID").upper() for scheme in each.all("cac:TaxScheme")]
                if any((name == self.scheme) is not other for name in names):
                    numbers += len(each.all("cbc:CompanyID"))
            return numbers <= 1

        return test

    def all_codes(self, view: View) -> frozenset[str]:
        """The categories of breakdown, lines, allowances and charges."""
        found = (*view.everywhere("cac:TaxCategory"), *view.everywhere("cac:ClassifiedTaxCategory"))
        return frozenset(self._codes(found))

    def breakdown_codes(self, view: View) -> tuple[str, ...]:
        """The categories of the breakdown, an entry for each code."""
        return tuple(self._codes(view.root.all(BREAKDOWN)))

    def line_codes(self, view: View) -> frozenset[str]:
        """The categories of lines, NO_CATEGORY for other taxes."""
        return frozenset(map(self.category, dict.fromkeys(view.everywhere(
            "cac:ClassifiedTaxCategory"))))  # fmt: skip

    def allowance_codes(self, view: View) -> frozenset[str]:
        """The categories of all allowances, NO_CATEGORY for other taxes."""
        return self._adjusted(view, charge=False)

    def charge_codes(self, view: View) -> frozenset[str]:
        """The categories of all charges, NO_CATEGORY for other taxes."""
        return self._adjusted(view, charge=True)

    def _adjusted(self, view: View, *, charge: bool) -> frozenset[str]:
        found = [x for x in view.everywhere("cac:AllowanceCharge") if indicated(x, charge)]
        return frozenset(self.category(x) for each in found for x in each.all("cac:TaxCategory"))

    def _codes(self, nodes: Iterable[Node]) -> Iterator[str]:
        for node in nodes:
            if self.levied(node):
                yield from (normalized(code.text) for code in node.all("cbc:ID"))

    def once_in_breakdown(self, code: str) -> Check:
        """The check that a category that is used is in the breakdown once."""

        def check(_: Node, view: View) -> Values | None:
            if code not in view.once(self.all_codes):
                return None
            rows = view.once(self.breakdown_codes).count(code)
            return None if rows == 1 else {"rows": rows}

        return check

    def alone(self, code: str) -> tuple[Test, Test, Test, Test]:
        """Whether breakdown, lines, allowances, charges have no other than this, where it is."""

        def only(codes_of: Callable[[View], Collection[str]]) -> Test:
            def test(_: Node, view: View) -> bool:
                if code not in view.once(self.breakdown_codes):
                    return True
                return not {*view.once(codes_of)} - {code, NO_CATEGORY}

            return test

        return (
            only(self._breakdown_categories),
            only(self.line_codes),
            only(self.allowance_codes),
            only(self.charge_codes),
        )

    def _breakdown_categories(self, view: View) -> frozenset[str]:
        return frozenset(map(self.category, view.root.all(BREAKDOWN)))


VAT, GST = Tax("VAT"), Tax("GST")


def rate_is(expected: Decimal) -> Test:
    """Whether the rate is this one. Raises MoreThanOneItem, InvalidNumber."""
    return lambda category, _: category.number("cbc:Percent") == expected


def rate_is_positive(category: Node, _: View) -> bool:
    """Whether the rate is more than 0. Raises MoreThanOneItem, InvalidNumber."""
    rate = category.number("cbc:Percent")
    return rate is not None and rate > 0


def no_tax(category: Node, _: View) -> Values | None:
    """The tax of a category is 0."""
    tax = category.up(1).number("cbc:TaxAmount")
    return None if tax is not None and tax == ZERO else {"declared": tax, "expected": ZERO}


def taxable(code: str) -> Check:
    """The check that the taxable amount is lines plus charges less allowances of the category."""

    def check(category: Node, view: View) -> Values | None:
        expected = None
        for name, sums_of in _SUMS:
            if not view.everywhere(name):
                continue
            declared = category.up(1).number("cbc:TaxableAmount")
            sums = view.once(sums_of)
            expected = sums.lines.get(code, ZERO) + sums.adjustments.get(code, ZERO)
            if declared == expected:
                return None
        return {"declared": category.up(1).texts("cbc:TaxableAmount"), "expected": expected}

    return check


def _beside(above: Node, name: str, code: str) -> Decimal:
    """Lines, plus charges, less allowances of a category of any tax below an element."""
    total = ZERO
    for line in above.all(name):
        if any(text_at(each, "cbc:ID") == code for each in line.all(LINE_CATEGORY)):
            total += line.number("cbc:LineExtensionAmount") or ZERO
    for each in above.all("cac:AllowanceCharge"):
        if any(text_at(tax, "cbc:ID") == code for tax in each.all("cac:TaxCategory")):
            for charge, sign in ((True, 1), (False, -1)):
                if indicated(each, charge):
                    total += sign * (each.number("cbc:Amount") or ZERO)
    return total


def taxable_beside(code: str) -> Check:
    """The check that the taxable amount is lines plus charges less allowances beside the tax total.

    Beside that of a line there are none, as officially.
    """

    def check(tax: Node, view: View) -> Values | None:
        expected = None
        for name in LINES:
            if view.everywhere(name):
                above = tax.up(3)
                key = (above, name, code)
                expected = view.once(computed).number(key, lambda: _beside(*key))  # noqa: B023
                if tax.up(1).number("cbc:TaxableAmount") == expected:
                    return None
        return {"declared": tax.up(1).texts("cbc:TaxableAmount"), "expected": expected}

    return check


def adjusted_rates(view: View) -> frozenset[Decimal]:
    """The rates of allowances and charges of the category S, also of lines and prices."""
    found: set[Decimal] = set()
    for adjustment in view.everywhere("cac:AllowanceCharge"):
        categories = adjustment.all("cac:TaxCategory")
        if any(text_at(each, "cbc:ID") == "S" for each in categories):
            rates = (each.number("cbc:Percent") for each in categories)
            found.update(rate for rate in rates if rate is not None)
    return frozenset(found)


def taxable_of_rate(category: Node, view: View, rate: Decimal, tolerance: Decimal) -> Values | None:
    """The taxable amount of the category S at a rate is that of lines, charges and allowances.

    Raises InvalidNumber without a taxable amount, as the official rules stop there.
    """
    adjusted = rate in view.once(adjusted_rates)
    declared, expected = category.up(1).number("cbc:TaxableAmount"), None
    for _, sums_of in _SUMS:
        sums = view.once(sums_of)
        if ("S", rate) not in sums.rated_lines and not adjusted:
            continue
        expected = sums.rated_lines.get(("S", rate), ZERO)
        expected += sums.rated_adjustments.get(("S", rate), ZERO)
        if declared is None:
            raise InvalidNumber(category.up(1))
        if abs(declared - expected) <= tolerance:
            return None
    return {"declared": declared, "expected": expected}


def is_share(tax: Decimal, amount: Decimal, rate: Decimal, tolerance: Decimal) -> Values | None:
    """The amount of tax is the share of the taxable amount, whatever the signs."""
    expected = to_cents(share(abs(amount), rate))
    if abs(abs(tax) - expected) <= tolerance:
        return None
    return {"declared": tax, "expected": expected}


def only_if_both(adjustment: Node, _: View) -> bool:
    """Whether an adjustment has a base amount and a percentage, or neither."""
    return len({adjustment.has(path) for path in BASE_AND_PERCENTAGE}) == 1


def is_its_percentage(tolerance: Decimal) -> Test:
    """Whether an amount is its percentage of its base. Raises MoreThanOneItem, InvalidNumber."""

    def test(adjustment: Node, _: View) -> bool:
        base, percentage = (adjustment.number(path) for path in BASE_AND_PERCENTAGE)
        if base is None or percentage is None:
            return True
        amount = adjustment.number("cbc:Amount") or ZERO
        return abs(amount - share(base, percentage)) <= tolerance

    return test


def of_document(adjustment: Node) -> bool:
    """Whether an allowance or charge is one of the document."""
    return adjustment.up(1).name in ("ubl:Invoice", "cn:CreditNote")


def breakdown_tax(tax: Tax, tolerance: Decimal) -> Check:
    """The check that the tax of a row is its rate of the taxable amount; below a half none."""

    def check(row: Node, _: View) -> Values | None:
        rates = [rate for each in tax.of(row, "cac:TaxCategory")
                 if (rate := each.number("cbc:Percent")) is not None]  # fmt: skip
        if len(rates) > 1:
            raise InvalidNumber(row)
        declared = row.number("cbc:TaxAmount")
        if not rates or not to_integer(rates[0]):
            return None if declared is not None and not to_integer(declared) else BROKEN
        amount = row.number("cbc:TaxableAmount")
        if declared is None or amount is None:
            raise InvalidNumber(row)
        return is_share(declared, amount, rates[0], tolerance)

    return check
