"""GET /connections/callback: where a network sends the browser back to after consent.

Open to everyone: the state and the cookie of the browser are the credential.
"""

from __future__ import annotations

from flask import Response, request
from markupsafe import Markup

from einvoice.domain.connections import USABLE, State
from einvoice.domain.errors import RequestRefused
from einvoice.services.connections import consents
from einvoice.web import credentials, limits
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.runtime import runtime
from einvoice.web.shared import consent_cookie

_MAX_LENGTH = 4_000  # of a parameter
_PER_MINUTE = 30

family = Family(
    "connection_callback",
    __name__,
    url_prefix="/connections",
    credential=credentials.public,
    tag="",
    secret_paths=True,
)  # no route of it is in the document

_PAGE = Markup(
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>{title}</title></head>'
    "<body><h1>{title}</h1><p>{text}</p>"
    '<p><a href="/dashboard/connections">Connections</a></p></body></html>'
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@family.unlisted("/callback")
@limits.per_network(lambda: "connections/callback", lambda: _PER_MINUTE)
def finish_consent() -> Response:
    """Complete the consent that began in this browser, and say what became of it."""
    try:
        title, text = _result()
    except RequestRefused as refusal:
        return _page("The connection was not authorised", refusal.detail, 400)
    response = _page(title, text, 200)
    response.delete_cookie(consent_cookie.NAME, path=consents.CALLBACK_PATH)
    return response


def _page(title: str, text: str, status: int) -> Response:
    page = _PAGE.format(title=title, text=text)
    response = Response(page, status, content_type="text/html; charset=utf-8")
    response.headers.update(_HEADERS)
    return response


def _result() -> tuple[str, str]:
    """Title and text of the page. Raises RequestRefused."""
    state, cookie = _parameter("state"), request.cookies.get(consent_cookie.NAME, "")
    code = _parameter("code")
    if not code:
        consents.refuse(state, cookie)
        return "The connection was not authorised", "You can close this page."
    with slots.released():
        connection = consents.finish(state, cookie, code, runtime())
    if State(connection.state) in USABLE:
        return "The connection is authorised", "You can close this page."
    return "The connection does not work yet", connection.reason or "Check it again later."


def _parameter(name: str) -> str:
    return request.args.get(name, "")[:_MAX_LENGTH]
