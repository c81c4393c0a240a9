"""The security schemes and refusals of each credential, as /openapi.json documents them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from einvoice.domain.errors import RequestRefused

Credential = Callable[[], None]


@dataclass(frozen=True, slots=True)
class SecurityRequirement:
    """Names of SCHEMES, any of which suffices (none: the route is public), and problem slugs."""

    schemes: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    @property
    def rate_limited(self) -> bool:
        """Whether requests count against a budget, which every response states in its headers."""
        return "rate-limit-exceeded" in self.refusals


SCHEMES: Mapping[str, Mapping[str, str]] = {
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "An API key: `sk_test_…` in the sandbox, `sk_live_…` in production.",
    },
    "platform": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "The key of a platform, `pk_test_…` or `pk_live_…`; or as Bearer, like an "
        "access token of its OAuth client. For one of its tenants with the header X-Tenant.",
    },
    "operator": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "The key of an operator of this service, `ok_…`; or as Bearer. It opens "
        "`/api/operator` only, and nothing else does.",
    },
    "session": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "The dashboard's session token, from the identity provider. Not an API key.",
    },
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, or an access token of the client credentials grant: on every "
        "route that takes an API key.",
    },
}

_requirements: dict[Credential, SecurityRequirement] = {}


def security_requirement(
    *refusals: type[RequestRefused], schemes: Sequence[str] = ()
) -> Callable[[Credential], Credential]:
    """Document a credential: the refusals it raises and the security schemes it accepts.

    @security_requirement(ApiKeyRequired, InvalidApiKey, schemes=["apiKey"])
    def api_key() -> None: ...
    """
    if set(schemes) - SCHEMES.keys():
        raise LookupError(f"{schemes} are not all of {', '.join(SCHEMES)}")

    def note(credential: Credential) -> Credential:
        slugs = tuple(refusal.slug for refusal in refusals)
        _requirements[credential] = SecurityRequirement(tuple(schemes), slugs)
        return credential

    return note


def requirement_of(credential: Credential) -> SecurityRequirement:
    """The requirement of a credential; LookupError for one without `@security_requirement`."""
    return _requirements[credential]
