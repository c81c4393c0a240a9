"""Numbers, dates and texts are read as XPath 2.0 reads them."""

from __future__ import annotations

from decimal import Decimal, localcontext

import pytest

from einvoice.rules.evaluation_errors import (
    InvalidBoolean,
    InvalidDate,
    InvalidNumber,
    MoreThanOneItem,
)
from einvoice.rules.node import Node
from einvoice.rules.values import (
    EXACT,
    boolean_of,
    decimals,
    moment_of,
    normalized,
    parse_decimal,
    parse_double,
    to_cents,
    to_integer,
)


def text(content: str) -> Node:
    return Node.tree("cac:Line", {"cbc:Text": content}).all("cbc:Text")[0]


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1.50", Decimal("1.50")),
        (" 7\n", Decimal(7)),
        ("+.5", Decimal("0.5")),
        ("5.", Decimal(5)),
        ("1e3", None),
        ("NaN", None),
        ("1_000", None),
        ("1,00", None),
        ("١٢", None),
        ("", None),
        ("\u00a07", None),
        ("9" * 500, Decimal("9" * 500)),
        ("9" * 501, None),
    ],
)
def test_a_decimal_has_digits_and_one_point_at_most(written, number):
    """No exponent, no separators, only ASCII digits; XML white space around it does not count."""
    assert parse_decimal(written) == number


@pytest.mark.parametrize(
    ("written", "number"), [("1e3", 1000.0), ("-INF", float("-inf")), ("abc", None), ("0x1", None)]
)
def test_a_double_may_have_an_exponent(written, number):
    """A text is cast to a double if a rule compares it with a number."""
    assert parse_double(written) == number


@pytest.mark.parametrize(
    ("number", "cents", "whole"),
    [
        ("0.125", "0.13", 0),
        ("-0.125", "-0.12", 0),
        ("0.124999", "0.12", 0),
        ("-0.126", "-0.13", 0),
        ("2.5", "2.50", 3),
        ("-2.5", "-2.50", -2),
        ("-2.51", "-2.51", -3),
    ],
)
def test_half_goes_towards_plus_infinity(number, cents, whole):
    """Neither half up nor half even: round(-2.5) is -2."""
    assert to_cents(Decimal(number)) == Decimal(cents)
    assert to_integer(Decimal(number)) == whole


def test_sums_and_products_of_the_longest_numbers_are_exact():
    """Amounts have up to 500 digits."""
    longest = Decimal("9" * 500)
    with localcontext(EXACT):
        assert to_cents(longest * longest) - longest * longest == 0


@pytest.mark.parametrize(
    ("written", "count"), [("1.2", 1), ("1.250", 3), ("7", 0), ("1.2.3", 3), (".", 0), ("1. ", 1)]
)
def test_decimals_are_counted_on_the_text(written, count):
    """All characters behind the first point."""
    assert decimals(written) == count


@pytest.mark.parametrize(
    ("written", "expected"),
    [(" a \t b\n", "a b"), ("VAT", "VAT"), ("", ""), ("\u00a0S", "\u00a0S"), ("a\r\nb", "a b")],
)
def test_only_xml_white_space_is_normalized(written, expected):
    """A no-break space is not white space in XML."""
    assert normalized(written) == expected


@pytest.mark.parametrize(("written", "truth"), [("true", True), ("1", True), (" 0 ", False)])
def test_a_boolean_has_four_spellings(written, truth):
    assert boolean_of(text(written)) is truth


@pytest.mark.parametrize("written", ["TRUE", "yes", "", "01"])
def test_any_other_spelling_raises(written):
    with pytest.raises(InvalidBoolean):
        boolean_of(text(written))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-02-28", " 2026-03-01 "),
        ("2026-02-28+01:00", "2026-02-28Z"),
        ("2026-02-28", "2026-02-28-00:01"),
        ("-0001-12-31", "0000-01-01"),
        ("0000-02-29", "0001-01-01"),
        ("9999-12-31", "10000-01-01"),
    ],
)
def test_dates_of_any_year_and_zone_are_comparable(earlier, later):
    assert moment_of(text(earlier)) < moment_of(text(later))


def test_a_date_without_a_zone_is_in_utc():
    assert moment_of(text("2026-02-28")) == moment_of(text("2026-02-28Z"))


@pytest.mark.parametrize(
    "written",
    ["2026-02-30", "2025-02-29", "20260228", "2026-2-28", "", "02026-01-01", "2026-01-01+15:00"],
)
def test_a_text_that_is_not_a_date_raises(written):
    with pytest.raises(InvalidDate):
        moment_of(text(written))


def test_a_function_of_one_value_raises_for_several():
    """Several elements raise; an absent one is an empty text and no number."""
    party = Node.tree("cac:Party", {"cbc:ID": ["1", "x"], "cac:Name": {"cbc:ID": "x"}})

    assert party.text_of("cbc:Name") == ""
    assert party.number("cbc:Name") is None
    assert party.texts("cbc:ID") == ["1", "x"]
    with pytest.raises(MoreThanOneItem):
        party.text_of("cbc:ID")
    with pytest.raises(InvalidNumber):
        party.number("cac:Name/cbc:ID")


def test_a_path_selects_the_elements_of_every_group():
    """In document order; none if a step is missing."""
    parties = {"cac:Party": [{"cbc:ID": ["1", "2"]}, {}, {"cbc:ID": "3"}]}
    root = Node.tree("ubl:Invoice", parties)

    assert root.texts("cac:Party/cbc:ID") == ["1", "2", "3"]
    assert [node.place for node in root.all("cac:Party/cbc:ID")][2] == "/Invoice[1]/Party[3]/ID[1]"
    assert not root.has("cac:Party/cbc:ID/cbc:ID")
    assert root.all("cac:Party/cbc:ID")[1].within("cac:Party")
