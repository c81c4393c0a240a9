"""The compiled acceptor takes exactly what the schema takes, and gives the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import EXCLUDE, Schema, ValidationError, fields, pre_load, validate

from einvoice.web.compiled_schema import compile_schema
from einvoice.web.contract import Contract, Items, Labels, NotAccepted, Part
from einvoice.web.fields import Base64, Code, Day, Flag, Number, Text
from einvoice.web.json import read_object
from einvoice.web.shared import send_bodies
from einvoice.web.shared.send_schemas import SendRequest

SENDS = Path(__file__).parents[1] / "samples" / "sends"
BODIES = {path.stem: read_object(path.read_bytes()) for path in SENDS.glob("*.json")}

accept = compile_schema(SendRequest())
PLAIN = SendRequest()  # never compiled: reads every item the long way


def form(value: Any) -> Any:
    """The value with its types, so that Decimal 1, 1 and True differ."""
    if isinstance(value, dict):
        return {name: form(item) for name, item in value.items()}
    if isinstance(value, list):
        return [form(item) for item in value]
    return type(value), value, str(value)


def by_schema(value: Any) -> Any:
    try:
        return form(PLAIN.load(value))
    except ValidationError:
        return None


def by_acceptor(value: Any) -> Any:
    try:
        return form(accept(value))
    except NotAccepted:
        return None


def walk(contract: Schema) -> Iterator[tuple[str, fields.Field[Any]]]:
    for name, field in contract.fields.items():
        yield name, field
        inner = field.inner if isinstance(field, Items) else field
        if isinstance(inner, Part):
            for below, found in walk(inner.schema):
                yield f"{name}.{below}", found


FIELDS = dict(walk(SendRequest()))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    below = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in below:
        yield from places(item, (*path, key))


def replaced(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    body = copy.deepcopy(body)
    parent = body
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return body


TEXT = st.text(max_size=12) | st.sampled_from(
    ["", " ", "\t a", "a\x00", "a\x1f", "\ufffe", "x" * 513, "\u00a0", "\x85", "0208:0123456749",
     "EUR", "BE", "S", "C62", "VATEX-EU-AE", "a.pdf", "YWJj", "YQ=", "30", "text/csv", "1_000",
     "6F1C2A9E-0B8E-4F5E-9D5E-0C6A4B1F2D3C"]
)  # fmt: skip
NUMBER = (
    st.integers(-(10**16), 10**16)
    | st.decimals(allow_nan=False, allow_infinity=False, places=8)
    | st.sampled_from(
        [
            Decimal(t)
            for t in ("1E+400", "-1E+14", "1E+15", "1E-8", "1E-9", "-0.0", "Infinity", "0E+9")
        ]
    )
)
DAY = st.dates().map(str) | st.sampled_from(["2026-02-30", "2026-W47-6", "20261121", "0000-01-01"])
SCALAR = st.none() | st.booleans() | TEXT | NUMBER | DAY
ANYTHING = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_compiled_schema_and_schema_agree_on_every_body(data):
    """Valid bodies with one to three values replaced, removed or added."""
    body = BODIES[data.draw(st.sampled_from(sorted(BODIES)))]
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(body))))
        name = data.draw(st.sampled_from(["", *(key.rpartition(".")[2] for key in FIELDS)]))
        target = body
        for key in path:
            target = target[key]
        if name and isinstance(target, dict):
            path = (*path, name)
        body = replaced(body, path, data.draw(ANYTHING))
    assert by_acceptor(body) == by_schema(body)


@settings(max_examples=600, deadline=None)
@given(name=st.sampled_from(sorted(FIELDS)), value=ANYTHING)
def test_compiled_schema_and_schema_agree_on_every_field(name, value):
    """Each field of the contract alone, so that its limits are tested often."""

    class One(Contract):
        field = copy.copy(FIELDS[name])

    try:
        loaded = form(One().load({"field": value}))
    except ValidationError:
        loaded = None
    try:
        accepted = form(compile_schema(One())({"field": value}))
    except NotAccepted:
        accepted = None

    assert accepted == loaded


@pytest.mark.parametrize("name", sorted(BODIES))
def test_the_samples_are_accepted(name):
    accepted = by_acceptor(BODIES[name])

    assert accepted is not None
    assert accepted == by_schema(BODIES[name])


FULL = ("complete", "direct_debit", "pint")


def test_the_samples_have_every_field():
    """So that the property test above covers every field. Those of a direct debit, say, cannot be
    in a valid invoice with the others."""
    sent = [path for name in FULL for path in places(BODIES[name])]
    used = {".".join(k for k in path if isinstance(k, str)) for path in sent}

    missing = {name for name in FIELDS if name not in used}
    assert {name for name in missing if not name.startswith("invoice.buyer.")} == set()


def test_every_field_has_a_description():
    """/openapi.json is generated from the contract."""
    silent = [name for name, field in FIELDS.items() if len(field.metadata["description"]) < 8]

    assert silent == []


def _sample(**given: Any) -> type[Contract]:
    return type("Sample", (Contract,), given)


class Loose(Contract):
    class Meta:
        unknown = EXCLUDE


class Hooked(Contract):
    @pre_load
    def change(self, data: Any, **_: Any) -> Any:
        return data


class NotOurs(Schema):
    name = fields.String()


@pytest.mark.parametrize(
    "schema",
    [
        NotOurs,
        Loose,
        Hooked,
        _sample(name=fields.String()),
        _sample(name=fields.Integer()),
        _sample(name=Text("Validated.", max_length=3, validate=validate.Length(max=2))),
        _sample(name=Text("Renamed.", max_length=3, data_key="other")),
        _sample(name=Text("One way.", max_length=3, dump_only=True)),
        _sample(name=Items(fields.String(), "Inner field.", max_items=3)),
        _sample(name=type("Louder", (Text,), {})("Subclass.", max_length=3)),
    ],
    ids=[
        "schema",
        "loose",
        "hook",
        "string",
        "integer",
        "validator",
        "key",
        "one way",
        "inner",
        "subclass",
    ],
)
def test_a_schema_that_cannot_be_compiled_stops_the_start(schema):
    """An unknown field or validator raises at compilation."""
    with pytest.raises(TypeError):
        compile_schema(schema())


def test_every_field_class_can_be_compiled():
    compile_schema(
        _sample(
            a=Text("Text.", max_length=1),
            b=Code("Code.", ("A",), name="A"),
            c=Number("Number."),
            d=Day("Day."),
            e=Flag("Flag."),
            f=Base64("Bytes."),
            g=Part(_sample(), "Part."),
            h=Items(Flag("Flag."), "Items.", max_items=1),
            i=Labels("Labels.", max_names=1, max_name_length=1, max_length=1, max_bytes=9),
        )()
    )


def test_a_valid_body_does_not_use_marshmallow(monkeypatch):
    """Only the compiled schema is used."""
    monkeypatch.setattr(send_bodies.SEND, "load", None)

    body = json.dumps(json.loads((SENDS / "minimal.json").read_text())).encode()
    assert send_bodies.read_send(body)
