"""Members that not every response of their schema has: those whose value is None are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, fields

from einvoice.web.response_schema import Source, sourced
from einvoice.web.shared.response_fields import SOME_ID


def uuid(description: str, *, source: Source | None = None) -> fields.UUID:
    return sourced(fields.UUID(metadata=_said(description, SOME_ID)), source)


def text(description: str, example: str, *, source: Source | None = None) -> fields.String:
    return sourced(fields.String(metadata=_said(description, example)), source)


def flag(description: str, *, example: bool, source: Source | None = None) -> fields.Boolean:
    return sourced(fields.Boolean(metadata=_said(description, example)), source)


def number(description: str, example: int) -> fields.Integer:
    return fields.Integer(metadata=_said(description, example))


def texts(description: str, example: str, *, source: Source | None = None) -> fields.List[Any]:
    return sourced(fields.List(fields.String(), metadata=_said(description, [example])), source)


def one(schema: Schema, description: str) -> fields.Nested:
    return fields.Nested(schema, metadata={"description": description})


def things(schema: Schema, description: str, *, source: Source | None = None) -> fields.List[Any]:
    field = fields.List(fields.Nested(schema), metadata={"description": description})
    return sourced(field, source)


def truncated() -> fields.Boolean:
    """The mark of a list of warnings that is not whole."""
    return flag("true if there are more than 1,000 warnings; absent otherwise", example=True)


def other_language() -> fields.String:
    """The language of a finding or warning, where the request has another."""
    return text(
        "Language of the texts, if it is not that of Accept-Language; absent otherwise", "en"
    )


def _said(description: str, example: object) -> Mapping[str, object]:
    return {"description": description, "example": example}
