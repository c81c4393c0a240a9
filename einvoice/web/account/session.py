"""GET /api/session: the person, role and tenant of the session token."""

from __future__ import annotations

from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.account import session_ends
from einvoice.services.principal import Session
from einvoice.web import bodies, credentials
from einvoice.web.account.ending_schemas import (
    EndedSessions,
    EndSessionsRequest,
    EndSessionsResponse,
)
from einvoice.web.account.session_schemas import SessionResponse
from einvoice.web.api import Family
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime

family = Family(
    "account", __name__, url_prefix="/api", credential=credentials.session, tag="Account"
)


@family.route("/session", least=Role.VIEWER)
@family.response(200, SessionResponse())
def get_session() -> Session:
    """Get the person, role and tenant of the session token."""
    return credentials.session_of_request()


_END = EndSessionsRequest()


@family.route("/sessions/end", methods=["POST"], least=Role.OWNER)
@family.doc(requestBody=documented_body(EndSessionsRequest))
@family.refuses(Conflict)
@family.response(200, EndSessionsResponse())
def end_sessions() -> EndedSessions:
    """End the sessions of everyone in the account, or of one person or OAuth client.

    Session and access tokens that were issued before are refused within a second: 401
    session-ended. That includes your own token where it is meant. API keys are not affected.
    """
    asked = bodies.read_body(_END, bodies.received())
    principal, subject = credentials.session_of_request(), asked.get("subject") or None
    if (subject is None) is not asked.get("everyone", False):
        raise InvalidField([FieldError("/subject", "required", "give either subject or everyone")])
    moment = session_ends.end(principal.tenant_id, subject, runtime().caches, principal)
    return EndedSessions(subject, moment)
