"""Fields that not every response of their schema has."""

from __future__ import annotations

from marshmallow import fields

from einvoice.web.shared.response_fields import SOME_ID


def uuid(description: str) -> fields.UUID:
    return fields.UUID(metadata={"description": description, "example": SOME_ID})


def text(description: str, example: str) -> fields.String:
    return fields.String(metadata={"description": description, "example": example})


def flag(description: str, *, example: bool) -> fields.Boolean:
    return fields.Boolean(metadata={"description": description, "example": example})


def other_language() -> fields.String:
    """The language of a finding or warning, where it is not that of the request."""
    return text(
        "Language of the texts, if it is not that of Accept-Language; absent otherwise", "en"
    )
