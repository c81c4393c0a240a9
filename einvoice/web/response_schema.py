"""Responses are declared once: the schema that documents a response also writes it.

    class Hold(ResponseSchema[HoldRecord]):
        holdId = a.text("The hold", a.SOME_ID, source="id")
        reason = a.text("Why", "Lawsuit 4711")
        placedAt = a.moment("When it was placed")

    @family.route("/<hold_id>", least=Role.ADMIN)
    @family.response(200, Hold())
    def get_hold(hold_id: str) -> HoldRecord: ...

The view returns the source, and `@family.response` writes it (flask-smorest calls `dump`). Members
are written in the order of the schema. The value of a member is the attribute of the source with
its name in snake case (`placed_at`), or its `source`: another attribute, a path of attributes
(`record.id`), or a function of the source. Of a `things` or `one` the value is written by the
schema of the member; a dict is JSON that was written before, and stays. A member that is not
required is left out where its value is None.

>>> from types import SimpleNamespace as Source
>>> from einvoice.web.shared import response_fields as a
>>> class Shown(ResponseSchema[Source]):
...     invoiceId = a.an_id("", source="record.id")
...     dueDate = a.day("", "")
...     late = a.flag("", example=True, source=lambda shown: shown.due_date is None)
>>> Shown().write(Source(record=Source(id="5d0a"), due_date=None))
{'invoiceId': '5d0a', 'dueDate': None, 'late': True}

Marshmallow's own `dump` asks each field for its attribute and its text: 20 times slower than the
page of a list may be, and it writes text where this service writes numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Generic, TypeVar

from marshmallow import Schema, fields

from einvoice import clock

T = TypeVar("T")
F = TypeVar("F", bound=fields.Field[Any])
# A path of attributes of the source, or a function of it.
Source = str | Callable[[Any], Any]
Write = Callable[[Any], Any]
# A source with the status and the headers of its response, as Flask takes them.
Written = tuple[T, int, dict[str, str]]
_FROM_ROOT = "."
# The path of the part `inside` itself.
ITSELF = ""
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Moment(fields.String):
    """A time, written as RFC 3339 in UTC, with milliseconds."""


def sourced(field: F, source: Source | None) -> F:
    """The field with its source; None: the attribute with its name."""
    field.__dict__["source"] = source
    return field


class ResponseSchema(Schema, Generic[T]):
    """A body of a response, or an object in one, made of a `T`.

    `inside`: the part of the source from which paths begin; a path with a point before it begins
    at the source itself. Functions are of the source itself.
    """

    inside: ClassVar[str] = ""

    def write(self, source: T) -> dict[str, Any]:
        """The members of the response, in the order of the schema."""
        return self._write(source)

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """`write`, as flask-smorest calls it."""
        return self._write(obj)

    @cached_property
    def _write(self) -> Callable[[Any], dict[str, Any]]:
        return _compiled(self)


def created(source: T, address: str) -> Written[T]:
    """201 with the record and where it is found."""
    return source, 201, {"Location": address}


def snake_case(name: str) -> str:
    """The attribute of a member.

    >>> snake_case("manifestSha256"), snake_case("p95Seconds")
    ('manifest_sha256', 'p95_seconds')
    """
    return _CAPITAL.sub("_", name).lower()


def source_of(schema: ResponseSchema[Any], name: str) -> Source:
    """Where the value of a member is found: a path from the part `inside`, or a function."""
    given: Source | None = vars(schema.fields[name]).get("source")
    return snake_case(name) if given is None else given


def _compiled(schema: ResponseSchema[Any]) -> Callable[[Any], dict[str, Any]]:
    """The function that writes a source: all attributes of a part are read in one call."""
    sources = {name: source_of(schema, name) for name in schema.fields}
    functions = [(name, source) for name, source in sources.items() if callable(source)]
    paths = {name: source for name, source in sources.items() if isinstance(source, str)}
    of_root = {n: path[1:] for n, path in paths.items() if path.startswith(_FROM_ROOT)}
    of_part = {n: path for n, path in paths.items() if n not in of_root}
    inside = attrgetter(schema.inside) if schema.inside else _unchanged
    read_part, read_root = _reader([*of_part.values()]), _reader([*of_root.values()])
    values = {name: _value(field) for name, field in schema.fields.items()}
    writers = [(name, value) for name, value in values.items() if value is not None]
    optional = [name for name, field in schema.fields.items() if not field.required]
    blank: dict[str, Any] = dict.fromkeys(sources)

    def write(source: Any) -> dict[str, Any]:
        body = blank.copy()
        body.update(zip(of_part, read_part(inside(source)), strict=True))
        if of_root:
            body.update(zip(of_root, read_root(source), strict=True))
        for name, function in functions:
            body[name] = function(source)
        for name, write_value in writers:
            if (value := body[name]) is not None:
                body[name] = write_value(value)
        for name in optional:
            if body[name] is None:
                del body[name]
        return body

    return write


def _reader(paths: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that reads these attributes of a source; ITSELF is the source."""
    if len(paths) > 1 and ITSELF not in paths:
        return attrgetter(*paths)
    readers = [attrgetter(path) if path else _unchanged for path in paths]
    return lambda source: tuple([read(source) for read in readers])


def _value(field: fields.Field[Any]) -> Write | None:
    """The function that writes a value of this field; None where it stays as it is."""
    if isinstance(field, Moment):
        return clock.timestamp
    if isinstance(field, fields.Nested):
        return _object(field.schema)
    if isinstance(field, fields.List):
        inner = _value(field.inner)
        return list if inner is None else lambda values: [inner(value) for value in values]
    return None


def _object(schema: Schema | ResponseSchema[Any]) -> Write:
    if not isinstance(schema, ResponseSchema):
        return _unchanged
    write = schema._write  # noqa: SLF001 - of the same class

    def write_unless_written(value: Any) -> Any:
        return value if isinstance(value, Mapping) else write(value)

    return write_unless_written


def _unchanged(value: Any) -> Any:
    return value
