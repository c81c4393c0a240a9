"""A session token becomes a Session: a person of one of our tenants."""

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
        raise InvalidToken("The token is for a tenant that is not known here.") from None
    return Session(claims.tenant_id, claims.subject, claims.email, claims.role, address)
