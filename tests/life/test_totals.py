"""Everyday totals of other systems' users: each case is accepted, or told what would be."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from typing import Any

import pytest

from einvoice.domain.errors import DeclaredTotalsMismatch, InvalidField
from einvoice.domain.money import EXACT, cents
from einvoice.domain.request import TotalsRule
from einvoice.domain.rounded_totals import rounded
from einvoice.domain.totals import compute
from einvoice.web import json
from einvoice.web.shared.send_bodies import read_send
from tests.life.dry import D, a_body, a_line, refused, sent

KWH = a_line("1234.567", "0.087654")
HOURS = a_line("7.75", "83.33", 21)
PARCELS = [a_line(1, "0.99", 19)] * 600
COINS = [a_line(1, "10.01", 20)] * 3
LONG_PRICE = a_line("278362.5", "0.01110515964")
PER_SEVEN = a_line(1, 10, priceBaseQuantity=7)
SCREWS = a_line(2500, "12.34", priceBaseQuantity=1000)

# By case: the lines, the rule, the totals, and what the document says: without VAT, VAT, to pay.
HOLDS: dict[str, tuple[list[dict[str, Any]], str | None, tuple[object, ...], str]] = {
    "an electricity line, in cents": ([KWH], "rounded", ("108.21", 0, "108.21"), "108.21 0 108.21"),
    "an electricity line, exactly": (
        [KWH], None, ("108.214735818", 0, "108.214735818"), "108.21 0 108.21",
    ),
    "hours by a rate, in cents": (
        [HOURS], "rounded", ("645.81", "135.62", "781.43"), "645.81 135.62 781.43",
    ),
    "hours by a rate, exactly": (
        [HOURS], "exact", ("645.8075", "135.62", "781.4275"), "645.81 135.62 781.43",
    ),
    "VAT per document": (COINS, "rounded", ("30.03", "6.01", "36.04"), "30.03 6.01 36.04"),
    "VAT per line": (COINS, "rounded", ("30.03", "6.00", "36.03"), "30.03 6.00 36.03"),
    "600 parcels with the VAT of their sum": (
        PARCELS, "rounded", (594, "112.86", "706.86"), "594 112.86 706.86",
    ),
    "600 parcels as the contract adds them": (PARCELS, None, (594, 114, 708), "594 112.86 708"),
    "a price with eleven decimals": (
        [LONG_PRICE], "rounded", ("3091.26", 0, "3091.26"), "3091.26 0 3091.26",
    ),
    "a price with eleven decimals, exactly": (
        [LONG_PRICE], None, ("3091.26000028950", 0, "3091.26000028950"), "3091.26 0 3091.26",
    ),
    "a price per 7 pieces, in cents": (
        [PER_SEVEN], "rounded", ("1.43", 0, "1.43"), "1.43 0 1.43",
    ),
    "a price per 7 pieces, with eight decimals": (
        [PER_SEVEN], None, ("1.42857143", 0, "1.42857143"), "1.43 0 1.43",
    ),
    "a price per 1,000 screws": ([SCREWS], None, ("30.85", 0, "30.85"), "30.85 0 30.85"),
    "an amount due in whole kronor": (
        [a_line(1, "100.02", 21)], None,
        ("100.02", 21, "121.02", {"payableRounding": D("-0.02"), "payableAmount": 121}),
        "100.02 21 121",
    ),
    "an amount due in 0.05 francs, with a payment in advance": (
        [a_line(1, "100.02", 21)], "rounded",
        ("100.02", 21, "121.02", {"payableRounding": D("-0.02"), "prepaidAmount": 21}),
        "100.02 21 100",
    ),
    "three times a third": ([a_line(3, "33.33")], None, ("99.99", 0, "99.99"), "99.99 0 99.99"),
    "a line discount in percent": (
        [a_line(1, 10632, allowances=[
            {"amount": D("1694.00"), "percent": D("15.93303"), "baseAmount": 10632,
             "reason": "Discount"}])],
        None, (8938, 0, 8938), "8938 0 8938",
    ),
    "a free sample": ([a_line(1, 0), a_line(1, 5)], None, (5, 0, 5), "5 0 5"),
    "twenty decimals that are zero": (
        [a_line(1, "100.00000000000000000000")], None,
        ("100.00000000000000000000", 0, "100.00000000000000000000"), "100 0 100",
    ),
}  # fmt: skip


def test_everyday_totals_hold():
    failed = []
    for name, (lines, rule, totals, expected) in HOLDS.items():
        found = sent(a_body(*lines, totals=totals, rule=rule))
        said = found.invoice.totals
        values = [said.tax_exclusive, said.tax, said.payable]
        if values != list(map(D, expected.split())) or found.report.errors:
            failed.append((name, values, [each.message for each in found.report.errors]))

    assert failed == []


# By case: the lines, the rule, the totals, the words, and the option under which they hold.
REFUSED: dict[str, tuple[list[dict[str, Any]], str | None, tuple[object, ...], str, str | None]] = {
    "an electricity line in cents, exactly": (
        [KWH], None, ("108.21", 0, "108.21"),
        'they hold with options.totals "rounded"', "rounded",
    ),
    "an exact sum, in cents": (
        [HOURS], "rounded", ("645.8075", "135.62", "781.4275"),
        'they hold with options.totals "exact"', "exact",
    ),
    "VAT per document, exactly": (
        COINS, None, ("30.03", "6.01", "36.04"), 'they hold with options.totals "rounded"',
        "rounded",
    ),
    "a sum that nobody computes": (
        [HOURS], None, ("645.80", "135.62", "781.42"),
        'options.totals "rounded", subtotal 645.81, taxAmount 135.62 and grandTotal 781.43 hold',
        None,
    ),
    "a sum that nobody computes, in cents": (
        [HOURS], "rounded", ("645.80", "135.62", "781.42"),
        "subtotal is 645.80, but the lines in cents come to 645.81", None,
    ),
    "a VAT that the rules refuse": (
        PARCELS, "rounded", (594, 114, 708),
        "114.00 at 19 % is 1.00 or more from 112.86, which rule BR-CO-17 refuses", "exact",
    ),
    "a VAT that nobody computes": (
        COINS, "rounded", ("30.03", "6.02", "36.05"),
        "taxAmount is 6.02, but the VAT of each rate comes to 6.01, and that of each line to 6.00",
        None,
    ),
    "a rounded amount due without its rounding": (
        [a_line(1, "100.02", 21)], None, ("100.02", 21, "121.02", {"payableAmount": 121}),
        "if the amount due is rounded, send payableRounding -0.02 too", None,
    ),
    "a rounding that is not the difference": (
        [a_line(1, "100.02", 21)], None,
        ("100.02", 21, "121.02", {"payableAmount": 121, "payableRounding": D("-0.03")}),
        "payableAmount is 121, but with prepaidAmount and payableRounding it is 120.99", None,
    ),
    "a grand total that is no sum": (
        COINS, "rounded", ("30.03", "6.01", "36.05"),
        "grandTotal is 36.05, but subtotal + taxAmount is 36.04", None,
    ),
}  # fmt: skip


def test_a_refusal_says_what_would_hold():
    failed = []
    for name, (lines, rule, totals, words, holds) in REFUSED.items():
        refusal = refused(a_body(*lines, totals=totals, rule=rule))
        assert isinstance(refusal, DeclaredTotalsMismatch), name
        if words not in refusal.detail or refusal.extras().get("holdsUnder") != holds:
            failed.append((name, refusal.detail, refusal.extras().get("holdsUnder")))

    assert failed == []


@pytest.mark.parametrize("field", ["unitPrice", "quantity"])
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0.30000000000000004", "is 0.3 with the noise of binary arithmetic"),
        ("1998.9999999999998", "is 1999 with the noise of binary arithmetic"),
        ("0.1234567890123456", "has more than 15 digits after the point"),
    ],
)
def test_noise_of_binary_arithmetic_is_named(field, written, said):
    """A third in JavaScript (0.3333333333333333) is not noise, but has 16 decimals."""
    refusal = refused(a_body(a_line(1, 1) | {field: D(written)}, totals=(1, 0, 1)))

    assert isinstance(refusal, InvalidField)
    assert said in refusal.errors[0].message
    assert refusal.errors[0].pointer == f"/invoice/lineItems/0/{field}"


def test_noise_in_a_total_is_named():
    refusal = refused(a_body(a_line(3, "0.1"), totals=("0.30000000000000004", 0, "0.3")))

    assert isinstance(refusal, InvalidField)
    assert refusal.errors[0].pointer == "/invoice/totals/subtotal"


def some_lines(chance: random.Random) -> list[dict[str, Any]]:
    def drawn(most: int) -> Decimal:
        places = chance.randint(0, 8)
        return Decimal(chance.randint(-(10**places) // 9, most * 10**places)).scaleb(-places)

    def line() -> dict[str, Any]:
        more: dict[str, Any] = {}
        if chance.random() < 0.2:
            more["priceBaseQuantity"] = chance.choice([7, 12, 100, D("0.3")])
        if chance.random() < 0.2:
            more["allowances"] = [{"amount": drawn(3)}]
        return a_line(drawn(40), drawn(300), chance.choice([21, 12, D("5.5"), 0]), **more)

    return [line() for _ in range(chance.randint(1, 9))]


def totals_under(rule: TotalsRule, lines: list[dict[str, Any]]) -> tuple[Decimal, Decimal, Decimal]:
    request = read_send(json.write(a_body(*lines, totals=(0, 0, 0))))["invoice"]
    with localcontext(EXACT):
        found = compute(request)
        if rule is TotalsRule.ROUNDED:
            found = rounded(request, found).usual
        return found.subtotal, found.tax, found.subtotal + found.tax


def faults(rule: TotalsRule, count: int) -> list[object]:
    """Random lines whose totals are refused, or are not those of the document."""
    chance, found = random.Random(rule.value), []
    for _ in range(count):
        lines = some_lines(chance)
        subtotal, tax, grand = totals_under(rule, lines)
        said = sent(a_body(*lines, totals=(subtotal, tax, grand), rule=rule.value)).invoice.totals
        with localcontext(EXACT):
            if (said.tax_exclusive, said.tax) != (cents(subtotal), tax):
                found.append((lines, subtotal, tax, said))
    return found


@pytest.mark.parametrize("rule", TotalsRule)
def test_some_totals_of_any_lines_can_be_sent_and_stand_in_the_document(rule):
    assert faults(rule, 25) == []


@pytest.mark.more
@pytest.mark.parametrize("rule", TotalsRule)
def test_some_totals_of_thousands_of_lines_can_be_sent(rule):
    assert faults(rule, 1_000) == []


@pytest.mark.parametrize(
    ("total", "currency", "warned"),
    [("1101.10", "JPY", True), ("1101", "JPY", False), ("1101.10", "EUR", False)],
)
def test_a_fraction_of_a_currency_without_decimals_is_told(total, currency, warned):
    found = sent(a_body(a_line(1, total), totals=(total, 0, total), currency=currency))

    assert ("currency-without-decimals" in found.codes) is warned


@pytest.mark.parametrize(
    ("kind", "code"),
    [("invoice", "invoice-negative"), ("creditNote", "credit-note-negative")],
)
def test_a_negative_total_is_told(kind, code):
    line, other = a_line(-1, 100), a_line(1, 100)
    assert code in sent(a_body(line, totals=(-100, 0, -100), type=kind)).codes
    assert code not in sent(a_body(other, totals=(100, 0, 100), type=kind)).codes


def test_amounts_as_text_are_refused_by_name():
    body = a_body(a_line(1, 100), totals=(100, 0, 100))
    body["invoice"]["totals"] |= {"subtotal": "100,00", "grandTotal": "100.00"}
    refusal = refused(body)

    assert isinstance(refusal, InvalidField)
    assert {error.message for error in refusal.errors} == {"must be a number, not text"}
    assert len(refusal.errors) == 2
