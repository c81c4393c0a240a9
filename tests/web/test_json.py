"""Decisions 0.10, 19.2 and 19.16: one reading of every body, one form of every value."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from flask import Flask

from einvoice.domain.errors import InvalidBody
from einvoice.web.json import (
    MAX_CONTAINERS,
    MAX_NAMES,
    MAX_VALUES,
    UNREADABLE,
    Provider,
    read_object,
    write,
)
from tests import effort


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": 0.10}', "0.10"),
        (b'{"a": 1e2}', "1E+2"),
        (b'{"a": 0.12345678901234567890123}', "0.12345678901234567890123"),
        (b'{"a": -0.0}', "-0.0"),
        (b'{"a": 7}', "7"),
        (b'{"a": 999999999999999999999999999999}', "999999999999999999999999999999"),
    ],
)
def test_numbers_are_read_as_written(body, value):
    assert str(read_object(body)["a"]) == value


@pytest.mark.parametrize(
    "number",
    [
        b"9" * 4301,
        b"9" * 1_000_000,
        b"-" + b"9" * 5000,
        b"1e99999999999999999999",
        b"1E-" + b"9" * 30,
    ],
)
def test_an_extreme_number_is_read_fast_and_refused_by_every_field(number):
    """19.2: it is the field that is invalid, not the body."""
    body = b'{"a": 1, "b": 0.5, "c": ' + number + b"}"

    assert read_object(body) == {"a": 1, "b": Decimal("0.5"), "c": UNREADABLE}
    assert effort.within(0.1, lambda: read_object(body))


def nested(levels: int) -> bytes:
    return b'{"a": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"[]", "object"),
        (b"null", "object"),
        (b'"text"', "object"),
        (b"1", "object"),
        (b"{", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": 1,}', "not JSON"),
        (b'{"a": 01}', "not JSON"),
        (b'{"a": 1} {}', "not JSON"),
        (b'{"a": "\x01"}', "not JSON"),
        (b'{"a": "\\x"}', "not JSON"),
        (b'{"a": 1, "a": 1}', "'a' occurs twice"),
        (b'{"a": [{"b": 1, "c": 2, "b": 3}]}', "'b' occurs twice"),
        (b'{"a": 1, "\\u0061": 1}', "'a' occurs twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": Infinity}', "Infinity"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": "\xe9"}', "not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a": "\xc0\xaf"}', "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        ('{"a": 1}'.encode("utf-16-le"), "not JSON"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"\\udc00": 1}', "surrogate"),
        (b'{"a": [["\\ud83dx\\ude00"]]}', "surrogate"),
        (nested(33), "deeper than 32"),
        (nested(500), "deeper than 32"),
        (nested(5000), "deeper than 32"),
        (b"[" * 20_000, "deeper than 32"),
    ],
    ids=lambda value: repr(value[:24]) if isinstance(value, bytes) else "",
)
def test_ambiguous_json_is_refused(body, words):
    """19.2"""
    with pytest.raises(InvalidBody, match=words):
        read_object(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'\n {"a": "\\ud83d\\ude00"} \n', {"a": "\U0001f600"}),
        (b'{"a": "\\\\ud800"}', {"a": "\\ud800"}),
        ('{"a": "é€"}'.encode(), {"a": "é€"}),
        (b'{"a": [], "b": {}}', {"a": [], "b": {}}),
    ],
)
def test_unusual_but_valid_json_is_read(body, value):
    assert read_object(body) == value


def test_thirty_two_levels_are_not_too_deep():
    assert read_object(nested(32))
    assert read_object(b'{"a": [' + b'{"b": "[[[["},' * 40 + b"1]}")


def test_a_repeated_key_among_many_is_named():
    with pytest.raises(InvalidBody, match="k7"):
        read_object(b"{" + named(MAX_NAMES - 1) + b', "k7": 1}')


def named(count: int) -> bytes:
    return b",".join(b'"k%d":1' % number for number in range(count))


def listed(item: bytes, count: int) -> bytes:
    return b'{"a":[' + (item + b",") * (count - 1) + item + b"]}"


LARGEST = {
    "names": lambda: b"{" + named(MAX_NAMES) + b"}",
    "values": lambda: listed(b"1", MAX_VALUES),
    "lists": lambda: listed(b"[]", MAX_CONTAINERS - 2),
    "objects": lambda: listed(b'{"n":1,"m":"x"}', MAX_CONTAINERS - 2),
    "in texts": lambda: listed(b'"' + b"," * 40 + b'[\\"{\\\\"', MAX_CONTAINERS),
}


@pytest.mark.parametrize("made", LARGEST.values(), ids=LARGEST)
def test_a_body_at_the_bounds_is_read(made):
    """Commas, brackets and quotes within texts are no values."""
    assert read_object(made())


TOO_LARGE = {
    "names": (lambda: b"{" + named(MAX_NAMES + 1) + b"}", "1,001 names"),
    "names below": (lambda: b'{"a":{"b":[{' + named(MAX_NAMES + 1) + b"}]}}", "1,001 names"),
    "names beyond the values": (lambda: b"{" + named(310_000) + b"}", "300,000 values"),
    "values": (lambda: listed(b"1", MAX_VALUES + 1), "300,000 values"),
    "millions of numbers": (lambda: listed(b"1", 6_000_000), "300,000 values"),
    "millions of decimals": (lambda: listed(b"1.5", 3_000_000), "300,000 values"),
    "millions of texts": (lambda: listed(b'""', 4_000_000), "300,000 values"),
    "texts": (lambda: listed(b'"\\""', MAX_VALUES + 1), "300,000 values"),
    "lists": (lambda: listed(b"[]", MAX_CONTAINERS), "objects and lists"),
    "a million objects": (lambda: listed(b'{"a":[1,2]}', 1_000_000), "more than"),
}


@pytest.mark.parametrize(("made", "words"), TOO_LARGE.values(), ids=TOO_LARGE)
def test_too_many_values_are_refused_before_they_are_read(made, words):
    body = made()

    def refused() -> None:
        with pytest.raises(InvalidBody, match=words):
            read_object(body)

    assert effort.within(0.3, refused)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("121.00"), "121.00"),
        (Decimal("1E+2"), "100"),
        (Decimal("1E-8"), "0.00000001"),
        (
            {"a": [1, None, True, False], "b": {}, "c": [], "d": ()},
            '{"a":[1,null,true,false],"b":{},"c":[],"d":[]}',
        ),
        ('é"\\\n\u2028', '"é\\"\\\\\\n\u2028"'),
        (date(2026, 11, 21), '"2026-11-21"'),
        (datetime(2026, 11, 21, 4, 5, 6, 7000, UTC), '"2026-11-21T04:05:06.007Z"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    ],
)
def test_values_have_one_form(value, text):
    """19.16 and 0.10: money is a number, timestamps end in milliseconds and Z."""
    assert write(value) == text.encode()


@pytest.mark.parametrize(
    "value",
    [1.5, datetime(2026, 11, 21), Decimal("NaN"), Decimal("Infinity"), b"x", {1}, object()],  # noqa: DTZ001
)
def test_values_without_a_defined_form_are_not_written(value):
    """A float would round money, a time without a zone would move it."""
    with pytest.raises(TypeError):
        write([value])


def test_flask_reads_and_writes_the_same_way():
    app = Flask(__name__)
    app.json = Provider(app)

    assert app.json.dumps({"a": Decimal("0.10")}) == '{"a":0.10}'
    assert app.json.loads('{"a": 0.10}') == {"a": Decimal("0.10")}
