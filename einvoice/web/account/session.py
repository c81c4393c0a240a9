"""GET /api/session: the person, role and tenant of the session token."""

from __future__ import annotations

from flask import Response

from einvoice.services.account import tenants
from einvoice.web import credentials
from einvoice.web.account.session_schemas import SessionResponse
from einvoice.web.api import Family
from einvoice.web.responses import json_response, provider

family = Family(
    "account", __name__, url_prefix="/api", credential=credentials.session, tag="Account"
)


@family.route("/session")
@family.response(200, SessionResponse())
def get_session() -> Response:
    """Get the person, role and tenant of the session token."""
    who = credentials.session_of_request()
    return json_response(
        {
            "subject": who.subject,
            "email": who.email,
            "role": who.role.value,
            "tenantId": who.tenant_id,
            "tenantName": tenants.get(who.tenant_id).name,
            "provider": provider(),
        }
    )
