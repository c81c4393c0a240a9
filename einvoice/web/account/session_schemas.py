"""What GET /api/session answers."""

from __future__ import annotations

from marshmallow import Schema, fields


def _text(description: str, example: str, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


class SessionAnswer(Schema):
    """The person, the role, the tenant."""

    subject = _text("The person, as the identity provider names them", "auth0|5f7c8e")
    email = _text("Their address, where the token tells it", "ann@example.com", or_null=True)
    role = _text("viewer, member, admin or owner", "admin")
    tenantId = _text("The account", "3f0c1f6e-93c7-4fd0-9e0b-5b0a4bb4a111")
    tenantName = _text("Its name", "Example NV")
    provider = _text("This service", "eInvoice")
