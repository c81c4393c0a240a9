"""Fields of responses that are described but not documented as required."""

from __future__ import annotations

from marshmallow import fields

from einvoice.web.shared.response_fields import SOME_ID


def text(description: str, example: object, **more: object) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, **more)  # type: ignore[arg-type]


def uuid(description: str, **more: object) -> fields.UUID:
    return fields.UUID(metadata={"description": description, "example": SOME_ID}, **more)  # type: ignore[arg-type]


def flag(description: str, example: bool, **more: object) -> fields.Boolean:
    return fields.Boolean(metadata={"description": description, "example": example}, **more)  # type: ignore[arg-type]


def amount(description: str, example: float) -> fields.Decimal:
    """An amount; null if a received document has none."""
    metadata = {"description": description, "example": example}
    return fields.Decimal(metadata=metadata, allow_none=True)


def provider() -> fields.String:
    return text("This service", "eInvoice")
