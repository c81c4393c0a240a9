"""A session token becomes a Session: a person of one of our tenants."""

from __future__ import annotations

from einvoice.domain.errors import InvalidToken, NotFound
from einvoice.security.jwt import Verifier
from einvoice.services.account import tenants
from einvoice.services.principal import Session


def from_token(token: str, verifier: Verifier, address: str | None = None) -> Session:
    """Raises InvalidToken, TokenExpired, IdentityProviderUnavailable."""
    claims = verifier.read(token)
    try:
        tenants.get(claims.tenant_id)
    except NotFound:
        raise InvalidToken("The token is for a tenant that is not known here.") from None
    return Session(claims.tenant_id, claims.subject, claims.email, claims.role, address)
