"""The way of a browser to the identity provider and back, for an area of pages.

OpenID Connect, authorization code with PKCE. What is kept of a login that has begun is in a cookie
of its area (cookies.keep_login).
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request

from einvoice.domain.errors import InvalidToken
from einvoice.security.identity_provider import IdentityProvider, Person
from einvoice.web.admission import slots
from einvoice.web.dashboard import cookies
from einvoice.web.dashboard.cookies import Area
from einvoice.web.runtime import runtime

MAX_LOGINS_PER_MINUTE = 30  # of one address
_MAX_LENGTH = 4_000  # of a parameter
CALLBACK_PATH, _LOGGED_OUT = "/login/callback", "/logged-out"  # in the area


def begin(provider: IdentityProvider, area: Area) -> Response:
    """Send the browser to the provider; it comes back to the page that `next` names."""
    with slots.released():
        login = provider.begin(_address(area, CALLBACK_PATH))
    response = Response(status=303, headers={"Location": login.url})
    then = cookies.page_after(request.args.get("next", ""), area)
    cookies.keep_login(response, login, then, area)
    return response


def finish(provider: IdentityProvider | None, area: Area) -> tuple[Person, str]:
    """The person whom the provider sends back, and the page to go to. Raises InvalidToken."""
    begun, state, code = cookies.begun_login(area), parameter("state"), parameter("code")
    if begun is None or provider is None or not state or state != begun.login.state:
        raise InvalidToken("This login took too long, or began in another browser: log in again.")
    if not code:
        raise InvalidToken("The identity provider did not log you in.")
    with slots.released():
        return provider.finish(code, begun.login, _address(area, CALLBACK_PATH)), begun.next


def entered(token: str, then: str, area: Area, end: Callable[[str], object]) -> Response:
    """To a page with this session; `end` ends the one that the browser had before."""
    before = cookies.session_token(area)
    if before is not None:
        end(before)
    response = Response(status=303, headers={"Location": then})
    cookies.keep_session(response, token, area)
    return response


def left(
    provider: IdentityProvider | None, id_token: str | None, area: Area, cleared: str
) -> Response:
    """To the end of the session at the provider, if there is one, and to the page after a logout.

    cleared  what the browser forgets (Clear-Site-Data)
    """
    address = None
    if provider is not None and id_token is not None:
        with slots.released():
            address = provider.logout_url(id_token, _address(area, _LOGGED_OUT))
    response = Response(status=303, headers={"Location": address or f"{area.home}{_LOGGED_OUT}"})
    response.headers["Clear-Site-Data"] = cleared
    cookies.forget_session(response, area)
    return response


def parameter(name: str) -> str:
    """A parameter of the address, of bounded length."""
    return request.args.get(name, "")[:_MAX_LENGTH]


def _address(area: Area, path: str) -> str:
    """To be registered at the identity provider."""
    return f"{runtime().settings.base_url}{area.home}{path}"
