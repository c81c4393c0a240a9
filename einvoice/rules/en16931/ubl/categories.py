"""The VAT categories (BR-AE, BR-E, BR-G, BR-IC, BR-AF, BR-AG, BR-O, BR-S, BR-Z, BR-B).

Each category is asked the same ten questions and has its own answers: a category is a row of
`FAMILIES`, a question is one function that makes the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Kind, Layer, Values
from einvoice.rules.en16931.ubl import contexts, facts
from einvoice.rules.en16931.ubl.conditions import ALLOWANCE, CHARGE, NO_CATEGORY, is_vat
from einvoice.rules.en16931.ubl.fast_path import all_standard
from einvoice.rules.en16931.ubl.vat import rate_applied
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, above, double_of, normalized, not_below
from einvoice.rules.view import View

categories = Chapter(
    Layer.CEN_UBL,
    gathers=(
        "cac:TaxCategory",
        "cac:ClassifiedTaxCategory",
        "cac:AllowanceCharge",
        "cac:AccountingSupplierParty",
        "cac:AccountingCustomerParty",
        "cac:TaxRepresentativeParty",
        "cac:InvoiceLine",
        "cac:CreditNoteLine",
        "cbc:IdentificationCode",
    ),
)

Parties = Callable[[View], bool]
Rate = Callable[[Node], bool]


def _seller_taxed(view: View) -> bool:
    return view.once(facts.seller_is_registered) or view.once(facts.representative_has_vat_number)


def _seller_in_vat(view: View) -> bool:
    return view.once(facts.seller_has_vat_number) or view.once(facts.representative_has_vat_number)


def _reverse_charge(view: View) -> bool:
    return _seller_taxed(view) and view.once(facts.buyer_is_registered)


def _both_in_vat(view: View) -> bool:
    return _seller_in_vat(view) and view.once(facts.buyer_has_vat_number)


def _nobody_in_vat(view: View) -> bool:
    return not (_seller_in_vat(view) or view.once(facts.buyer_has_vat_number))


def _zero(category: Node) -> bool:
    rate = category.number("cbc:Percent")
    return rate is not None and rate == ZERO


def _not_negative(category: Node) -> bool:
    return any(not_below(rate, 0) for rate in category.all("cbc:Percent"))


def _positive(category: Node) -> bool:
    return any(above(rate, 0) for rate in category.all("cbc:Percent"))


def _no_rate(category: Node) -> bool:
    return not category.has("cbc:Percent")


@dataclass(frozen=True, slots=True)
class Family:
    """One VAT category's answers."""

    code: str
    id: str  # BR-<id>-01 …
    name: str
    parties: Parties
    who: str  # what `parties` asks, in words
    rate: Rate
    percent: str  # what `rate` asks, in words
    by_rate: bool = False  # one row of the breakdown for each rate, tax by calculation
    reason: bool = True  # the breakdown says why there is no VAT


_ANY = "a tax number of the seller or a VAT number of the tax representative"
_VAT = "a VAT number of the seller or the tax representative"
_FREE = (_zero, "0")
_LOCAL = (_not_negative, "0 or more")
_STANDARD = (_positive, "more than 0")
_OUTSIDE = (_no_rate, "left out")
_SELLER = (_seller_taxed, _ANY)
FAMILIES = (
    Family("AE", "AE", "reverse charge", _reverse_charge, f"{_ANY}, and one of the buyer", *_FREE),
    Family("E", "E", "exempt from VAT", *_SELLER, *_FREE),
    Family("G", "G", "export outside the EU", _seller_in_vat, _VAT, *_FREE),
    Family(
        "K", "IC", "supply inside the EU", _both_in_vat, f"{_VAT}, and one of the buyer", *_FREE
    ),
    Family("L", "AF", "IGIC (Canary Islands)", *_SELLER, *_LOCAL, by_rate=True, reason=False),
    Family("M", "AG", "IPSI (Ceuta and Melilla)", *_SELLER, *_LOCAL, by_rate=True, reason=False),
    Family("O", "O", "not subject to VAT", _nobody_in_vat, "no VAT number at all", *_OUTSIDE),
    Family("S", "S", "standard rate", *_SELLER, *_STANDARD, by_rate=True, reason=False),
    Family("Z", "Z", "zero rated", *_SELLER, *_FREE, reason=False),
)


# Question 1: the breakdown has a row for what the lines, allowances and charges use.


def _once_in_breakdown(code: str) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if code not in view.once(facts.coded_vat):
            return None
        rows = view.once(facts.broken_down).count(code)
        return None if rows == 1 else {"rows": rows}

    return check


def _in_breakdown_if_used(code: str, strict: bool) -> Check:
    """IGIC and IPSI: rows are found by the text as written, with `strict` only those of VAT."""

    def check(invoice: Node, view: View) -> Values | None:
        used = code in view.once(facts.line_codes) or code in view.once(facts.adjustment_codes)
        if not used:
            return BROKEN if code in view.once(facts.broken_down_categories) else None
        rows = invoice.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
        named = (row for row in rows if code in row.texts("cbc:ID"))
        return None if any(not strict or is_vat(row) for row in named) else {"rows": 0}

    return check


def _standard_in_breakdown_if_used(invoice: Node, view: View) -> Values | None:
    """The standard rate is looked for in every tax, not only VAT."""
    used = "S" in view.once(facts.adjustment_codes_of_any_tax) or "S" in view.once(
        facts.line_codes_of_any_tax
    )
    rows = invoice.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    found = any(normalized(row.text_of("cbc:ID")) == "S" for row in rows)
    return None if used is found else {"rows": int(found)}


# Questions 2 to 4: who must be known for VAT if lines, allowances or charges use the category.


def _parties_known(code: str, used: Callable[[View], Iterable[str]], parties: Parties) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if code not in view.once(used) or parties(view):
            return None
        return BROKEN

    return check


def _standard_lines_taxed(_: Node, view: View) -> Values | None:
    """A standard rated line must be of VAT, and the seller known for tax."""
    if "S" not in view.once(facts.line_codes_of_any_tax):
        return None
    return None if "S" in view.once(facts.line_codes) and _seller_taxed(view) else BROKEN


def _igic_charges_taxed(_: Node, view: View) -> Values | None:
    """As for the other categories, but the code is searched as written."""
    if "L" not in view.once(facts.charge_codes) or _seller_taxed(view):
        return None
    return BROKEN if "L" in view.once(facts.charge_codes_as_written) else None


# Questions 5 to 7: which rate the category may have.


def _rate_is(rate: Rate) -> Check:
    def check(category: Node, _: View) -> Values | None:
        return None if rate(category) else {"rate": category.texts("cbc:Percent")}

    return check


# Question 8: the taxable amount is the sum of lines and charges minus allowances.


def _taxable_of(code: str) -> Check:
    def check(category: Node, view: View) -> Values | None:
        for name, base in _BASES:
            if view.everywhere(name):
                declared = category.up(1).number("cbc:TaxableAmount")
                sums = view.once(base)
                expected = sums.lines.get(code, ZERO) + sums.adjustments.get(code, ZERO)
                if declared is not None and declared == expected:
                    return None
                return {"declared": declared, "expected": expected}
        return BROKEN

    return check


_BASES = (("cac:InvoiceLine", facts.invoice_base), ("cac:CreditNoteLine", facts.credit_note_base))


def _taxable_of_rate(code: str) -> Check:
    def check(category: Node, view: View) -> Values | None:
        rate = category.number("cbc:Percent")
        if rate is None:
            return None
        expected = None
        for name, base in _BASES:
            sums = view.once(base)
            total = sums.rated_lines.get((code, rate), ZERO)
            total += sums.rated_adjustments.get((code, rate), ZERO)
            if _is_used(code, rate, name, sums, view) and _near(category.up(1), total):
                return None
            if expected is None or view.everywhere(name):
                expected = total  # what is told is about the lines that the document has
        return {"declared": category.up(1).texts("cbc:TaxableAmount"), "expected": expected}

    return check


def _is_used(code: str, rate: Decimal, name: str, sums: facts.Base, view: View) -> bool:
    """IGIC and IPSI need a line of any kind, the standard rate something with code and rate."""
    if code != "S":
        return bool(view.everywhere(name))
    return (code, rate) in sums.rated_lines or (code, rate) in view.once(facts.rated_adjustments)


def _near(subtotal: Node, expected: Decimal) -> bool:
    """Less than 1 away: officially one is added and taken away in floating point."""
    taxable = subtotal.only("cbc:TaxableAmount")
    if taxable is None:
        return False
    number = double_of(taxable)
    if not isfinite(number):
        raise InvalidNumber(taxable)
    return Decimal(number - 1) < expected < Decimal(number + 1)


# Questions 9 and 10: the tax of the row, and why there is none.


def _no_tax(category: Node, _: View) -> Values | None:
    tax = category.up(1).number("cbc:TaxAmount")
    return None if tax is not None and tax == ZERO else {"declared": tax, "expected": ZERO}


def _tax_of_rate(category: Node, _: View) -> Values | None:
    subtotal = category.up(1)
    tax = subtotal.number("cbc:TaxAmount")
    return rate_applied(subtotal, category.number("cbc:Percent"), tax)


def _has_reason(category: Node, _: View) -> Values | None:
    given = category.has("cbc:TaxExemptionReason") or category.has("cbc:TaxExemptionReasonCode")
    return None if given else BROKEN


def _has_no_reason(category: Node, view: View) -> Values | None:
    return BROKEN if _has_reason(category, view) is None else None


_FIRST = {
    "L": _in_breakdown_if_used("L", strict=False),
    "M": _in_breakdown_if_used("M", strict=True),
    "S": _standard_in_breakdown_if_used,
}


def _write_down(family: Family) -> None:
    code, name = family.code, f"{family.code} ({family.name})"
    own = family.code == "O"
    allowed = facts.document_allowance_codes if own else facts.allowance_codes
    charged = facts.document_charge_codes if own else facts.charge_codes
    document = contexts.DOCUMENT
    row, line = contexts.BREAKDOWN_CATEGORY.case(code), contexts.LINE_CATEGORY.case(code)
    allowance = contexts.ADJUSTMENT_CATEGORY.case((ALLOWANCE, code))
    charge = contexts.ADJUSTMENT_CATEGORY.case((CHARGE, code))
    rate = _rate_is(family.rate)

    def add(number: str, at: Context, terms: str, check: Check, requires: str) -> None:
        categories.add(
            f"BR-{family.id}-{number}", terms, at, check, requires,
            kind=Kind.CATEGORY, parameters={"category": code},
            fast_path=all_standard if at is document and code != "S" else None,
        )  # fmt: skip

    add(
        "01",
        document,
        "BG-23 BT-118",
        _FIRST.get(code, _once_in_breakdown(code)),
        f"The VAT breakdown has a row for category {name} if and only if it is used",
    )
    add(
        "02",
        document,
        "BT-151 BT-31 BT-32 BT-63 BT-48",
        _standard_lines_taxed
        if code == "S"
        else _parties_known(code, facts.line_codes, family.parties),
        f"A line of category {name} needs {family.who}",
    )
    add(
        "03",
        document,
        "BT-95 BT-31 BT-32 BT-63 BT-48",
        _parties_known(code, allowed, family.parties),
        f"An allowance of category {name} needs {family.who}",
    )
    add(
        "04",
        document,
        "BT-102 BT-31 BT-32 BT-63 BT-48",
        _igic_charges_taxed if code == "L" else _parties_known(code, charged, family.parties),
        f"A charge of category {name} needs {family.who}",
    )
    add(
        "05",
        line,
        "BT-151 BT-152",
        rate,
        f"The rate of a line of category {name} is {family.percent}",
    )
    add(
        "06",
        allowance,
        "BT-95 BT-96",
        rate,
        f"The rate of an allowance of category {name} is {family.percent}",
    )
    add(
        "07",
        charge,
        "BT-102 BT-103",
        rate,
        f"The rate of a charge of category {name} is {family.percent}",
    )
    add(
        "08",
        row,
        "BT-116 BT-131 BT-92 BT-99",
        _taxable_of_rate(code) if family.by_rate else _taxable_of(code),
        f"The taxable amount of category {name} is its lines and charges minus its allowances",
    )
    add(
        "09",
        row,
        "BT-117 BT-116 BT-119",
        _tax_of_rate if family.by_rate else _no_tax,
        f"The tax of category {name} is {'taxable amount times rate' if family.by_rate else '0'}",
    )
    add("10", row, "BT-120 BT-121", _has_reason if family.reason else _has_no_reason,
        f"Category {name} {'has' if family.reason else 'has no'} exemption reason")  # fmt: skip


for _family in FAMILIES:
    _write_down(_family)


@categories.rule("BR-IC-11", "BT-72 BG-14", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="K")  # fmt: skip
def intra_community_supply_has_a_date(invoice: Node, view: View) -> Values | None:
    """An intra-community supply says when it was delivered, or for which period."""
    if "K" not in view.once(facts.broken_down):
        return None
    if any(period.children for period in invoice.all("cac:InvoicePeriod")):
        return None
    return None if len(invoice.text_of("cac:Delivery/cbc:ActualDeliveryDate")) > 1 else BROKEN


@categories.rule("BR-IC-12", "BT-80", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="K")  # fmt: skip
def intra_community_supply_has_a_country(invoice: Node, view: View) -> Values | None:
    """An intra-community supply says to which country it went."""
    if "K" not in view.once(facts.broken_down):
        return None
    address = "cac:Delivery/cac:DeliveryLocation/cac:Address"
    country = invoice.text_of(f"{address}/cac:Country/cbc:IdentificationCode")
    return None if len(country) > 1 else BROKEN


def _only_outside_vat(others: Callable[[View], Iterable[str]]) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if "O" not in view.once(facts.broken_down):
            return None
        strangers = sorted(
            code for code in set(view.once(others)) if code not in ("O", NO_CATEGORY)
        )
        return {"codes": strangers} if strangers else None

    return check


for _number, _others, _what in (
    ("11", facts.broken_down_categories, "the VAT breakdown"),
    ("12", facts.line_codes, "the lines"),
    ("13", facts.allowance_codes, "the allowances"),
    ("14", facts.charge_codes, "the charges"),
):
    categories.add(
        f"BR-O-{_number}", "BT-118 BT-151 BT-95 BT-102", contexts.DOCUMENT,
        _only_outside_vat(_others), f"If anything is not subject to VAT, so is all of {_what}",
        kind=Kind.CATEGORY, parameters={"category": "O"}, fast_path=all_standard,
    )  # fmt: skip


def _is_split_payment(view: View) -> bool:
    return any("B" in one.texts("cbc:ID") for one in view.once(facts.tax_categories))


@categories.rule("BR-B-01", "BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="B")  # fmt: skip
def split_payment_is_italian(_: Node, view: View) -> Values | None:
    """Split payment (B) is for invoices inside Italy."""
    if not view.once(_is_split_payment):
        return None
    countries = {country.text for country in view.everywhere("cbc:IdentificationCode")}
    abroad = countries - {"IT"}
    return {"countries": sorted(abroad)} if abroad else None


@categories.rule("BR-B-02", "BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="B")  # fmt: skip
def split_payment_excludes_standard_rate(invoice: Node, view: View) -> Values | None:
    """Split payment (B) and the standard rate (S) do not stand in one invoice."""
    if not view.once(_is_split_payment):
        return None
    codes = {
        code.text
        for path in (
            "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory",
            "cac:AllowanceCharge/cac:TaxCategory",
        )
        for code in invoice.all(f"{path}/cbc:ID")
    }
    codes |= {
        text for one in view.everywhere("cac:ClassifiedTaxCategory") for text in one.texts("cbc:ID")
    }
    return BROKEN if {"B", "S"} <= codes else None
