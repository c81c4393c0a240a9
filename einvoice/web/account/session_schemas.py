"""What GET /api/session answers."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.shared import response_fields as a


class SessionAnswer(Schema):
    """The person, the role, the tenant."""

    subject = a.text("The person, as the identity provider names them", "auth0|5f7c8e")
    email = a.text("Their address, where the token tells it", "ann@example.com", or_null=True)
    role = a.text("viewer, member, admin or owner", "admin")
    tenantId = a.an_id("The account")
    tenantName = a.text("Its name", "Example NV")
    provider = a.provider()
