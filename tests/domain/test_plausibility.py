"""Decisions 20.3: allowed values that are probably wrong have a warning each."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.domain.request import SendDefaults

TODAY = date(2026, 11, 21)
CODES = {
    "iban-check-digits-wrong",
    "gtin-check-digit-wrong",
    "tax-rate-below-one",
    "due-date-before-issue-date",
    "issue-date-far-off",
    "credit-note-negative",
}


def found(result):
    return [(w.code, w.field) for w in result.warnings if w.code in CODES]


@pytest.mark.parametrize(
    ("means", "warned"),
    [
        ({"iban": "BE68 5390 0754 7034"}, False),
        ({"iban": "BE68 5390 0754 7035"}, True),
        ({"iban": "5390-0754703"}, False),
        ({"iban": "BE68539007547035", "mandateReference": "M-1"}, True),
        ({"iban": "BE68539007547034", "mandateReference": "M-1"}, False),
        ({}, False),
    ],
)
def test_an_iban_with_wrong_check_digits_is_reported(derived, means, warned):
    """Of credit transfer and direct debit; an account of another form is not judged."""
    expected = [("iban-check-digits-wrong", "invoice.paymentMeans.iban")] if warned else []

    assert found(derived(paymentMeans=means)) == expected


@pytest.mark.parametrize(
    ("item", "warned"),
    [
        ({"scheme": "0160", "id": "4006381333931"}, False),
        ({"scheme": "0160", "id": "4006381333932"}, True),
        ({"scheme": "0160", "id": "96385074"}, False),
        ({"scheme": "0160", "id": "963850740"}, True),
        ({"scheme": "0160", "id": "SKU-1"}, True),
        ({"scheme": "0088", "id": "4006381333932"}, False),
    ],
)
def test_a_gtin_with_a_wrong_check_digit_is_reported(derived, a_line, item, warned):
    expected = [("gtin-check-digit-wrong", "invoice.lineItems[1].standardItemId.id")]

    result = derived(a_line(), a_line(standardItemId=item))

    assert found(result) == (expected if warned else [])


@pytest.mark.parametrize(
    ("rate", "warned"), [("0", False), ("0.01", True), ("0.99", True), ("1", False), ("21", False)]
)
def test_a_tax_rate_above_0_and_below_1_is_reported(derived, a_line, rate, warned):
    expected = [("tax-rate-below-one", "invoice.lineItems[1].taxRate")] if warned else []

    assert found(derived(a_line(), a_line("1", "100", rate))) == expected


@pytest.mark.parametrize("name", ["allowances", "charges"])
def test_a_low_tax_rate_of_an_allowance_or_charge_is_reported(derived, name):
    """The place is counted among the allowances, or among the charges."""
    entries = [
        {"amount": Decimal(10), "reason": "Other", "taxRate": rate}
        for rate in (Decimal(21), Decimal("0.21"))
    ]
    other = {"charges": "allowances", "allowances": "charges"}[name]

    result = derived(**{name: entries, other: entries[:1]})

    assert found(result) == [("tax-rate-below-one", f"invoice.{name}[1].taxRate")]


@pytest.mark.parametrize(
    ("due", "warned"), [(date(2026, 11, 21), False), (date(2026, 11, 20), True)]
)
def test_a_due_date_before_the_issue_date_is_reported(derived, due, warned):
    expected = [("due-date-before-issue-date", "invoice.dueDate")] if warned else []

    assert found(derived(issueDate=date(2026, 11, 21), dueDate=due)) == expected


@pytest.mark.parametrize(
    ("kind", "price", "warned"),
    [
        ("creditNote", "50", False),
        ("creditNote", "-50", True),
        ("creditNote", "0", False),
        ("selfBilledCreditNote", "-50", True),
        ("invoice", "-50", False),
    ],
)
def test_a_credit_note_with_a_negative_total_is_reported(derived, a_line, kind, price, warned):
    """The type says that amounts are credited: a negative one charges the buyer."""
    expected = [("credit-note-negative", "invoice.totals.grandTotal")] if warned else []

    assert found(derived(a_line(unitPrice=Decimal(price)), type=kind)) == expected


@pytest.mark.parametrize(
    ("issued", "warned"),
    [
        (date(2025, 11, 21), False),
        (date(2025, 11, 20), False),
        (date(2025, 11, 19), True),
        (date(2027, 11, 22), False),
        (date(2027, 11, 23), True),
    ],
)
def test_an_issue_date_more_than_a_year_off_is_reported(derived, issued, warned):
    """A year is 366 days, so that the same day of another year never counts as further away."""
    expected = [("issue-date-far-off", "invoice.issueDate")] if warned else []

    result = derived(issueDate=issued, dueDate=issued, defaults=SendDefaults(today=TODAY))

    assert found(result) == expected


def test_without_a_current_date_the_issue_date_is_not_judged(derived):
    assert found(derived(issueDate=date(1999, 1, 1), dueDate=date(1999, 2, 1))) == []
