"""Query and response of sharing an invoice (decisions 19.14)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from einvoice.web.contract import Contract
from einvoice.web.fields import Code
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class ShareQuery(Contract):
    regenerate = Code(
        "true: replace an existing link; the old one stops working at once.",
        ("true", "false"),
        name="true or false",
        example="true",
    )


@dataclass(frozen=True, slots=True)
class ShownLink:
    """A link; token and URL are None where it existed before."""

    token: str | None
    url: str | None
    created_at: datetime


class ShareLink(ResponseSchema[ShownLink]):
    """The link of an invoice. Token and URL are returned on creation only."""

    shareToken = a.text(
        "The token; null if the link existed",
        "Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
        source="token",
    )
    shareUrl = a.text(
        "The URL for the buyer; null if the link existed",
        "https://api.example.com/api/invoices/view/Zr3kq1mTzqf0b7sBvF2cX9h4uYw8nLpJ6dRgKeAo5Ms",
        or_null=True,
        source="url",
    )
    alreadyShared = a.flag(
        "Whether the link existed", example=False, source=lambda link: link.token is None
    )
    shareTokenCreatedAt = a.moment(
        "When the link was created", "2026-11-21T10:00:00.000Z", source="created_at"
    )
    provider = a.provider()
