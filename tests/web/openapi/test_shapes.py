"""Schemas as generators of clients need them: named, exact about null, with formats."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

Document = dict[str, Any]
NULL = {"type": "null"}
MOMENT, DAY = re.compile(r"\d{4}-\d\d-\d\dT.*Z"), re.compile(r"\d{4}-\d\d-\d\d")


def parts(value: Any, place: str = "") -> Iterator[tuple[str, Document]]:
    """Every object of the document with its place."""
    if isinstance(value, dict):
        yield place, value
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, one in inner:
        if isinstance(one, dict | list):
            yield from parts(one, f"{place}/{name}")


def contents(operations: dict[str, Document]) -> Iterator[tuple[str, str, Document]]:
    """(operation, media type, schema) of all bodies of requests and responses."""
    for name, operation in operations.items():
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            for media, content in body.get("content", {}).items():
                yield name, media, content["schema"]


def test_it_is_openapi_3_1(whole):
    """Decisions 21.1: the version that has webhooks and says null exactly."""
    assert whole["openapi"] == "3.1.0"
    assert not [place for place, part in parts(whole) if part.get("nullable") is True]


def test_every_json_body_is_a_named_schema(operations):
    """Generators would name it after the operation: SendInvoice400Response. An artefact in JSON is
    any value: nothing to be named."""
    unnamed = [
        (name, media)
        for name, media, schema in contents(operations)
        if "json" in media and schema and "$ref" not in schema and schema.get("type") != "string"
    ]

    assert unnamed == [("GET /openapi.json", "application/json")]


def test_no_object_is_written_inside_another(whole):
    """An object inside an object has a name of its own."""
    for name, schema in whole["components"]["schemas"].items():
        own = schema.get("properties", {}) | {"": schema.get("additionalProperties", {})}
        inner = [place for place, part in parts(own) if "properties" in part]
        assert inner == [], name


def test_alternatives_are_a_schema_or_null(whole):
    """The one other union is named: the bodies that are validated or converted."""
    named = {"InvoiceOrDocument"}
    for name, schema in whole["components"]["schemas"].items():
        for place, part in parts(schema):
            assert "anyOf" not in part, f"{name}{place}"
            if "oneOf" in part and name not in named:
                reference, null = part["oneOf"]
                assert (set(reference), null) == ({"$ref"}, NULL), f"{name}{place}"


def test_an_enum_of_what_may_be_null_contains_null(whole):
    for place, part in parts(whole["components"]["schemas"]):
        if "enum" in part and isinstance(part.get("type"), list):
            assert ("null" in part["type"]) == (None in part["enum"]), place


def test_parameters_are_never_null(operations):
    for operation in operations.values():
        assert '"null"' not in json.dumps(operation["parameters"])


def test_times_and_days_of_responses_have_their_format(whole):
    """A parameter or body may also take a day for a time: these have a pattern instead."""
    for place, part in parts(whole["components"]["schemas"]):
        example = part.get("example")
        if isinstance(example, str) and "pattern" not in part:
            if MOMENT.fullmatch(example):
                assert part.get("format") == "date-time", place
            if DAY.fullmatch(example):
                assert part.get("format") == "date", place


@pytest.mark.parametrize("quote", ['"', "'"])
def test_no_pattern_contains_a_quotation_mark(whole, quote):
    """Generators copy patterns into quoted text."""
    assert [place for place, part in parts(whole) if quote in str(part.get("pattern", ""))] == []


def test_every_pattern_is_one_of_ecmascript(whole):
    """JSON Schema asks for it: no inline flags, named groups, \\A or \\Z of Python."""
    only_python = re.compile(r"\(\?[A-Za-z]|\\[AZ]")
    found = {place: str(part.get("pattern", "")) for place, part in parts(whole)}

    assert {place: text for place, text in found.items() if only_python.search(text)} == {}


def test_requests_are_closed_and_responses_open(whole):
    """A request with an unknown member is refused; a response may get further ones."""
    schemas = whole["components"]["schemas"]

    assert schemas["SendRequest"]["unevaluatedProperties"] is False
    assert schemas["LineItem"]["unevaluatedProperties"] is False
    assert schemas["InvoiceResponse"].get("unevaluatedProperties", True) is True
    assert [name for name, s in schemas.items() if s.get("additionalProperties") is False] == []
