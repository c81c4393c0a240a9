"""GET /api/session: the person, role and tenant of the session token."""

from __future__ import annotations

from flask import Response

from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.account import session_ends, tenants
from einvoice.web import bodies, credentials
from einvoice.web.account.ending_schemas import EndSessionsRequest, EndSessionsResponse
from einvoice.web.account.session_schemas import SessionResponse
from einvoice.web.api import Family
from einvoice.web.responses import documented_body, iso_timestamp, json_response, provider
from einvoice.web.runtime import runtime

family = Family(
    "account", __name__, url_prefix="/api", credential=credentials.session, tag="Account"
)


@family.route("/session", least=Role.VIEWER)
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


_END = EndSessionsRequest()


@family.route("/sessions/end", methods=["POST"], least=Role.OWNER)
@family.doc(requestBody=documented_body(EndSessionsRequest))
@family.refuses(Conflict)
@family.response(200, EndSessionsResponse())
def end_sessions() -> Response:
    """End the sessions of everyone in the account, or of one person or OAuth client.

    Session and access tokens that were issued before are refused within a second: 401
    session-ended. That includes your own token where it is meant. API keys are not affected.
    """
    asked = bodies.read_body(_END, bodies.received())
    who, subject = credentials.session_of_request(), asked.get("subject") or None
    if (subject is None) is not asked.get("everyone", False):
        raise InvalidField([FieldError("/subject", "required", "give either subject or everyone")])
    moment = session_ends.end(who.tenant_id, subject, runtime().caches, who)
    answer = {"subject": subject, "endedAt": iso_timestamp(moment), "provider": provider()}
    return json_response(answer)
