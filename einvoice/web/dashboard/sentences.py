"""English sentences of the layers below the pages, in the language of a page.

Reasons of failures, errors of webhooks and details of refusals are stored and answered in English.
A sentence is recognised by its text in `sentences/en.toml`, whose places take what differs; a value
in a place may be a sentence itself.

>>> said("no answer within 15 s", "de")
'keine Antwort innerhalb von 15 s'
>>> said("Simulated: The network no longer knows the receiver.", "fr")
'Simulé : Le réseau ne connaît plus le destinataire.'
>>> said("Błąd sieci", "de")
'Błąd sieci'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from einvoice.network.reasons import REASONS
from einvoice.web.locales import DEFAULT_LANGUAGE

MAX_CHARACTERS = 2_000  # of a sentence; longer texts are of others
_PLACE = re.compile(r"\{(\w+)\}")


def said(text: str, language: str) -> str:
    """The sentence in this language; a text that is not of the table stays as it is."""
    if language == DEFAULT_LANGUAGE or len(text) > MAX_CHARACTERS:
        return text
    return _said(text, language) or text


def recognised(text: str) -> bool:
    """Whether the table has the sentence."""
    return matched(text) is not None


@lru_cache(maxsize=4096)
def _said(text: str, language: str) -> str | None:
    found = matched(text)
    if found is None:
        return None
    name, values = found
    return texts(language)[name].format(
        **{place: said(value, language) for place, value in values.items()}
    )


def matched(text: str) -> tuple[str, Mapping[str, str]] | None:
    """The name of the sentence, and the values in its places."""
    for name, pieces in _forms():
        values = _values(text, pieces)
        if values is not None:
            return name, values
    return None


def _values(text: str, pieces: Sequence[str]) -> dict[str, str] | None:
    """The values in the places of a form, each up to where the next piece of text first occurs.

    Nothing is tried twice: a text of a network takes time in proportion to its length.
    """
    if not (text.startswith(pieces[0]) and text.endswith(pieces[-1])):
        return None
    values: dict[str, str] = {}
    at, end = len(pieces[0]), len(text) - len(pieces[-1])
    for place, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        is_last = len(values) == len(pieces) // 2 - 1
        found = end if is_last else text.find(piece, at + 1, end)
        if found <= at:
            return None
        values[place], at = text[at:found], found + len(piece)
    return values if len(pieces) > 1 or text == pieces[0] else None


@cache
def texts(language: str) -> Mapping[str, str]:
    """The sentences of a language by their names."""
    folder = resources.files(__package__).joinpath("sentences")
    return tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def _forms() -> Sequence[tuple[str, Sequence[str]]]:
    """The English sentences as pieces, text and name of a place in turn, those with the most text
    first."""
    english = texts(DEFAULT_LANGUAGE)
    pieces = {name: _PLACE.split(text) for name, text in english.items()}
    names = sorted(pieces, key=lambda name: sum(map(len, pieces[name][::2])), reverse=True)
    return [(name, pieces[name]) for name in names]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document failed, in the language of a page.

    original  the text as it came, where only its code is known in that language
    """

    text: str
    original: str | None = None


def failure(text: str | None, code: str | None, language: str) -> Failure:
    """The reason of a failure. `code`: of the catalogue of `network/reasons`, if there is one."""
    if not text or language == DEFAULT_LANGUAGE or recognised(text) or code not in REASONS:
        return Failure(said(text or "", language))
    return Failure(said(REASONS[code].words, language), text)
