"""What sharing an invoice asks and answers (decisions 19.14)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.contract import Contract
from einvoice.web.fields import Code


class ShareQuery(Contract):
    regenerate = Code(
        "true: replace the link there is; the old one stops working at once.",
        ("true", "false"),
        name="true or false",
        example="true",
    )


class Nothing(Contract):
    """Sharing has nothing to say beyond its address."""


def _text(description: str, example: str, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


class ShareLink(Schema):
    """Token and URL are told on creation only: what is kept cannot give them back."""

    shareToken = _text(
        "The token; null where the link was there already",
        "Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
    )
    shareUrl = _text(
        "The address for the buyer; null where the link was there already",
        "https://api.example.com/api/invoices/view/Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
    )
    alreadyShared = fields.Boolean(
        metadata={"description": "Whether the link was there already", "example": False},
        required=True,
    )
    shareTokenCreatedAt = _text("When the link was made", "2026-11-21T10:00:00.000Z")
    provider = _text("This service", "eInvoice")
