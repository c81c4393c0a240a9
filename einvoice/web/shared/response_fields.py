"""Members of responses: described, always present, with an example.

`source` of each: where its value is found (web/response_schema); default: the attribute of its name
in snake case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, fields

from einvoice.web import responses
from einvoice.web.response_schema import ITSELF, Moment, Source, sourced

SOME_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"
SOME_EVENT = "evt_5f0c"
SOME_MOMENT = "2026-11-21T10:00:00.000Z"
KINDS_OF_DOCUMENT = "invoice, creditNote, selfBilledInvoice or selfBilledCreditNote"


def text(
    description: str, example: str, *, or_null: bool = False, source: Source | None = None
) -> fields.String:
    field = fields.String(metadata=_said(description, example), allow_none=or_null, required=True)
    return sourced(field, source)


def an_id(description: str, *, or_null: bool = False, source: Source | None = None) -> fields.UUID:
    field = fields.UUID(metadata=_said(description, SOME_ID), allow_none=or_null, required=True)
    return sourced(field, source)


def moment(
    description: str,
    example: str = SOME_MOMENT,
    *,
    or_null: bool = False,
    source: Source | None = None,
) -> Moment:
    """A time as text: RFC 3339, in UTC, with milliseconds."""
    metadata = _said(description, example) | {"format": "date-time"}
    return sourced(Moment(metadata=metadata, allow_none=or_null, required=True), source)


def day(
    description: str, example: str, *, or_null: bool = False, source: Source | None = None
) -> fields.Date:
    field = fields.Date(metadata=_said(description, example), allow_none=or_null, required=True)
    return sourced(field, source)


def amount(
    description: str, example: float, *, or_null: bool = True, source: Source | None = None
) -> fields.Decimal:
    """An amount; null if a received document has none."""
    field = fields.Decimal(metadata=_said(description, example), allow_none=or_null, required=True)
    return sourced(field, source)


def number(
    description: str, example: int, *, or_null: bool = False, source: Source | None = None
) -> fields.Integer:
    field = fields.Integer(metadata=_said(description, example), allow_none=or_null, required=True)
    return sourced(field, source)


def flag(
    description: str, *, example: bool, or_null: bool = False, source: Source | None = None
) -> fields.Boolean:
    field = fields.Boolean(metadata=_said(description, example), allow_none=or_null, required=True)
    return sourced(field, source)


def texts(
    description: str, example: str, *, or_null: bool = False, source: Source | None = None
) -> fields.List[Any]:
    inner = fields.String(metadata={"example": example})
    metadata = {"description": description}
    field = fields.List(inner, metadata=metadata, allow_none=or_null, required=True)
    return sourced(field, source)


def one(
    schema: Schema, description: str, *, or_null: bool = False, source: Source | None = None
) -> fields.Nested:
    """An object."""
    metadata = {"description": description}
    field = fields.Nested(schema, metadata=metadata, allow_none=or_null, required=True)
    return sourced(field, source)


def part(schema: Schema, description: str) -> fields.Nested:
    """An object that is made of the same source as the members beside it."""
    return one(schema, description, source=ITSELF)


def things(
    schema: Schema,
    description: str,
    *,
    max_items: int | None = None,
    source: Source | None = None,
) -> fields.List[Any]:
    metadata: dict[str, Any] = {"description": description}
    if max_items is not None:
        metadata["maxItems"] = max_items
    field = fields.List(fields.Nested(schema), metadata=metadata, required=True)
    return sourced(field, source)


def members(
    description: str, example: Mapping[str, Any] | None = None, *, source: Source | None = None
) -> fields.Dict:
    """An object of any members."""
    metadata = {"description": description} | ({} if example is None else {"example": example})
    return sourced(fields.Dict(metadata=metadata, required=True), source)


def next_cursor() -> fields.String:
    return text("Pass it as cursor for the next page", "q83v…", or_null=True)


def has_more() -> fields.Boolean:
    return flag("Whether there is another page", example=False)


def provider() -> fields.String:
    return text("This service", "eInvoice", source=lambda _: responses.provider())


def _said(description: str, example: object) -> dict[str, Any]:
    return {"description": description, "example": example}
