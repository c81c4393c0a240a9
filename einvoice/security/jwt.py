"""Session tokens: JWTs that an identity provider signs for people at the dashboard (decisions 10).

A token names its issuer, and only that issuer's keys are used. The type of the key determines the
algorithm, never the token, so `none`, a MAC made with a public key, and keys of another type fail.
The claims are evaluated after the signature.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwa import JWSAlgModel
from joserfc.jws import JWSRegistry

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import InvalidToken, TokenExpired
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.jwks import Keys, LocalKeys, RemoteKeys

LEEWAY_SECONDS = 60  # that clocks may differ
MAX_LIFETIME_SECONDS = 24 * 3600
MAX_TENANTS = 100  # of one person
_MAX_TOKEN_LENGTH = 16_000


def _eddsa() -> JWSAlgModel:
    """EdDSA without the library's warning: RFC 9864 renamed it, identity providers did not."""
    algorithm = copy.copy(JWSRegistry.algorithms["EdDSA"])
    algorithm.security_warning = None
    return algorithm


class _Registry(JWSRegistry):
    """The three accepted algorithms, Ed25519 under both its names."""

    max_header_length = 4096
    algorithms = {  # noqa: RUF012 - an instance's, as the library declares it
        **{name: JWSRegistry.algorithms[name] for name in ("RS256", "ES256", "Ed25519")},
        "EdDSA": _eddsa(),
    }


_ALGORITHMS = {"RSA": ("RS256",), "EC": ("ES256",), "OKP": ("EdDSA", "Ed25519")}


@dataclass(frozen=True, slots=True)
class Issuer:
    """A trusted issuer: its name, the audience its tokens must have, and its keys."""

    name: str
    audience: str
    keys: Keys


@dataclass(frozen=True, slots=True)
class Claims:
    """The person that a valid token names."""

    tenant_id: str
    subject: str
    email: str | None
    role: Role
    issued_at: float = field(default=0.0, compare=False)  # Unix seconds


@dataclass(frozen=True, slots=True)
class PersonClaims:
    """The person that an ID token names, with the role in each of their tenants."""

    subject: str
    email: str | None
    name: str | None
    roles: Mapping[str, Role]
    issued_at: float  # Unix seconds


class Verifier:
    """Verifies tokens of its issuers."""

    def __init__(self, issuers: list[Issuer], tenant_claim: str) -> None:
        self._issuers = {issuer.name: issuer for issuer in issuers}
        self._tenant_claim = tenant_claim

    @classmethod
    def of(cls, settings: Settings) -> Verifier:
        """With the identity provider of the settings, and outside production the local issuer."""
        issuers = []
        if settings.jwt_issuer:
            keys = RemoteKeys(settings.jwt_jwks_url, https_only=settings.production)
            issuers.append(Issuer(settings.jwt_issuer, settings.jwt_audience, keys))
        if dev_issuer.is_on(settings):
            local = LocalKeys(dev_issuer.key_file(settings))
            issuers.append(Issuer(dev_issuer.NAME, dev_issuer.audience(settings), local))
        return cls(issuers, settings.jwt_tenant_claim)

    def read(self, token: str) -> Claims:
        """The claims of a valid token.

        Raises InvalidToken, TokenExpired or IdentityProviderUnavailable.
        """
        claims = self.verified(token)
        return Claims(
            tenant_id=_text(claims, self._tenant_claim),
            subject=_text(claims, "sub"),
            email=_text(claims, "email") if "email" in claims else None,
            role=_role(claims),
            issued_at=_moment(claims, "iat"),
        )

    def verified(self, token: str) -> Mapping[str, Any]:
        """The claims of a token whose signature, issuer, audience and times are valid.

        Raises InvalidToken, TokenExpired or IdentityProviderUnavailable.
        """
        header, claims = _parsed(token)
        issuer = self._issuers.get(_text(claims, "iss"))
        if issuer is None:
            raise InvalidToken("The token comes from an issuer that is not known here.")
        key = issuer.keys.find(header.get("kid"))
        if key is None:
            raise InvalidToken("The token is signed with a key its issuer does not publish.")
        registry = _Registry(algorithms=_ALGORITHMS[key.key_type], strict_check_header=False)
        try:
            jws.deserialize_compact(token, key, registry=registry)
        except (JoseError, ValueError, TypeError):
            raise InvalidToken("The token's signature does not hold.") from None
        if issuer.audience not in _audiences(claims):
            raise InvalidToken("The token is meant for another service.")
        _check_times(claims)
        return claims


@dataclass(frozen=True, slots=True)
class OperatorClaim:
    """The claim, and the value in it, by which the provider names operators of this service.

    >>> roles = OperatorClaim("realm_access.roles", "einvoice-operator")
    >>> roles.names({"realm_access": {"roles": ["a", "einvoice-operator"]}}), roles.names({})
    (True, False)

    claim  a name, or a path with points; its value is a text or a list of texts
    value  "": nobody is an operator
    """

    claim: str
    value: str

    def names(self, claims: Mapping[str, Any]) -> bool:
        """Whether verified claims name an operator."""
        found: Any = claims.get(self.claim)
        if found is None:
            found = claims
            for part in self.claim.split("."):
                found = found.get(part) if isinstance(found, Mapping) else None
        return bool(self.value) and self.value in (found if isinstance(found, list) else [found])


def person_in(
    claims: Mapping[str, Any], tenant_claim: str, *, needs_tenant: bool = True
) -> PersonClaims:
    """The person of verified claims. Raises InvalidToken.

    The claim of the tenant is an id or a list of ids; the claim `role` is the role in all of them,
    or an object with a role for each id. An operator needs none (`needs_tenant`).
    """
    named = claims.get(tenant_claim, [])
    tenants = named if isinstance(named, list) else [named]
    if not int(needs_tenant) <= len(tenants) <= MAX_TENANTS:
        raise InvalidToken(f"The token's claim {tenant_claim} has no tenant, or too many.")
    ids = [_text({tenant_claim: each}, tenant_claim) for each in tenants]
    return PersonClaims(
        subject=_text(claims, "sub"),
        email=_text(claims, "email") if "email" in claims else None,
        name=_text(claims, "name") if "name" in claims else None,
        roles={each: _role({"role": role}) for each, role in _roles(claims, ids).items()},
        issued_at=_moment(claims, "iat"),
    )


def _roles(claims: Mapping[str, Any], ids: list[str]) -> dict[str, Any]:
    """The role of each tenant, as the token states it."""
    stated = claims.get("role", Role.MEMBER.value)
    if isinstance(stated, dict):
        return {each: stated.get(each, Role.MEMBER.value) for each in ids}
    return dict.fromkeys(ids, stated)


def _parsed(token: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Header and claims, not yet verified."""
    try:
        if len(token) > _MAX_TOKEN_LENGTH:
            raise ValueError("too long")
        found = jws.extract_compact(token.encode("ascii"))
        header, claims = found.headers(), json.loads(found.payload)
    except (JoseError, ValueError, TypeError, RecursionError):
        raise InvalidToken("This is not a session token: log in again.") from None
    if not isinstance(claims, dict) or not isinstance(header.get("kid", ""), str):
        raise InvalidToken("This is not a session token: log in again.")
    return header, claims


def _check_times(claims: Mapping[str, Any]) -> None:
    now = clock.now().timestamp()
    issued, expires = _moment(claims, "iat"), _moment(claims, "exp")
    if issued > now + LEEWAY_SECONDS or (
        "nbf" in claims and _moment(claims, "nbf") > now + LEEWAY_SECONDS
    ):
        raise InvalidToken("The token is not valid yet.")
    if expires - issued > MAX_LIFETIME_SECONDS:
        raise InvalidToken("The token lives for more than 24 hours: longer ones are not accepted.")
    if expires + LEEWAY_SECONDS <= now:
        raise TokenExpired("The session is over: log in again.")


def _moment(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e11:
        raise InvalidToken(f"The token's claim {name} is missing or no time.")
    return value


def _text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > 255:
        raise InvalidToken(f"The token's claim {name} is missing or no text.")
    return value


def _audiences(claims: Mapping[str, Any]) -> list[Any]:
    found = claims.get("aud")
    return found if isinstance(found, list) else [found]


def _role(claims: Mapping[str, Any]) -> Role:
    """The role of the token; without one, member. Raises InvalidToken for an unknown role."""
    try:
        return Role(claims.get("role", Role.MEMBER.value))
    except ValueError:
        raise InvalidToken(
            "The token's claim role is none of viewer, member, admin, owner."
        ) from None
