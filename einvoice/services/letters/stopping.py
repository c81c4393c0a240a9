"""The link at the end of a letter: it stops letters to its person, without a login."""

from __future__ import annotations

from einvoice.services.account import preferences
from einvoice.services.letters.sending import digest
from einvoice.store.account import letters as stored
from einvoice.store.account import preferences as people
from einvoice.store.core import db

_MAX_TOKEN = 100


def language_of(token: str) -> str | None:
    """The language of the person whose link has the token, or "" for the browser's.

    None if no letter has it.
    """
    letter = _letter(token)
    if letter is None:
        return None
    with db.reading() as connection:
        person = people.find_by_id(connection, letter.preferences_id)
    return (person.language or "") if person else None


def stop(token: str) -> bool:
    """Stop letters to the person of a link; False if no letter has it. May be repeated."""
    letter = _letter(token)
    if letter is None:
        return False
    preferences.stop(letter.tenant_id, letter.preferences_id)
    return True


def last_letter(tenant_id: str, preferences_id: str) -> stored.LetterRecord | None:
    """The newest letter to a person that was sent, or could not be."""
    return stored.newest(tenant_id, preferences_id)


def _letter(token: str) -> stored.LetterRecord | None:
    return stored.of_digest(digest(token)) if len(token) <= _MAX_TOKEN else None
