"""Logging in and out, and the choices of a person: account, environment and language.

The browser goes to the identity provider and comes back (provider_login). In development
`einvoice dev-token --link` prints an address that logs in directly.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from flask import Response, g, request

from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.security import dev_issuer
from einvoice.security.identity_provider import Person
from einvoice.services.account import preferences, web_sessions
from einvoice.web import credentials, limits, locales
from einvoice.web.dashboard import cookies, forms, pages, provider_login
from einvoice.web.dashboard.cookies import DASHBOARD
from einvoice.web.dashboard.pages import Pages
from einvoice.web.dashboard.provider_login import MAX_LOGINS_PER_MINUTE
from einvoice.web.runtime import runtime

# The page of one object of an environment, below its list.
_OF_ONE = re.compile(
    r"(/dashboard/(?:invoices|send|connections|developers/(?:webhooks|keys|clients)))/"
    r"(?:[0-9a-f]{8}-.*)"
)
# Parameters that name something of an environment, or a place in its list.
_OF_ITS = frozenset({"cursor", "draft", "credits", "copies", "notice"})

family = Pages("dashboard_login", __name__, "/dashboard", credential=credentials.public)
choices = Pages("dashboard_choices", __name__, "/dashboard", credential=pages.logged_in)

_limited = limits.per_network(lambda: "dashboard/login", lambda: MAX_LOGINS_PER_MINUTE)


@family.page("/login")
@_limited
def begin_login() -> Response:
    """Send the browser to the identity provider, or say how to log in where there is none."""
    provider = runtime().identity_provider
    if provider is None:
        local = dev_issuer.is_on(runtime().settings)
        return pages.render("dashboard/login.html", local=local)
    return provider_login.begin(provider, DASHBOARD)


@family.page("/login/callback")
@_limited
def finish_login() -> Response:
    """Where the identity provider sends the browser back to."""
    response = _enter(*provider_login.finish(runtime().identity_provider, DASHBOARD))
    cookies.forget_login(response)
    return response


@family.page("/login/local")
@_limited
def log_in_locally() -> Response:
    """Log in with a token of the local issuer; not found where that is off."""
    person = web_sessions.of_local_issuer(provider_login.parameter("token"), runtime())
    return _enter(person, cookies.HOME)


@family.page("/logged-out")
def show_logged_out() -> Response:
    """The page after a logout."""
    return pages.render("dashboard/logged_out.html")


@choices.page("/logout", methods=["POST"])
def log_out() -> Response:
    """End the session here and at the identity provider."""
    id_token = web_sessions.end(g.web_session_token, runtime())
    provider = runtime().identity_provider
    return provider_login.left(provider, id_token, DASHBOARD, '"cache", "storage"')


@choices.page("/accounts")
def list_accounts() -> Response:
    """The accounts of the person, to choose one."""
    found = web_sessions.accounts(g.web_session, runtime())
    return pages.render("dashboard/accounts.html", accounts=found)


@choices.page("/accounts", methods=["POST"])
def choose_account() -> Response:
    """Enter an account."""
    web_sessions.choose(g.web_session, forms.submitted().get("account", ""))
    return pages.redirect_to("dashboard_overview.show_overview")


@choices.page("/countries")
def list_countries() -> Response:
    """The countries that a field offers; its page loads them when the field is entered."""
    return pages.render("dashboard/countries.html")


@choices.page("/preferences", methods=["POST"])
def choose_preferences() -> Response:
    """Keep the environment or the language that the person chose, and return to the page."""
    form = forms.submitted()
    values: dict[str, Any] = {}
    with suppress(ValueError):
        values["environment"] = Environment(form.get("environment", "")).value
    if form.get("language") in locales.LANGUAGES:
        values["language"] = form["language"]
    if values:
        web_sessions.prefer(g.web_session, **values)
    if "language" in values:
        with suppress(NotFound):
            person = g.web_session.person(request.remote_addr)
            preferences.keep(person, language=values["language"])
    back = cookies.page_after(form.get("back", ""))
    if "environment" in values:
        back = _in_environment(back, values["environment"])
    response = Response(status=303, headers={"Location": back})
    if "language" in values:
        cookies.keep_language(response, values["language"])
    return response


def _in_environment(address: str, chosen: str) -> str:
    """The page of this address in the chosen environment; of one document, its list.

    >>> _in_environment("/dashboard/invoices?environment=test&q=a&cursor=b", "live")
    '/dashboard/invoices?environment=live&q=a'
    >>> _in_environment(f"/dashboard/send/{'0' * 8}-0000-7000-8000-{'0' * 12}", "test")
    '/dashboard/send'
    >>> _in_environment("/dashboard/invoices/new?draft=1", "test")
    '/dashboard/invoices/new'
    """
    parts = urlsplit(address)
    path = _OF_ONE.sub(r"\1", parts.path)
    given = [(n, v) for n, v in parse_qsl(parts.query, keep_blank_values=True) if n not in _OF_ITS]
    kept = [(n, chosen if n == "environment" else v) for n, v in given] if parts.query else []
    return urlunsplit(("", "", path, urlencode(kept) if path == parts.path else "", ""))


def _enter(person: Person, then: str) -> Response:
    """Begin a session with a new token; one that the browser had before ends."""
    token = web_sessions.begin(person, runtime(), request.remote_addr)
    return provider_login.entered(
        token, then, DASHBOARD, lambda old: web_sessions.end(old, runtime())
    )
