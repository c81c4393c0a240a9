"""/connect/{token}: a person of a tenant opens a connection by a link, without a login.

The link is the only credential. Unknown, used, revoked and expired ones get the same page. Once the
connection works the link is used, so the page that says so is the answer to the form.
"""

from __future__ import annotations

from typing import Any

from flask import Response, request

from einvoice.domain.connections import USABLE, State
from einvoice.domain.errors import (
    AccessPointUnavailable,
    AccountClosed,
    Conflict,
    InvalidField,
    NotFound,
    RateLimitExceeded,
    RequestRefused,
    TooBusy,
)
from einvoice.services.connections import link_forms, links
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.connections.consents import Consent
from einvoice.services.connections.link_forms import OpenedLink, Submission
from einvoice.web import credentials, limits
from einvoice.web.account import connection_link_schemas
from einvoice.web.admission import slots
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import connections, forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime
from einvoice.web.shared import consent_cookie

_PER_MINUTE = 30  # of a network, for each of reading and sending
_SUBMITTED = connection_link_schemas.SubmittedLink()
# Refusals that the form shows.
_SHOWN = (InvalidField, Conflict, AccessPointUnavailable, TooBusy)

family = Pages(
    "connect", __name__, links.PATH, credential=credentials.public, secret_paths=True
)  # fmt: skip


@family.before_request
@limits.per_network(lambda: "connect", lambda: _PER_MINUTE)
def _count() -> None:
    limits.leave_unstated()


@family.page("/<token>")
def show_link(token: str) -> Response:
    """The purpose of the link, and the form of its network."""
    return _form(link_forms.opened(token, runtime()))


@family.page("/<token>", methods=["POST"])
def submit_link(token: str) -> Response:
    """Connect the account, or go on to the consent at the network's own site."""
    given = forms.submitted().to_dict()
    opened = link_forms.opened(token, runtime())
    try:
        asked = loaded(_SUBMITTED, connections.body_of(given))
        submission = Submission(
            asked["person"], asked.get("account"), asked.get("credentials", {}), request.remote_addr
        )
        with slots.released():
            outcome = link_forms.submit(token, submission, runtime())
    except _SHOWN as refusal:
        return _form(opened, refusal, given)
    if isinstance(outcome, Consent):
        return _onward(opened, outcome, asked.get("account"))
    return _outcome(token, opened, outcome, given)


def _outcome(
    token: str, opened: OpenedLink, connection: ConnectionRecord, given: dict[str, str]
) -> Response:
    """That the connection works; else the form again, with the reason."""
    if State(connection.state) not in USABLE:
        return _form(link_forms.opened(token, runtime()), given=given, status=409)
    say, names = pages.words(), _names(opened)
    return _notice(say("connect.doneTitle", **names), say("connect.done"))


def _onward(opened: OpenedLink, consent: Consent, account: str | None) -> Response:
    """The way to the network's site. It is a link, because the policy of the pages lets forms lead
    to this host only."""
    response = pages.render(
        "dashboard/connect_onward.html",
        heading=pages.words()("connect.title", **_names(opened)),
        link=opened.link,
        company=opened.account or account,
        consent=consent,
    )
    consent_cookie.keep(response, consent)
    return response


def _form(
    opened: OpenedLink,
    refusal: RequestRefused | None = None,
    given: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    names = _names(opened)
    return pages.render(
        "dashboard/connect.html",
        status if refusal is None else 409,
        heading=pages.words()("connect.title", **names),
        tenant=names["tenant"],
        asking=opened.presented.platform or runtime().settings.provider,
        opened=opened,
        link=opened.link,
        connection=None if refusal is not None else opened.connection,
        given=_shown_again(opened, given or {}),
        errors=forms.errors_of(refusal),
        refusal=refusal,
    )


def _shown_again(opened: OpenedLink, given: dict[str, str]) -> dict[str, Any]:
    """The values that the person has typed, without secrets: a form is not sent back with them."""
    known = {} if opened.connection is None else {"account": opened.connection.account}
    return known | {name: given[name] for name in ("person", "account") if name in given}


def _names(opened: OpenedLink) -> dict[str, str]:
    return {"tenant": opened.presented.tenant, "network": opened.link.network}


def _notice(heading: str, *texts: str, status: int = 200) -> Response:
    return pages.render("dashboard/connect_notice.html", status, heading=heading, texts=texts)


@family.errorhandler(NotFound)
@family.errorhandler(AccountClosed)
def _gone(_: RequestRefused) -> Response:
    """The page of every link that is not open."""
    say = pages.words()
    return _notice(say("connect.goneTitle"), say("connect.gone"), status=404)


@family.errorhandler(RateLimitExceeded)
@family.errorhandler(AccessPointUnavailable)
def _busy(refusal: RequestRefused) -> Response:
    say = pages.words()
    status = 429 if isinstance(refusal, RateLimitExceeded) else 503
    return _notice(say("connect.notDone"), say("connect.busy"), status=status)
