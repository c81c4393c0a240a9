"""Responses are declared once: what a schema documents is what it writes."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from types import SimpleNamespace

import pytest
from marshmallow import Schema

from einvoice.services.account.credentials import NewCredential
from einvoice.services.webhooks.endpoints import EndpointWithSecrets
from einvoice.web import families, json
from einvoice.web.account.draft_schemas import DraftWithContent
from einvoice.web.public.response_schemas import SendResponse
from einvoice.web.response_schema import ResponseSchema, source_of
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a

ENDPOINTS = families.FAMILIES  # all schemas are declared with them


class Inner(ResponseSchema[SimpleNamespace]):
    at = a.moment("", or_null=True)


class Outer(ResponseSchema[SimpleNamespace]):
    inside = "record"

    invoiceId = a.an_id("", source="id")  # noqa: N815 - names of JSON
    dueDate = a.day("", "", or_null=True)  # noqa: N815
    light = a.text("", "", source=".light")
    failed = a.flag("", example=True, source=lambda whole: whole.light == "red")
    one = a.part(Inner(), "")
    many = a.things(Inner(), "", source=".many")
    note = optional.text("", "", source=".note")


def source(**changes: object) -> SimpleNamespace:
    record = SimpleNamespace(id="5d0a", due_date=None, at=datetime(2026, 11, 21, 10, tzinfo=UTC))
    whole = {"record": record, "light": "red", "many": (), "note": None} | changes
    return SimpleNamespace(**whole)


def test_members_are_written_in_the_order_of_the_schema():
    written = Outer().write(source())

    assert list(written) == ["invoiceId", "dueDate", "light", "failed", "one", "many"]
    assert written["one"] == {"at": "2026-11-21T10:00:00.000Z"}


def test_a_member_that_is_not_required_is_left_out_without_a_value():
    assert "note" not in Outer().write(source())
    assert Outer().write(source(note="n"))["note"] == "n"


def test_a_required_member_without_a_value_is_null():
    assert Outer().write(source())["dueDate"] is None
    assert Inner().write(SimpleNamespace(at=None)) == {"at": None}


def test_a_dict_is_json_that_was_written_before():
    assert Outer().write(source(many=[{"stored": 1}]))["many"] == [{"stored": 1}]


def test_a_time_is_written_in_utc_with_milliseconds():
    east = timezone(timedelta(hours=2))
    moment = datetime(2026, 11, 21, 12, 0, 0, 999_999, east)

    assert Inner().write(SimpleNamespace(at=moment)) == {"at": "2026-11-21T10:00:00.999Z"}


# -- every schema of the service -------------------------------------------------------------------


def schemas(below: type = ResponseSchema) -> Iterator[type[ResponseSchema[typing.Any]]]:
    for each in below.__subclasses__():
        if each.__module__.startswith("einvoice."):
            yield each
            yield from schemas(each)


# Schemas that write another source than those they inherit their members from.
SOURCES: dict[str, type] = {
    "ApiKeyWithSecret": NewCredential,
    "OAuthClientWithSecret": NewCredential,
    "WebhookWithSecrets": EndpointWithSecrets,
    "WholeDraft": DraftWithContent,
}


def source_type(schema: type) -> object:
    """The `T` of `ResponseSchema[T]`."""
    if schema.__name__ in SOURCES:
        return SOURCES[schema.__name__]
    for each in schema.__mro__:
        for base in vars(each).get("__orig_bases__", ()):
            if typing.get_origin(base) is ResponseSchema:
                return typing.get_args(base)[0]
    raise LookupError(schema)


def step(owner: object, attribute: str) -> object:
    """The type of an attribute of a type or of a kind of it; None if it has no such attribute."""
    plain = typing.get_origin(owner) or owner
    if not hasattr(plain, "__mro__"):
        return typing.Any  # a union or a protocol: only what is declared is checked
    for each in plain.__mro__:
        member = vars(each).get(attribute)
        if isinstance(member, property):
            return typing.get_type_hints(member.fget).get("return", typing.Any)
        if attribute in vars(each).get("__annotations__", {}):
            return typing.get_type_hints(each)[attribute]
    if issubclass(plain, Enum) and attribute == "value":
        return str
    kinds = (step(kind, attribute) for kind in plain.__subclasses__())
    return typing.Any if hasattr(plain, attribute) else next(filter(None, kinds), None)


def missing(schema: ResponseSchema[typing.Any]) -> Iterator[str]:
    """Members whose path leads to nothing in the type of the source."""
    for name in schema.fields:
        path = source_of(schema, name)
        if not isinstance(path, str):
            continue
        whole = path[1:] if path.startswith(".") else ".".join(filter(None, (schema.inside, path)))
        reached = source_type(type(schema))
        for attribute in filter(None, whole.split(".")):
            if reached is typing.Any:
                break
            reached = step(reached, attribute)
            if reached is None:
                yield f"{type(schema).__name__}.{name}: {whole}"
                break


def test_every_member_is_found_in_the_source_of_its_schema():
    """A misspelt attribute would be a failure of the service at the first request."""
    wanted = [each for each in schemas() if not each.__name__.startswith("_")]

    assert len(wanted) > 60
    assert [fault for each in wanted for fault in missing(each())] == []


def test_the_test_of_sources_finds_a_misspelt_attribute():
    @dataclasses.dataclass
    class Source:
        number: str

    class Right(ResponseSchema[Source]):
        number = a.text("", "")

    class Wrong(ResponseSchema[Source]):
        nummer = a.text("", "")

    assert list(missing(Right())) == []
    assert list(missing(Wrong())) == ["Wrong.nummer: nummer"]


# -- the answer to a send, which is written by hand ------------------------------------------------


def faults_of(body: Mapping[str, object], schema: Schema) -> list[str]:
    """What a body has that the schema has not, what it lacks, and members in another order."""
    required = [name for name, field in schema.fields.items() if field.required]
    return [
        *(f"undocumented: {name}" for name in body if name not in schema.fields),
        *(f"missing: {name}" for name in required if name not in body),
        *(["order"] if list(body) != [n for n in schema.fields if n in body] else []),
    ]


def test_each_answer_to_a_send_is_as_its_schema(caller):
    sends = {
        "a send": {},
        "a send without its reference, which is assumed": {"buyerReference": None},
    }
    options = {
        "stored": {},
        "not stored": {"dryRun": True},
        "with its document": {"dryRun": True, "includeDocument": True},
    }
    wrong, members = {}, set()
    for name, changes in sends.items():
        for how, chosen in options.items():
            body = caller.body()
            body["invoice"] = {
                k: v for k, v in (body["invoice"] | changes).items() if v is not None
            }
            answer = caller.send(body | {"options": chosen})
            assert answer.status_code == 200, answer.json
            members |= set(answer.json)
            if faults := faults_of(json.parse(answer.data), SendResponse()):
                wrong[name, how] = faults

    assert wrong == {}
    assert members == set(SendResponse().fields) - {"truncated"}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"secret": 1}, "undocumented: secret"),
        ({"status": "success", "invoiceId": None}, "order"),
        ({}, "missing: status"),
    ],
)
def test_a_send_that_differs_from_its_schema_is_found(body, fault):
    assert fault in faults_of(body, SendResponse())
