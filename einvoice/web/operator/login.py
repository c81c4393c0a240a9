"""Logging in to the console and out: by the identity provider, which names operators.

In development `einvoice dev-token --operator --link` prints an address that logs in directly.
"""

from __future__ import annotations

from flask import Response, g, request

from einvoice.security import dev_issuer
from einvoice.security.identity_provider import IdentityProvider, Person
from einvoice.services.account import operators
from einvoice.web import credentials, limits
from einvoice.web.dashboard import cookies, provider_login
from einvoice.web.dashboard.cookies import CONSOLE
from einvoice.web.dashboard.provider_login import MAX_LOGINS_PER_MINUTE
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_login", __name__, "", credential=credentials.public)
ending = OperatorPages("operator_logout", __name__, "")

_limited = limits.per_network(lambda: "operator/login", lambda: MAX_LOGINS_PER_MINUTE)


@family.page("/login")
@_limited
def begin_login() -> Response:
    """Send the browser to the identity provider, or say how to log in where that is not set up."""
    provider = _provider()
    if provider is None:
        return pages.render("operator/login.html", local=dev_issuer.is_on(runtime().settings))
    return provider_login.begin(provider, CONSOLE)


@family.page("/login/callback")
@_limited
def finish_login() -> Response:
    """Where the identity provider sends the browser back to."""
    response = _enter(*provider_login.finish(_provider(), CONSOLE))
    cookies.forget_login(response, CONSOLE)
    return response


@family.page("/login/local")
@_limited
def log_in_locally() -> Response:
    """Log in with a token of the local issuer; not found where that is off."""
    person = operators.of_local_issuer(provider_login.parameter("token"), runtime())
    return _enter(person, CONSOLE.home)


@family.page("/logged-out")
def show_logged_out() -> Response:
    """The page after a logout."""
    return pages.render("operator/logged_out.html")


@ending.page("/logout", methods=["POST"])
def log_out() -> Response:
    """End the session here and at the identity provider."""
    id_token = operators.end(g.operator_token, runtime())
    return provider_login.left(_provider(), id_token, CONSOLE, '"cache"')


def _provider() -> IdentityProvider | None:
    """The provider, where it names operators."""
    return runtime().identity_provider if runtime().settings.operator_role else None


def _enter(person: Person, then: str) -> Response:
    """Begin a session with a new token; one that the browser had before ends."""
    token = operators.begin(person, runtime(), request.remote_addr)
    return provider_login.entered(token, then, CONSOLE, lambda old: operators.end(old, runtime()))
