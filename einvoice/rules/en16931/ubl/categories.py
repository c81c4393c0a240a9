"""The VAT categories (BR-AE, BR-E, BR-G, BR-IC, BR-AF, BR-AG, BR-O, BR-S, BR-Z, BR-B).

Ten requirements are the same for each category, with values of its own: a category is a row of
`VAT_CATEGORIES`, a requirement is a function that returns the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Kind, Values
from einvoice.rules.en16931.lacking import lacking
from einvoice.rules.en16931.ubl import contexts, facts
from einvoice.rules.en16931.ubl.conditions import ALLOWANCE, CHARGE, NO_CATEGORY, is_vat
from einvoice.rules.en16931.ubl.fast_path import all_standard
from einvoice.rules.en16931.ubl.vat import rate_applied
from einvoice.rules.evaluation_errors import InvalidNumber
from einvoice.rules.layers import Layer
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


def _seller_has_tax_number(view: View) -> bool:
    return view.once(facts.seller_is_registered) or view.once(facts.representative_has_vat_number)


def _seller_has_vat_number(view: View) -> bool:
    return view.once(facts.seller_has_vat_number) or view.once(facts.representative_has_vat_number)


def _seller_and_buyer_registered(view: View) -> bool:
    return _seller_has_tax_number(view) and view.once(facts.buyer_is_registered)


def _seller_and_buyer_have_vat_numbers(view: View) -> bool:
    return _seller_has_vat_number(view) and view.once(facts.buyer_has_vat_number)


# What a category that needs numbers of both parties needs of the seller, and of the buyer.
_SIDES: Mapping[Parties, tuple[Parties, Parties]] = {
    _seller_and_buyer_registered: (_seller_has_tax_number, facts.buyer_is_registered),
    _seller_and_buyer_have_vat_numbers: (_seller_has_vat_number, facts.buyer_has_vat_number),
}


def _no_vat_numbers(view: View) -> bool:
    return not (_seller_has_vat_number(view) or view.once(facts.buyer_has_vat_number))


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
class VatCategory:
    """The requirements for one VAT category."""

    code: str
    id: str  # BR-<id>-01 …
    name: str
    parties: Parties
    needs: str  # what `parties` tests, in words
    rate: Rate
    percent: str  # what `rate` tests, in words
    by_rate: bool = False  # a row of the breakdown for each rate, with a computed tax
    reason: bool = True  # whether the breakdown has an exemption reason


_ANY = "a tax number of the seller or a VAT number of the tax representative"
_VAT = "a VAT number of the seller or the tax representative"
_ZERO_RATE = (_zero, "0")
_RATE_NOT_NEGATIVE = (_not_negative, "0 or more")
_POSITIVE_RATE = (_positive, "more than 0")
_NO_RATE = (_no_rate, "left out")
_SELLER = (_seller_has_tax_number, _ANY)
_SELLER_AND_BUYER = (_seller_and_buyer_registered, f"{_ANY}, and one of the buyer")
_BOTH_VAT = (_seller_and_buyer_have_vat_numbers, f"{_VAT}, and one of the buyer")
_LOCAL_TAX = (*_SELLER, *_RATE_NOT_NEGATIVE, True, False)
VAT_CATEGORIES = (
    VatCategory("AE", "AE", "reverse charge", *_SELLER_AND_BUYER, *_ZERO_RATE),
    VatCategory("E", "E", "exempt from VAT", *_SELLER, *_ZERO_RATE),
    VatCategory("G", "G", "export outside the EU", _seller_has_vat_number, _VAT, *_ZERO_RATE),
    VatCategory("K", "IC", "supply inside the EU", *_BOTH_VAT, *_ZERO_RATE),
    VatCategory("L", "AF", "IGIC (Canary Islands)", *_LOCAL_TAX),
    VatCategory("M", "AG", "IPSI (Ceuta and Melilla)", *_LOCAL_TAX),
    VatCategory("O", "O", "not subject to VAT", _no_vat_numbers, "no VAT number at all", *_NO_RATE),
    VatCategory("S", "S", "standard rate", *_SELLER, *_POSITIVE_RATE, by_rate=True, reason=False),
    VatCategory("Z", "Z", "zero rated", *_SELLER, *_ZERO_RATE, reason=False),
)


# Requirement 1: the breakdown has a row for each category of lines, allowances and charges.


def _once_in_breakdown(code: str) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if code not in view.once(facts.all_vat_codes):
            return None
        rows = view.once(facts.breakdown_vat_codes).count(code)
        return None if rows == 1 else {"rows": rows}

    return check


def _in_breakdown_if_used(code: str, strict: bool) -> Check:
    """For IGIC and IPSI: rows match by the text as written; with `strict`, only those of VAT."""

    def check(invoice: Node, view: View) -> Values | None:
        used = code in view.once(facts.line_codes) or code in view.once(facts.adjustment_codes)
        if not used:
            return BROKEN if code in view.once(facts.breakdown_categories) else None
        rows = invoice.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
        matching = (row for row in rows if code in row.texts("cbc:ID"))
        return None if any(not strict or is_vat(row) for row in matching) else {"rows": 0}

    return check


def _standard_in_breakdown_if_used(invoice: Node, view: View) -> Values | None:
    """For the standard rate: categories of every tax count, not only of VAT."""
    used = "S" in view.once(facts.adjustment_codes_of_any_tax) or "S" in view.once(
        facts.line_codes_of_any_tax
    )
    rows = invoice.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    found = any(normalized(row.text_of("cbc:ID")) == "S" for row in rows)
    return None if used is found else {"rows": int(found)}


# Requirements 2 to 4: tax numbers of the parties, for lines, allowances and charges.


def _parties_have_numbers(
    code: str, used: Callable[[View], Iterable[str]], parties: Parties
) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if code not in view.once(used) or parties(view):
            return None
        return lacking(*_SIDES[parties], view) if parties in _SIDES else BROKEN

    return check


def _standard_lines_have_numbers(_: Node, view: View) -> Values | None:
    """For the standard rate: a line must be of VAT, and the seller must have a tax number."""
    if "S" not in view.once(facts.line_codes_of_any_tax):
        return None
    return None if "S" in view.once(facts.line_codes) and _seller_has_tax_number(view) else BROKEN


def _igic_charges_have_numbers(_: Node, view: View) -> Values | None:
    """As for other categories, but the code is compared as written."""
    if "L" not in view.once(facts.charge_codes) or _seller_has_tax_number(view):
        return None
    return BROKEN if "L" in view.once(facts.charge_codes_as_written) else None


# Requirements 5 to 7: the rate of the category.


def _rate_is(rate: Rate) -> Check:
    def check(category: Node, _: View) -> Values | None:
        return None if rate(category) else {"rate": category.texts("cbc:Percent")}

    return check


# Requirement 8: the taxable amount is lines plus charges less allowances.


def _taxable_of(code: str) -> Check:
    def check(category: Node, view: View) -> Values | None:
        for name, sums_of in _SUMS:
            if view.everywhere(name):
                declared = category.up(1).number("cbc:TaxableAmount")
                sums = view.once(sums_of)
                expected = sums.lines.get(code, ZERO) + sums.adjustments.get(code, ZERO)
                if declared is not None and declared == expected:
                    return None
                return {"declared": declared, "expected": expected}
        return BROKEN

    return check


_SUMS = (("cac:InvoiceLine", facts.invoice_sums), ("cac:CreditNoteLine", facts.credit_note_sums))


def _taxable_of_rate(code: str) -> Check:
    def check(category: Node, view: View) -> Values | None:
        rate = category.number("cbc:Percent")
        if rate is None:
            return None
        expected = None
        for name, sums_of in _SUMS:
            sums = view.once(sums_of)
            total = sums.rated_lines.get((code, rate), ZERO)
            total += sums.rated_adjustments.get((code, rate), ZERO)
            if _is_used(code, rate, name, sums, view) and _within_one(category.up(1), total):
                return None
            if expected is None or view.everywhere(name):
                expected = total  # for the finding: the sum over the lines the document has
        return {"declared": category.up(1).texts("cbc:TaxableAmount"), "expected": expected}

    return check


def _is_used(code: str, rate: Decimal, name: str, sums: facts.TaxableSums, view: View) -> bool:
    """For IGIC and IPSI any line is enough; the standard rate needs the code with the rate."""
    if code != "S":
        return bool(view.everywhere(name))
    return (code, rate) in sums.rated_lines or (code, rate) in view.once(facts.rated_adjustments)


def _within_one(subtotal: Node, expected: Decimal) -> bool:
    """Whether the taxable amount is less than 1 away, computed in doubles as officially done."""
    taxable = subtotal.only("cbc:TaxableAmount")
    if taxable is None:
        return False
    number = double_of(taxable)
    if not isfinite(number):
        raise InvalidNumber(taxable)
    return Decimal(number - 1) < expected < Decimal(number + 1)


# Requirements 9 and 10: the tax of the row, and the exemption reason.


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


_IN_BREAKDOWN = {  # other than _once_in_breakdown
    "L": _in_breakdown_if_used("L", strict=False),
    "M": _in_breakdown_if_used("M", strict=True),
    "S": _standard_in_breakdown_if_used,
}


def _add_rules(entry: VatCategory) -> None:
    code, name = entry.code, f"{entry.code} ({entry.name})"
    of_document = code == "O"  # only the allowances and charges of the document
    allowed = facts.document_allowance_codes if of_document else facts.allowance_codes
    charged = facts.document_charge_codes if of_document else facts.charge_codes
    document = contexts.DOCUMENT
    row, line = contexts.BREAKDOWN_CATEGORY.case(code), contexts.LINE_CATEGORY.case(code)
    allowance = contexts.ADJUSTMENT_CATEGORY.case((ALLOWANCE, code))
    charge = contexts.ADJUSTMENT_CATEGORY.case((CHARGE, code))
    rate = _rate_is(entry.rate)

    def add(number: str, at: Context, terms: str, check: Check, requires: str) -> None:
        categories.add(
            f"BR-{entry.id}-{number}", terms, at, check, requires,
            kind=Kind.CATEGORY, parameters={"category": code},
            fast_path=all_standard if at is document and code != "S" else None,
        )  # fmt: skip

    add(
        "01",
        document,
        "BG-23 BT-118",
        _IN_BREAKDOWN.get(code, _once_in_breakdown(code)),
        f"The VAT breakdown has a row for category {name} if and only if it is used",
    )
    add(
        "02",
        document,
        "BT-151 BT-31 BT-32 BT-63 BT-48",
        _standard_lines_have_numbers
        if code == "S"
        else _parties_have_numbers(code, facts.line_codes, entry.parties),
        f"A line of category {name} needs {entry.needs}",
    )
    add(
        "03",
        document,
        "BT-95 BT-31 BT-32 BT-63 BT-48",
        _parties_have_numbers(code, allowed, entry.parties),
        f"An allowance of category {name} needs {entry.needs}",
    )
    add(
        "04",
        document,
        "BT-102 BT-31 BT-32 BT-63 BT-48",
        _igic_charges_have_numbers
        if code == "L"
        else _parties_have_numbers(code, charged, entry.parties),
        f"A charge of category {name} needs {entry.needs}",
    )
    add(
        "05",
        line,
        "BT-151 BT-152",
        rate,
        f"The rate of a line of category {name} is {entry.percent}",
    )
    add(
        "06",
        allowance,
        "BT-95 BT-96",
        rate,
        f"The rate of an allowance of category {name} is {entry.percent}",
    )
    add(
        "07",
        charge,
        "BT-102 BT-103",
        rate,
        f"The rate of a charge of category {name} is {entry.percent}",
    )
    add(
        "08",
        row,
        "BT-116 BT-131 BT-92 BT-99",
        _taxable_of_rate(code) if entry.by_rate else _taxable_of(code),
        f"The taxable amount of category {name} is its lines and charges minus its allowances",
    )
    add(
        "09",
        row,
        "BT-117 BT-116 BT-119",
        _tax_of_rate if entry.by_rate else _no_tax,
        f"The tax of category {name} is {'taxable amount times rate' if entry.by_rate else '0'}",
    )
    add("10", row, "BT-120 BT-121", _has_reason if entry.reason else _has_no_reason,
        f"Category {name} {'has' if entry.reason else 'has no'} exemption reason")  # fmt: skip


for _entry in VAT_CATEGORIES:
    _add_rules(_entry)


@categories.rule("BR-IC-11", "BT-72 BG-14", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="K")  # fmt: skip
def intra_community_supply_has_a_date(invoice: Node, view: View) -> Values | None:
    """An intra-community supply has a delivery date (BT-72) or an invoicing period (BG-14)."""
    if "K" not in view.once(facts.breakdown_vat_codes):
        return None
    if any(period.children for period in invoice.all("cac:InvoicePeriod")):
        return None
    return None if len(invoice.text_of("cac:Delivery/cbc:ActualDeliveryDate")) > 1 else BROKEN


@categories.rule("BR-IC-12", "BT-80", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="K")  # fmt: skip
def intra_community_supply_has_a_country(invoice: Node, view: View) -> Values | None:
    """An intra-community supply has a country of delivery (BT-80)."""
    if "K" not in view.once(facts.breakdown_vat_codes):
        return None
    address = "cac:Delivery/cac:DeliveryLocation/cac:Address"
    country = invoice.text_of(f"{address}/cac:Country/cbc:IdentificationCode")
    return None if len(country) > 1 else BROKEN


def _only_outside_vat(codes: Callable[[View], Iterable[str]]) -> Check:
    def check(_: Node, view: View) -> Values | None:
        if "O" not in view.once(facts.breakdown_vat_codes):
            return None
        taxed = sorted(set(view.once(codes)) - {"O", NO_CATEGORY})
        return {"codes": taxed} if taxed else None

    return check


for _number, _codes, _what in (
    ("11", facts.breakdown_categories, "the VAT breakdown"),
    ("12", facts.line_codes, "the lines"),
    ("13", facts.allowance_codes, "the allowances"),
    ("14", facts.charge_codes, "the charges"),
):
    categories.add(
        f"BR-O-{_number}", "BT-118 BT-151 BT-95 BT-102", contexts.DOCUMENT,
        _only_outside_vat(_codes), f"If anything is not subject to VAT, so is all of {_what}",
        kind=Kind.CATEGORY, parameters={"category": "O"}, fast_path=all_standard,
    )  # fmt: skip


def _is_split_payment(view: View) -> bool:
    return any("B" in each.texts("cbc:ID") for each in view.once(facts.tax_categories))


@categories.rule("BR-B-01", "BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="B")  # fmt: skip
def split_payment_is_italian(_: Node, view: View) -> Values | None:
    """Split payment (BT-118, BT-151: B) is only used inside Italy."""
    if not view.once(_is_split_payment):
        return None
    countries = {country.text for country in view.everywhere("cbc:IdentificationCode")}
    abroad = countries - {"IT"}
    return {"countries": sorted(abroad)} if abroad else None


@categories.rule("BR-B-02", "BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY,
                 fast_path=all_standard, category="B")  # fmt: skip
def split_payment_excludes_standard_rate(invoice: Node, view: View) -> Values | None:
    """Split payment (B) and the standard rate (S) are not used in one invoice (BT-118, BT-151)."""
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
        text
        for each in view.everywhere("cac:ClassifiedTaxCategory")
        for text in each.texts("cbc:ID")
    }
    return BROKEN if {"B", "S"} <= codes else None
