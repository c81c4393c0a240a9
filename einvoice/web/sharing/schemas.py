"""Query and response of sharing an invoice (decisions 19.14)."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.contract import Contract
from einvoice.web.fields import Code
from einvoice.web.shared import response_fields as a


class ShareQuery(Contract):
    regenerate = Code(
        "true: replace an existing link; the old one stops working at once.",
        ("true", "false"),
        name="true or false",
        example="true",
    )


def _text(description: str, example: str, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, "example": example}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


class ShareLink(Schema):
    """The link of an invoice. Token and URL are returned on creation only."""

    shareToken = _text(
        "The token; null if the link existed",
        "Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
    )
    shareUrl = _text(
        "The URL for the buyer; null if the link existed",
        "https://api.example.com/api/invoices/view/Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
    )
    alreadyShared = fields.Boolean(
        metadata={"description": "Whether the link existed", "example": False},
        required=True,
    )
    shareTokenCreatedAt = a.moment("When the link was created", "2026-11-21T10:00:00.000Z")
    provider = _text("This service", "eInvoice")
