"""What a family demands before it answers; a family without a credential cannot be made."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlsplit

from flask import current_app, g, request

from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    ApiKeyRequired,
    Forbidden,
    IdentityProviderUnavailable,
    InsufficientScope,
    InvalidApiKey,
    InvalidToken,
    IpNotAllowed,
    RateLimitExceeded,
    TokenExpired,
    TokenRequired,
)
from einvoice.services import authenticate, sessions
from einvoice.services.principal import Principal, Session
from einvoice.web import limits, pace, roles
from einvoice.web.demands import Credential as Credential
from einvoice.web.demands import demands


@demands(
    ApiKeyRequired,
    InvalidApiKey,
    InsufficientScope,
    IpNotAllowed,
    RateLimitExceeded,
    schemes=["apiKey"],
)
def api_key() -> None:
    """Header `x-api-key`; sets the principal of the request and counts it against its budget."""
    key = request.headers.get("x-api-key", "")
    who = authenticate.recognise(key)
    _check_host(who)
    hit = limits.count(who)
    if hit is not None:
        who = authenticate.as_of(key, hit.stamp)
    limits.enforce(who, hit)
    authenticate.admit(who, request.remote_addr)
    g.principal = who


@demands(
    TokenRequired,
    InvalidToken,
    TokenExpired,
    Forbidden,
    RateLimitExceeded,
    IdentityProviderUnavailable,
    schemes=["session"],
)
def session() -> None:
    """Header `Authorization: Bearer <JWT>`: a person at the dashboard, whose role is enough."""
    token = _bearer_token()
    if token is None:
        raise TokenRequired(
            "Send a session token in the Authorization header; API keys are not accepted here."
        )
    with pace.released():  # the identity provider may have to be asked
        who = sessions.recognise(
            token, current_app.extensions["session_verifier"], request.remote_addr
        )
    limits.count_person(who)
    least = roles.REQUIRED[request.endpoint or ""]
    if who.role < least:
        raise Forbidden(f"This needs the role {least}; yours is {who.role}.", least)
    g.session = who


def session_of_request() -> Session:
    """The person who is asking."""
    found: Session = g.session
    return found


def _bearer_token() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def stray() -> None:
    """A recognised key is counted and told its budget even where there is no such route."""
    if request.url_rule is None and "x-api-key" in request.headers:
        with suppress(InvalidApiKey, ApiKeyRequired, IpNotAllowed):
            api_key()


@demands()
def nobody() -> None:
    """Open to everybody, on purpose."""


# Credentials of people: every route they guard has a row in web/roles.
OF_PEOPLE: tuple[Credential, ...] = (session,)


def principal() -> Principal:
    """Who is asking."""
    found: Principal = g.principal
    return found


def require(scope: str) -> None:
    """Raise InsufficientScope unless the credential has the scope."""
    if scope not in principal().scopes:
        raise InsufficientScope(f"This needs the scope {scope}, which the API key lacks.")


def _check_host(who: Principal) -> None:
    """A key used on the other environment's host is not known there (decisions 19.6)."""
    settings: Settings = current_app.extensions["settings"]
    sandbox, production = _host(settings.sandbox_base_url), _host(settings.base_url)
    if sandbox in ("", production):
        return
    wrong = sandbox if who.environment is Environment.LIVE else production
    if request.host.lower() == wrong:
        raise InvalidApiKey(f"This is a {who.environment} key: use it on the other host.")


def _host(base_url: str) -> str:
    return urlsplit(base_url).netloc.lower()
