"""Logging in to the console and out: by the identity provider, which names operators.

In development `einvoice dev-token --operator --link` prints an address that logs in directly.
"""

from __future__ import annotations

from flask import Response, g, request

from einvoice.domain.errors import InvalidToken
from einvoice.security import dev_issuer
from einvoice.security.identity_provider import IdentityProvider, Person
from einvoice.services.account import operators
from einvoice.web import credentials, limits
from einvoice.web.admission import slots
from einvoice.web.dashboard import cookies
from einvoice.web.dashboard.cookies import CONSOLE
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

MAX_LOGINS_PER_MINUTE = 30  # of one address
CALLBACK_PATH, LOGGED_OUT_PATH = "/operator/login/callback", "/operator/logged-out"
_MAX_LENGTH = 4_000  # of a parameter

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
    with slots.released():
        login = provider.begin(_address(CALLBACK_PATH))
    response = Response(status=303, headers={"Location": login.url})
    then = cookies.page_after(request.args.get("next", ""), CONSOLE)
    cookies.keep_login(response, login, then, CONSOLE)
    return response


@family.page("/login/callback")
@_limited
def finish_login() -> Response:
    """Where the identity provider sends the browser back to."""
    begun, provider = cookies.begun_login(CONSOLE), _provider()
    state, code = _parameter("state"), _parameter("code")
    if begun is None or provider is None or not state or state != begun.login.state:
        raise InvalidToken("This login took too long, or began in another browser: log in again.")
    if not code:
        raise InvalidToken("The identity provider did not log you in.")
    with slots.released():
        person = provider.finish(code, begun.login, _address(CALLBACK_PATH))
    response = _enter(person, begun.next)
    cookies.forget_login(response, CONSOLE)
    return response


@family.page("/login/local")
@_limited
def log_in_locally() -> Response:
    """Log in with a token of the local issuer; not found where that is off."""
    person = operators.of_local_issuer(_parameter("token"), runtime())
    return _enter(person, CONSOLE.home)


@family.page("/logged-out")
def show_logged_out() -> Response:
    """The page after a logout."""
    return pages.render("operator/logged_out.html")


@ending.page("/logout", methods=["POST"])
def log_out() -> Response:
    """End the session here and at the identity provider."""
    id_token = operators.end(g.operator_token, runtime())
    provider, address = _provider(), None
    if provider is not None and id_token is not None:
        with slots.released():
            address = provider.logout_url(id_token, _address(LOGGED_OUT_PATH))
    response = Response(status=303, headers={"Location": address or LOGGED_OUT_PATH})
    response.headers["Clear-Site-Data"] = '"cache"'
    cookies.forget_session(response, CONSOLE)
    return response


def _provider() -> IdentityProvider | None:
    """The provider, where it names operators."""
    return runtime().identity_provider if runtime().settings.operator_role else None


def _enter(person: Person, then: str) -> Response:
    """Begin a session with a new token; one that the browser had before ends."""
    token = operators.begin(person, runtime(), request.remote_addr)
    before = cookies.session_token(CONSOLE)
    if before is not None:
        operators.end(before, runtime())
    response = Response(status=303, headers={"Location": then})
    cookies.keep_session(response, token, CONSOLE)
    return response


def _address(path: str) -> str:
    """To be registered at the identity provider."""
    return f"{runtime().settings.base_url}{path}"


def _parameter(name: str) -> str:
    return request.args.get(name, "")[:_MAX_LENGTH]
