"""Fields of the dashboard's responses: described, always present, with an example."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

SOME_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"
SOME_EVENT = "evt_5f0c"
SOME_MOMENT = "2026-11-21T10:00:00.000Z"


def text(description: str, example: str, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


def an_id(description: str, *, or_null: bool = False) -> fields.UUID:
    metadata = {"description": description, "example": SOME_ID}
    return fields.UUID(metadata=metadata, allow_none=or_null, required=True)


def moment(description: str, example: str = SOME_MOMENT, *, or_null: bool = False) -> fields.String:
    """A time as text: RFC 3339, in UTC, with milliseconds."""
    metadata = {"description": description, "example": example, "format": "date-time"}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


def day(description: str, example: str, *, or_null: bool = False) -> fields.Date:
    metadata = {"description": description, "example": example}
    return fields.Date(metadata=metadata, allow_none=or_null, required=True)


def amount(description: str, example: float) -> fields.Decimal:
    """An amount; null if a received document has none."""
    metadata = {"description": description, "example": example}
    return fields.Decimal(metadata=metadata, allow_none=True, required=True)


def number(description: str, example: int, *, or_null: bool = False) -> fields.Integer:
    metadata = {"description": description, "example": example}
    return fields.Integer(metadata=metadata, allow_none=or_null, required=True)


def flag(description: str, *, example: bool, or_null: bool = False) -> fields.Boolean:
    metadata = {"description": description, "example": example}
    return fields.Boolean(metadata=metadata, allow_none=or_null, required=True)


def texts(description: str, example: str) -> fields.List[Any]:
    inner = fields.String(metadata={"example": example})
    return fields.List(inner, metadata={"description": description}, required=True)


def things(schema: Schema, description: str, *, max_items: int | None = None) -> fields.List[Any]:
    metadata: dict[str, Any] = {"description": description}
    if max_items is not None:
        metadata["maxItems"] = max_items
    return fields.List(fields.Nested(schema), metadata=metadata, required=True)


def next_cursor() -> fields.String:
    return text("Pass it as cursor for the next page", "q83v…", or_null=True)


def has_more() -> fields.Boolean:
    return flag("Whether there is another page", example=False)


def provider() -> fields.String:
    return text("This service", "eInvoice")
