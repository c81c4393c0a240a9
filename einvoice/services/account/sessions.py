"""Authentication of people: from a session token to a Session of a tenant."""

from __future__ import annotations

from einvoice.domain.errors import (
    AccountClosed,
    CredentialOwner,
    InvalidToken,
    NotFound,
    SessionEnded,
)
from einvoice.services.account import seats, session_ends
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime


def from_token(token: str, runtime: Runtime, address: str | None = None) -> Session:
    """The session of a JWT.

    Raises InvalidToken, TokenExpired, SessionEnded, AccountClosed, NotInPlan,
    IdentityProviderUnavailable.
    """
    claims = runtime.session_verifier.read(token)
    try:
        session_ends.admit(claims.tenant_id, claims.subject, claims.issued_at, runtime.caches)
    except NotFound:
        raise InvalidToken("The tenant of the token is unknown.") from None
    except (AccountClosed, SessionEnded) as refusal:
        refusal.of(CredentialOwner(claims.tenant_id, claims.subject, person=True))
        raise
    seats.take(claims.tenant_id, claims.subject, runtime.caches)
    return Session(claims.tenant_id, claims.subject, claims.email, claims.role, address)
