"""OAuth 2.0 client credentials: ids, secrets and access tokens (decisions 11).

An access token is a JWT that only this service reads, so it is signed with a key derived from
EINVOICE_SECRET_KEY, which is neither stored nor published. The first key of that setting signs;
tokens of the others are valid until they expire.

>>> client_id = new_client_id(Environment.LIVE)
>>> client_id.startswith("ci_live_"), environment_of(client_id)
(True, <Environment.LIVE: 'live'>)
>>> environment_of("ci_live_") is None
True
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidToken, TokenExpired
from einvoice.security import sealing

LIFETIME_SECONDS = 3600
_ALGORITHM = "HS256"
_TYPE = "at+jwt"  # RFC 9068: no other kind of token passes for an access token
_MAX_TOKEN_LENGTH = 4096
_CLIENT_ID = re.compile(r"[cp]i_(test|live)_[A-Za-z0-9_-]{22}", re.ASCII)


def new_client_id(environment: Environment) -> str:
    """A new client id, which is not secret."""
    return f"ci_{environment}_{secrets.token_urlsafe(16)}"


def new_platform_client_id(environment: Environment) -> str:
    """A new client id of a platform."""
    return f"pi_{environment}_{secrets.token_urlsafe(16)}"


def is_of_platform(client_id: str) -> bool:
    """Whether a client is a platform's."""
    return client_id.startswith("pi_")


def new_secret() -> str:
    """A new client secret, to be shown once."""
    return f"cs_{secrets.token_urlsafe(32)}"


def environment_of(client_id: str) -> Environment | None:
    """The environment of a well-formed client id; None for anything else."""
    match = _CLIENT_ID.fullmatch(client_id)
    return None if match is None else Environment(match[1])


def fingerprint(secret: str) -> str:
    """SHA-256 in hex, which is stored. A secret has 256 random bits, so no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def same(secret: str, digest: str) -> bool:
    """Whether the secret has this fingerprint, in constant time."""
    return hmac.compare_digest(fingerprint(secret), digest)


def is_access_token(token: str) -> bool:
    """Whether a Bearer token is one of ours by its header, which is not verified.

    Tokens of people are never signed with a MAC (security/jwt).

    >>> is_access_token("eyJhbGciOiJFUzI1NiJ9.e30.AA"), is_access_token("nonsense")
    (False, False)
    """
    header = _header(token)
    return header.get("alg") == _ALGORITHM and header.get("typ") == _TYPE


def _header(token: str) -> Mapping[str, Any]:
    """The header of a token in compact form; empty for another text."""
    try:
        if len(token) > _MAX_TOKEN_LENGTH:
            return {}
        return jws.extract_compact(token.encode("ascii")).headers()
    except (JoseError, ValueError, TypeError, RecursionError):
        return {}


@dataclass(frozen=True, slots=True)
class Grant:
    """The grant of a token: to which client and tenant, in which environment, with which scopes.

    `issued_at`: Unix seconds; 0 for one that is to be minted.
    """

    client_id: str
    tenant_id: str
    environment: Environment
    scopes: frozenset[str]
    issued_at: float = field(default=0.0, compare=False)


class Tokens:
    """Mints and reads the access tokens of these settings."""

    def __init__(self, keys: Mapping[str, bytes], issuers: Mapping[Environment, str]) -> None:
        self._keys = {kid: OctKey.import_key(key) for kid, key in keys.items()}
        self._first = next(iter(keys))
        self._issuers = issuers

    @classmethod
    def of(cls, settings: Settings) -> Tokens:
        """Raises SettingsFault without a key."""
        return cls(sealing.derived(settings, "access tokens"), issuers(settings))

    def mint(self, grant: Grant) -> str:
        """A token that is valid for LIFETIME_SECONDS."""
        now = int(clock.now().timestamp())
        issuer = self._issuers[grant.environment]
        claims = {
            "iss": issuer,
            "aud": issuer,
            "sub": grant.client_id,
            "client_id": grant.client_id,
            "tenant_id": grant.tenant_id,
            "environment": grant.environment.value,
            "scope": scope_of(grant.scopes),
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
            "jti": str(uuid.uuid4()),
        }
        header = {"alg": _ALGORITHM, "typ": _TYPE, "kid": self._first}
        return jwt.encode(header, claims, self._keys[self._first])

    def read(self, token: str) -> Grant:
        """The grant of a valid token. Raises InvalidToken or TokenExpired."""
        claims = self._verified(token)
        try:
            grant = _grant(claims)
            expires = int(claims["exp"])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _no_token() from None
        if claims.get("iss") != self._issuers[grant.environment]:
            raise InvalidToken("The access token was issued by another service.")
        if expires <= clock.now().timestamp():
            raise TokenExpired("The access token has expired: ask for a new one.")
        return grant

    def _verified(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that one of the keys has signed."""
        try:
            header = _header(token)
            if header.get("typ") != _TYPE:
                raise ValueError("another kind of token")
            found = jws.deserialize_compact(
                token, self._keys[header["kid"]], algorithms=[_ALGORITHM]
            )
            claims: Mapping[str, Any] = json.loads(found.payload)
        except (JoseError, KeyError, TypeError, ValueError, RecursionError):
            raise _no_token() from None
        return claims


def issuers(settings: Settings) -> dict[Environment, str]:
    """The issuer of each environment: its base URL."""
    return {
        Environment.LIVE: settings.base_url.rstrip("/"),
        Environment.TEST: (settings.sandbox_base_url or settings.base_url).rstrip("/"),
    }


def scope_of(scopes: frozenset[str]) -> str:
    """The scopes in OAuth's format."""
    return " ".join(sorted(scopes))


def _grant(claims: Mapping[str, Any]) -> Grant:
    return Grant(
        client_id=claims["client_id"],
        tenant_id=claims["tenant_id"],
        environment=Environment(claims["environment"]),
        scopes=frozenset(claims["scope"].split()),
        issued_at=float(claims["iat"]),
    )


def _no_token() -> InvalidToken:
    return InvalidToken("This is neither an API key nor an access token of this service.")
