"""The response of GET /api/session."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.shared import response_fields as a


class SessionResponse(Schema):
    """The person, the role, the tenant."""

    subject = a.text("The person's subject at the identity provider", "auth0|5f7c8e")
    email = a.text(
        "The person's email address, if the token has it", "ann@example.com", or_null=True
    )
    role = a.text("viewer, member, admin or owner", "admin")
    tenantId = a.an_id("The account")
    tenantName = a.text("Its name", "Example NV")
    provider = a.provider()
