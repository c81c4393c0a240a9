"""What a family demands before it answers; a family without a credential cannot be made."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

from flask import current_app, g, request

from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    ApiKeyRequired,
    InsufficientScope,
    InvalidApiKey,
    IpNotAllowed,
)
from einvoice.services import authenticate
from einvoice.services.principal import Principal
from einvoice.web import limits

Credential = Callable[[], None]


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


def stray() -> None:
    """A recognised key is counted and told its budget even where there is no such route."""
    if request.url_rule is None and "x-api-key" in request.headers:
        with suppress(InvalidApiKey, ApiKeyRequired, IpNotAllowed):
            api_key()


def nobody() -> None:
    """Open to everybody, on purpose."""


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
