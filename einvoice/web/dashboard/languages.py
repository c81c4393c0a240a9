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
    return _chosen() or str(locales.chosen(accepted_languages(), None).language)


def _chosen() -> str | None:
    """The language of the letter, or the one that the person chose."""
    letter: str | None = g.get("letter_language")
    if letter in locales.LANGUAGES:
        return letter
    session: WebSession | None = g.get("web_session")
    if session is not None and session.language is not None:
        return session.language
    return cookies.kept_language()


def finding_language() -> str:
    """The language of the request, or another one of the browser's, that findings have.

    Where the pages do not have the first language of the browser, findings may.
    """
    if _chosen() is None:
        return best_language([*accepted_languages()[:1], language(), *accepted_languages()])
    return best_language([language(), *accepted_languages()])
