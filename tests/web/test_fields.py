"""Decisions 0.10, 19.2 and 19.3, field by field: what is taken, and the code of what is refused."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from marshmallow import ValidationError

from einvoice.web.contract import Contract, Items, Labels, Part
from einvoice.web.fields import Base64, Code, Day, Flag, Number, Text
from einvoice.web.pointers import invalid_field
from einvoice.web.shared.send_schemas import SendRequest
from tests.builders import send_body


class Inner(Contract):
    name = Text("Name.", max_length=3, required=True)


class Sample(Contract):
    text = Text("Text.", max_length=3)
    formed = Text("Formed.", max_length=9, form=(r"[a-z]+", "small letters"))
    code = Code("Code.", ("EUR", "SEK"), name="a currency")
    number = Number("Number.")
    percent = Number("Percent.", minimum=0, maximum=100)
    positive = Number("Positive.", exclusive_minimum=0)
    day = Day("Day.")
    flag = Flag("Flag.")
    content = Base64("Content.")
    part = Part(Inner, "Part.")
    items = Items(Part(Inner, "Item."), "Items.", max_items=2, min_items=1)
    labels = Labels("Labels.", max_names=2, max_name_length=4, max_length=5, max_bytes=100)


class Needed(Contract):
    text = Text("Text.", max_length=3, required=True)
    code = Code("Code.", ("EUR",), name="a currency", required=True)


SAMPLE = Sample()


def faults(schema, value):
    with pytest.raises(ValidationError) as error:
        schema.load(value)
    return invalid_field(error.value.messages).errors


def errors(schema, value):
    return [(e.pointer, e.code) for e in faults(schema, value)]


@pytest.mark.parametrize(
    ("field", "value", "loaded"),
    [
        ("text", "abc", "abc"),
        ("text", " a\tc \n", "a\tc"),
        ("text", "\U0001f600é€", "\U0001f600é€"),
        ("text", "", ""),
        ("text", "  ", ""),
        ("formed", "abc", "abc"),
        ("formed", "", ""),
        ("code", "SEK", "SEK"),
        ("code", "", ""),
        ("number", 7, Decimal(7)),
        ("number", Decimal("0.12345678"), Decimal("0.12345678")),
        ("number", Decimal("999999999999999.99999999"), Decimal("999999999999999.99999999")),
        ("number", -999999999999999, Decimal(-999999999999999)),
        ("number", Decimal("1E+14"), Decimal("1E+14")),
        ("number", Decimal("1E-8"), Decimal("1E-8")),
        ("number", Decimal("1E-15"), Decimal("1E-15")),
        ("number", Decimal("1.123456789012345"), Decimal("1.123456789012345")),
        ("number", Decimal("100.00000000000000000000"), Decimal(100)),
        ("number", Decimal("-0.00"), Decimal(0)),
        ("percent", 0, Decimal(0)),
        ("percent", 100, Decimal(100)),
        ("positive", Decimal("0.00000001"), Decimal("0.00000001")),
        ("day", "2024-02-29", date(2024, 2, 29)),
        ("flag", True, True),
        ("content", "YWJj", b"abc"),
        ("content", "YW\r\nJj\n", b"abc"),
        ("content", "YQ==", b"a"),
        ("part", {"name": "abc"}, {"name": "abc"}),
        ("items", [{"name": "a"}, {"name": "b"}], [{"name": "a"}, {"name": "b"}]),
        ("labels", {"erp": "12345", "x": ""}, {"erp": "12345", "x": ""}),
        ("labels", {"erp": None}, {}),
    ],
)
def test_valid_values_are_loaded(field, value, loaded):
    result = SAMPLE.load({field: value})[field]

    assert result == loaded
    assert str(result) == str(loaded)


@pytest.mark.parametrize("field", SAMPLE.fields)
def test_null_is_the_same_as_absent(field):
    assert SAMPLE.load({field: None}) == {}


@pytest.mark.parametrize(
    ("field", "value", "pointer", "code"),
    [
        ("text", "abcd", "/text", "too-long"),
        ("text", 5, "/text", "wrong-type"),
        ("text", ["a"], "/text", "wrong-type"),
        ("text", "a\x00", "/text", "invalid-character"),
        ("text", "\x0b", "/text", "invalid-character"),
        ("text", "\ufffe", "/text", "invalid-character"),
        ("text", "\ud800", "/text", "invalid-character"),
        ("formed", "aB", "/formed", "wrong-form"),
        ("formed", "a\nb", "/formed", "wrong-form"),
        ("code", "eur", "/code", "unknown-code"),
        ("code", "EUR ", "/code", "unknown-code"),
        ("code", 978, "/code", "wrong-type"),
        ("number", "1", "/number", "wrong-type"),
        ("number", "1_000", "/number", "wrong-type"),
        ("number", "\uff11\uff12", "/number", "wrong-type"),
        ("number", True, "/number", "wrong-type"),
        ("number", 10**15, "/number", "out-of-range"),
        ("number", -(10**15), "/number", "out-of-range"),
        ("number", Decimal("1E+15"), "/number", "out-of-range"),
        ("number", Decimal("1E+400"), "/number", "out-of-range"),
        ("number", Decimal("Infinity"), "/number", "out-of-range"),
        ("number", Decimal("1E-16"), "/number", "too-many-decimals"),
        ("number", Decimal("1.1234567890123456"), "/number", "too-many-decimals"),
        ("number", Decimal("1.2000000000000002"), "/number", "too-many-decimals"),
        ("number", Decimal("1E-400"), "/number", "too-many-decimals"),
        ("percent", -1, "/percent", "out-of-range"),
        ("percent", Decimal("-0.00000001"), "/percent", "out-of-range"),
        ("percent", Decimal("100.00000001"), "/percent", "out-of-range"),
        ("positive", 0, "/positive", "out-of-range"),
        ("day", "2026-02-30", "/day", "not-a-date"),
        ("day", "2025-02-29", "/day", "not-a-date"),
        ("day", "2026-1-1", "/day", "not-a-date"),
        ("day", "20261121", "/day", "not-a-date"),
        ("day", "2026-W47-6", "/day", "not-a-date"),
        ("day", "2026-11-21T00:00:00", "/day", "not-a-date"),
        ("day", "\uff12\uff10\uff12\uff16-11-21", "/day", "not-a-date"),
        ("day", "0000-01-01", "/day", "not-a-date"),
        ("day", "", "/day", "not-a-date"),
        ("day", 20261121, "/day", "wrong-type"),
        ("flag", "true", "/flag", "wrong-type"),
        ("flag", 1, "/flag", "wrong-type"),
        ("content", "YWJ", "/content", "not-base64"),
        ("content", " \r\n", "/content", "not-base64"),
        ("content", "data:text/plain;base64,YWJj", "/content", "not-base64"),
        ("content", "YWJj!", "/content", "not-base64"),
        ("content", "_-__", "/content", "not-base64"),
        ("content", "é===", "/content", "not-base64"),
        ("content", "", "/content", "not-base64"),
        ("content", 1, "/content", "wrong-type"),
        ("part", [], "/part", "wrong-type"),
        ("part", "x", "/part", "wrong-type"),
        ("part", {}, "/part/name", "required"),
        ("part", {"name": "a", "_schema": 1}, "/part/_schema", "unknown-field"),
        ("items", {}, "/items", "wrong-type"),
        ("items", [], "/items", "too-few"),
        ("items", [{"name": "a"}] * 3, "/items", "too-many"),
        ("items", [{"name": "a"}, {}], "/items/1/name", "required"),
        ("items", [None], "/items/0", "required"),
        ("items", [5], "/items/0", "wrong-type"),
        ("labels", [], "/labels", "wrong-type"),
        ("labels", {"a": "", "b": "", "c": ""}, "/labels", "too-many"),
        ("labels", {"a": 1}, "/labels/a", "wrong-type"),
        ("labels", {"a/~b": "123456"}, "/labels/a~1~0b", "too-long"),
        ("labels", {"longer": "1"}, "/labels/longer", "wrong-form"),
        ("labels", {"": "1"}, "/labels/", "wrong-form"),
        ("labels", {"a": "\x00"}, "/labels/a", "invalid-character"),
        ("unknown", 1, "/unknown", "unknown-field"),
        ("a/b~c", None, "/a~1b~0c", "unknown-field"),
        ("_schema", 1, "/_schema", "unknown-field"),
    ],
)
def test_an_error_has_pointer_and_code(field, value, pointer, code):
    """RFC 6901 pointers; codes are stable."""
    assert errors(SAMPLE, {field: value}) == [(pointer, code)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, [("/text", "required"), ("/code", "required")]),
        ({"text": None, "code": None}, [("/text", "required"), ("/code", "required")]),
        ({"text": " \n", "code": ""}, [("/text", "blank"), ("/code", "unknown-code")]),
    ],
)
def test_a_required_field_must_not_be_absent_or_blank(value, expected):
    assert errors(Needed(), value) == expected


def test_all_offending_fields_are_named_at_once():
    value = {"zz": 1, "text": 5, "number": "1", "items": [{"name": "a"}, {"name": 1, "aa": 1}]}

    assert errors(SAMPLE, value) == [
        ("/text", "wrong-type"),
        ("/number", "wrong-type"),
        ("/items/1/name", "wrong-type"),
        ("/items/1/aa", "unknown-field"),
        ("/zz", "unknown-field"),
    ]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"txt": "a"}, "text"),
        ({"Number": 1}, "number"),
        ({"part": {"name": "a", "nam": "b"}}, "name"),
        ({"colour": 1}, None),
        ({"_schema": 1}, None),
        ({"a" * 1_000_000: 1}, None),
    ],
)
def test_an_unknown_name_is_followed_by_the_field_that_it_resembles(value, meant):
    [found] = faults(SAMPLE, value)

    assert found.code == "unknown-field"
    assert found.message == "is not a field of this object" + (
        f"; use {meant} if you mean that" if meant else ""
    )


@pytest.mark.parametrize(
    ("path", "value", "meant"),
    [
        (("lineItems", 0, "unitCode"), "piece", "C62 or H87"),
        (("lineItems", 0, "unitCode"), "kg", "KGM"),
        (("lineItems", 0, "unitCode"), "bundle of rods", None),
        (("currency",), "EURO", "EUR"),
        (("currency",), "BGN", "EUR"),
        (("currency",), "BTM", None),
        (("buyer", "address", "countryCode"), "UK", "GB"),
        (("buyer", "address", "countryCode"), "QQ", None),
        (("paymentMeans", "method"), "bank", "30 or 58"),
        (("paymentMeans", "method"), "by pigeon", None),
    ],
)
def test_a_refused_code_is_followed_by_the_codes_that_are_meant(path, value, meant):
    """As the rules suggest them; nothing is suggested where no code is near in meaning."""
    body = send_body("6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c")
    body["invoice"]["paymentMeans"] = {}
    *above, last = path
    place = body["invoice"]
    for step in above:
        place = place.setdefault(step, {}) if isinstance(step, str) else place[step]
    place[last] = value
    with pytest.raises(ValidationError) as error:
        SendRequest().load(json.loads(json.dumps(body), parse_float=Decimal))
    [found] = invalid_field(error.value.messages).errors

    assert found.pointer == "/invoice/" + "/".join(map(str, path))
    assert ("; use " in found.message) is (meant is not None)
    assert meant is None or found.message.endswith(f"; use {meant} if you mean that")
