"""GET /connections/callback: where a network sends the browser back to after consent.

Open to everyone: the state and the cookie of the browser are the credential. The consent began on
the page of connections, or at a connection link.
"""

from __future__ import annotations

from flask import Response, request, url_for

from einvoice.domain.connections import USABLE, State
from einvoice.domain.errors import RequestRefused
from einvoice.services.connections import consents
from einvoice.services.connections.consents import Ended
from einvoice.web import credentials, limits
from einvoice.web.admission import slots
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import consent_cookie

_MAX_LENGTH = 4_000  # of a parameter
_PER_MINUTE = 30

family = Pages(
    "connection_callback",
    __name__,
    "/connections",
    credential=credentials.public,
    secret_paths=True,
)


@family.page("/callback")
@limits.per_network(lambda: "connections/callback", lambda: _PER_MINUTE)
def finish_consent() -> Response:
    """Complete the consent that began in this browser, and say what became of it."""
    try:
        ended = _ended()
    except RequestRefused as refusal:
        say = pages.words()
        return _page(say("connect.notDone"), [say.sentence(refusal.detail)], 400)
    response = _result(ended)
    response.delete_cookie(consent_cookie.NAME, path=consents.CALLBACK_PATH)
    return response


def _ended() -> Ended:
    state, cookie = _parameter("state"), request.cookies.get(consent_cookie.NAME, "")
    code = _parameter("code")
    if not code:
        return consents.refuse(state, cookie)
    with slots.released():
        return consents.finish(state, cookie, code, runtime())


def _result(ended: Ended) -> Response:
    """The outcome of the consent, and where to go on."""
    say, connection = pages.words(), ended.connection
    back = None if ended.by_link else url_for("dashboard_connections.list_connections")
    if ended.given and State(connection.state) in USABLE:
        names = {"tenant": connection.account, "network": connection.network}
        return _page(say("connect.doneTitle", **names), [say("connect.close")], back=back)
    texts = [say.sentence(connection.reason)] if connection.reason else []
    texts.append(say("connect.again" if ended.by_link else "connect.close"))
    return _page(say("connect.notDone"), texts, back=back)


def _page(heading: str, texts: list[str], status: int = 200, back: str | None = None) -> Response:
    return pages.render(
        "dashboard/connect_notice.html", status, heading=heading, texts=texts, back=back
    )


def _parameter(name: str) -> str:
    return request.args.get(name, "")[:_MAX_LENGTH]
