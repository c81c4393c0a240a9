"""Decisions 0.2, 17.14, 19.15: totals are compared exactly; a refusal has the computed values."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest

from einvoice.domain.declared_totals import check_declared
from einvoice.domain.errors import DeclaredTotalsMismatch, InvalidField
from einvoice.domain.money import EXACT
from einvoice.domain.totals import extension

D = Decimal
LARGE = "999999999999999999999980000000.0000000000000001"


def totals(subtotal: str, tax: str, grand: str, **more: str) -> dict[str, D]:
    return {"subtotal": D(subtotal), "taxAmount": D(tax), "grandTotal": D(grand)} | {
        name: D(value) for name, value in more.items()
    }


@pytest.mark.parametrize(
    ("lines", "declared"),
    [
        ([("2", "50.00", "21.0")], ("100", "21", "121")),
        ([("2", "50.00", "21.0")], ("100.00", "21.00", "121.000")),
        # tax is rounded line by line, half away from zero
        ([("1", "0.05", "10"), ("1", "0.05", "10")], ("0.10", "0.02", "0.12")),
        ([("1", "-0.05", "10")], ("-0.05", "-0.01", "-0.06")),
        ([("1", "1.125", "4")], ("1.125", "0.05", "1.175")),
        # line extensions are not rounded
        ([("3", "0.333", "0")], ("0.999", "0", "0.999")),
        ([("0.00000001", "0.5", "21")], ("0.000000005", "0", "0.000000005")),
        ([("-1", "100", "21")], ("-100", "-21", "-121")),
        ([("0", "100", "21")], ("0", "0", "0")),
        # more digits than a double or the default decimal context holds
        (
            [("999999999999999.99999999", "999999999999999.99999999", "0")],
            (LARGE, "0", LARGE),
        ),
        (
            [("1", "123456789012345.67", "21")],
            ("123456789012345.67", "25925925692592.59", "149382714704938.26"),
        ),
    ],
)
def test_equal_totals_pass(a_request, a_line, lines, declared):
    request = a_request(*[a_line(*line) for line in lines], totals=totals(*declared))

    computed = check_declared(request)

    assert (computed.subtotal, computed.tax) == (D(declared[0]), D(declared[1]))


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        (("100.01", "21", "121.01"), ["subtotal"]),
        (("99.99", "21", "120.99"), ["subtotal"]),
        (("100.00000001", "21", "121.00000001"), ["subtotal"]),
        (("100", "21.01", "121.01"), ["taxAmount"]),
        (("100", "20.99", "120.99"), ["taxAmount"]),
        (("100", "21", "121.01"), ["grandTotal"]),
        (("100", "21", "120.99999999"), ["grandTotal"]),
        (("99", "20", "118"), ["subtotal", "taxAmount", "grandTotal"]),
    ],
)
def test_a_difference_in_the_last_digit_is_refused(a_request, a_line, declared, named):
    """Each of the three totals is compared, and every difference is named at once."""
    request = a_request(a_line("2", "50.00", "21.0"), totals=totals(*declared))

    with pytest.raises(DeclaredTotalsMismatch) as refusal:
        check_declared(request)

    assert [part.split()[0] for part in str(refusal.value).split("; ")] == named
    assert refusal.value.extras() == {
        "computedSubtotal": D(100),
        "computedTaxAmount": D(21),
        "computedGrandTotal": D(121),
        "computedLineExtensions": [D(100)],
    }


def test_a_rate_written_as_a_fraction_is_recognised(a_request, a_line):
    """The most frequent cause of a tax that is a hundred times too large."""
    request = a_request(a_line("2", "50", "0.21"), totals=totals("100", "21", "121"))
    with pytest.raises(DeclaredTotalsMismatch) as refused:
        check_declared(request)

    assert "a taxRate of 0.21 is 0.21 %: if you mean 21 %, write 21" in refused.value.detail


@pytest.mark.parametrize("rate", ["0", "1", "21"])
def test_other_rates_are_not_taken_for_fractions(a_request, a_line, rate):
    request = a_request(a_line("2", "50", rate), totals=totals("100", "7", "107"))
    with pytest.raises(DeclaredTotalsMismatch) as refused:
        check_declared(request)

    assert "a taxRate of" not in refused.value.detail


def test_a_difference_is_refused_with_both_amounts(a_request, a_line):
    request = a_request(a_line("2", "50", "21"), totals=totals("99", "20", "118"))
    with pytest.raises(DeclaredTotalsMismatch) as refused:
        check_declared(request)

    assert refused.value.detail.split("; ") == [
        "subtotal is 99, but the lines come to 100",
        "taxAmount is 20, but the taxes per line come to 21.00",
        "grandTotal is 118, but subtotal + taxAmount is 119",
    ]


@pytest.mark.parametrize(
    ("declared", "passes"),
    [
        ({"prepaidAmount": "21", "payableAmount": "100"}, True),
        ({"prepaidAmount": "21", "payableAmount": "100.01"}, False),
        ({"payableAmount": "121.00"}, True),
        ({"payableAmount": "120"}, False),
        ({"prepaidAmount": "500"}, True),
    ],
)
def test_a_declared_payable_amount_must_be_correct(a_request, a_line, declared, passes):
    request = a_request(a_line("2", "50", "21"), totals=totals("100", "21", "121", **declared))

    if passes:
        assert check_declared(request).subtotal == 100
    else:
        with pytest.raises(DeclaredTotalsMismatch) as refusal:
            check_declared(request)
        prepaid = D(declared.get("prepaidAmount", "0"))
        assert refusal.value.extras()["computedPayableAmount"] == 121 - prepaid


def amount(value: str, **more: object) -> dict[str, object]:
    return {"amount": D(value)} | more


def test_line_allowances_charges_and_base_quantity_count(a_request, a_line):
    """Decisions 19.15: quantity x unitPrice / priceBaseQuantity - allowances + charges."""
    line = a_line(
        "30",
        "12",
        "10",
        priceBaseQuantity=D(10),
        allowances=[amount("1.50"), amount("0.50")],
        charges=[amount("4")],
    )

    computed = check_declared(a_request(line, totals=totals("38", "3.8", "41.8")))

    assert computed.extensions == (D(38),)


def test_document_allowances_and_charges_count_with_their_own_rounded_tax(a_request, a_line):
    """Decisions 19.15: subtotal = lines - allowances + charges; taxes are rounded one by one."""
    request = a_request(
        a_line("1", "100", "21"),
        allowances=[amount("0.05", taxRate=D(10)), amount("0.05", taxRate=D(10))],
        charges=[amount("0.50", taxRate=D(21))],
        totals=totals("100.40", "21.09", "121.49"),
    )

    assert check_declared(request).tax == D("21.09")


def test_an_endless_quotient_is_rounded_to_the_digits_a_request_can_carry(a_request, a_line):
    """Otherwise no subtotal could ever equal a price of 1 per 3 pieces."""
    line = a_line("10", "1", "0", priceBaseQuantity=D(3))

    check_declared(a_request(line, totals=totals("3.33333333", "0", "3.33333333")))
    with pytest.raises(DeclaredTotalsMismatch):
        check_declared(a_request(line, totals=totals("3.33", "0", "3.33")))


@pytest.mark.parametrize(
    ("quantity", "price", "base", "expected"),
    [
        ("1", "0.00000003", "2", "0.000000015"),
        ("0.00000001", "0.00000001", "1", "0.0000000000000001"),
        ("0.00000001", "0.00000001", "2", "0"),
        ("2", "1", "3", "0.66666667"),
    ],
)
def test_only_a_quotient_of_more_than_sixteen_decimals_is_rounded(
    a_line, quantity, price, base, expected
):
    """Products of request numbers have up to sixteen decimals and are exact."""
    with localcontext(EXACT):
        assert extension(a_line(quantity, price, priceBaseQuantity=D(base))) == D(expected)


@pytest.mark.parametrize(("category", "expected"), [(None, "S"), ("", "S"), ("L", "L")])
def test_an_adjustment_without_a_rate_may_have_a_category(a_request, a_line, category, expected):
    given = {} if category is None else {"taxCategory": category}
    request = a_request(a_line("1", "100", "21"), charges=[amount("10", **given)])

    [adjustment] = check_declared(request).adjustments
    assert (adjustment.category, adjustment.rate) == (expected, 21)


def test_an_adjustment_without_a_rate_has_that_of_the_lines(a_request, a_line):
    lines = [a_line("1", "100", "21"), a_line("2", "10", "21.0")]
    declared = totals("110", "23.10", "133.10")

    computed = check_declared(a_request(*lines, allowances=[amount("10")], totals=declared))

    assert [(a.category, a.rate, a.tax) for a in computed.adjustments] == [("S", D(21), D("2.10"))]


def test_an_adjustment_without_a_rate_needs_one_when_the_lines_differ(a_line):
    """Only the caller knows it; the error points at the field."""
    request = {
        "lineItems": [a_line("1", "100", "21"), a_line("1", "10", "6")],
        "charges": [amount("1", taxRate=D(6)), amount("10")],
        "totals": totals("121", "21", "142"),
    }

    with pytest.raises(InvalidField) as refusal:
        check_declared(request)

    assert [(e.pointer, e.code) for e in refusal.value.errors] == [
        ("/invoice/charges/1/taxRate", "required")
    ]
