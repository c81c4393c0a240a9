"""What each credential asks for and how it refuses: the security schemes of /openapi.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from einvoice.domain.errors import RequestRefused

Credential = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Demand:
    """`schemes` are names of SCHEMES, each enough alone; none where everybody may ask."""

    schemes: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether the asker has a budget, which every answer tells."""
        return "rate-limit-exceeded" in self.refusals


SCHEMES: Mapping[str, Mapping[str, str]] = {
    "apiKey": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "An API key: `sk_test_…` in the sandbox, `sk_live_…` in production.",
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
        "description": "An API key, or an access token of the client credentials grant.",
    },
}

_demands: dict[Credential, Demand] = {}


def demands(
    *refusals: type[RequestRefused], schemes: Sequence[str] = ()
) -> Callable[[Credential], Credential]:
    """Say of a credential how it refuses, and which security schemes it takes.

    @demands(ApiKeyRequired, InvalidApiKey, schemes=["apiKey"])
    def api_key() -> None: ...
    """
    if set(schemes) - SCHEMES.keys():
        raise LookupError(f"{schemes} are not all of {', '.join(SCHEMES)}")

    def note(credential: Credential) -> Credential:
        slugs = tuple(refusal.slug for refusal in refusals)
        _demands[credential] = Demand(tuple(schemes), slugs)
        return credential

    return note


def demand_of(credential: Credential) -> Demand:
    """What a credential demands; LookupError for one that does not say."""
    return _demands[credential]
