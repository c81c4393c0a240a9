"""Authentication of people: from a session token to a Session of a tenant."""

from __future__ import annotations

from einvoice.domain.errors import InvalidToken, NotFound
from einvoice.services.account import tenants
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime


def from_token(token: str, runtime: Runtime, address: str | None = None) -> Session:
    """The session of a JWT.

    Raises InvalidToken, TokenExpired, IdentityProviderUnavailable.
    """
    claims = runtime.session_verifier.read(token)
    try:
        tenants.get(claims.tenant_id, runtime.caches)
    except NotFound:
        raise InvalidToken("The tenant of the token is unknown.") from None
    return Session(claims.tenant_id, claims.subject, claims.email, claims.role, address)
