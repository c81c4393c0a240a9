"""The language of a request for a page, and the words in it."""

from __future__ import annotations

from flask import g

from einvoice.services.account.web_sessions import WebSession
from einvoice.validation import best_language
from einvoice.web import locales
from einvoice.web.dashboard import cookies
from einvoice.web.dashboard.words import Say, speaker
from einvoice.web.headers import accepted_languages


def words() -> Say:
    """The words in the language of the request."""
    return speaker(language())


def language() -> str:
    """The language of the letter whose link was followed, else the one that the person chose, now
    or in an earlier session of this browser, else the first of the browser's that there is."""
    letter: str | None = g.get("letter_language")
    if letter in locales.LANGUAGES:
        return letter
    session: WebSession | None = g.get("web_session")
    if session is not None and session.language is not None:
        return session.language
    kept = cookies.kept_language()
    if kept is not None:
        return kept
    return str(locales.chosen(accepted_languages(), None).language)


def finding_language() -> str:
    """The language of the request, or another one of the browser's, that findings have."""
    return best_language([language(), *accepted_languages()])
