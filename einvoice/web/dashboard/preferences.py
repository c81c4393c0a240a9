"""Preferences of a person: language, form of dates, letters; and the link that stops letters."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from flask import Response, g, request

from einvoice import clock
from einvoice.domain.letters import Frequency, Topic, offered
from einvoice.domain.roles import Role
from einvoice.services.account import preferences, web_sessions
from einvoice.services.account.preferences import Choices
from einvoice.services.letters import stopping
from einvoice.web import credentials, limits, locales
from einvoice.web.dashboard import cookies, forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.dashboard.provider_login import MAX_LOGINS_PER_MINUTE
from einvoice.web.runtime import runtime

family = Pages("dashboard_preferences", __name__, "/dashboard/settings/you")
links = Pages("dashboard_letters", __name__, "/dashboard/letters", credential=credentials.public)

_limited = limits.per_network(lambda: "dashboard/letters", lambda: MAX_LOGINS_PER_MINUTE)


@family.page("", least=Role.VIEWER)
def show_preferences() -> Response:
    """Language, dates, and the letters that the person gets."""
    person = pages.who()
    choices, stored = preferences.of(person)
    return pages.render(
        "dashboard/preferences.html",
        choices=choices,
        offered=offered(person.role),
        frequencies=list(Frequency),
        samples=[
            (form, locales.day(clock.today(), pages.page_locale(), form))
            for form in locales.DATE_FORMS
        ],
        email=person.email,
        sends_mail=runtime().outgoing is not None,
        last=stopping.last_letter(person.tenant_id, stored.id) if stored else None,
    )


@family.page("", least=Role.VIEWER, methods=["POST"])
def change_preferences() -> Response:
    """Store all of it."""
    given, person = forms.submitted(), pages.who()
    values: dict[str, str | None] = {}
    language = _chosen(given, "language", locales.LANGUAGES)
    if language:
        values["language"] = language
    if "dates" in given:
        values["dates"] = _chosen(given, "dates", locales.DATE_FORMS)
    preferences.keep(person, **values)
    if "letters" in given:
        topics = [topic for topic in Topic if topic.value in given.getlist("topics")]
        frequency = Frequency.NEVER
        with suppress(ValueError):
            frequency = Frequency(given["letters"])
        choices = Choices(frequency, topics, "sandbox" in given)
        preferences.choose(person, choices, runtime().caches)
    if values:
        web_sessions.prefer(g.web_session, **values)
    response = pages.redirect_to("dashboard_preferences.show_preferences", "saved")
    if language:
        cookies.keep_language(response, language)
    return response


def _chosen(given: Mapping[str, str], name: str, values: Mapping[str, str]) -> str | None:
    return given[name] if given.get(name) in values else None


# -- the link in letters ---------------------------------------------------------------------------


@links.page("/<token>")
@_limited
def show_stop(token: str) -> Response:
    """The button that stops letters: programs that open the links of a mail press none."""
    language = stopping.language_of(token)
    if language is None:
        return _shown("gone", 404)
    if language:
        g.letter_language = language
    return _shown("ask")


@links.page("/<token>", methods=["POST"])
@_limited
def stop_letters(token: str) -> Response:
    """Stop letters, by the button, or at once by the person's mail program (RFC 8058)."""
    language = stopping.language_of(token)
    if language:
        g.letter_language = language
    return _shown("done") if stopping.stop(token) else _shown("gone", 404)


def _shown(what: str, status: int = 200) -> Response:
    return pages.render("dashboard/stop.html", status, what=what, address=request.path)
