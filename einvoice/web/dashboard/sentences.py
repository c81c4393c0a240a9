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
    return _matched(text) is not None


@lru_cache(maxsize=4096)
def _said(text: str, language: str) -> str | None:
    found = _matched(text)
    if found is None:
        return None
    name, values = found
    return texts(language)[name].format(
        **{place: said(value, language) for place, value in values.items()}
    )


def _matched(text: str) -> tuple[str, Mapping[str, str]] | None:
    """The name of the sentence, and the values in its places."""
    for name, form in _forms():
        match = form.fullmatch(text)
        if match is not None:
            return name, match.groupdict()
    return None


@cache
def texts(language: str) -> Mapping[str, str]:
    """The sentences of a language by their names."""
    folder = resources.files(__package__).joinpath("sentences")
    return tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def _forms() -> Sequence[tuple[str, re.Pattern[str]]]:
    """The English sentences as patterns, those with the most text of their own first."""
    english = texts(DEFAULT_LANGUAGE)
    names = sorted(english, key=lambda name: len(_PLACE.sub("", english[name])), reverse=True)
    return [(name, _form(english[name])) for name in names]


def _form(text: str) -> re.Pattern[str]:
    """The pattern of a sentence: each place takes any text that is not empty."""
    pieces = _PLACE.split(text)  # text and name in turn
    written = (
        f"(?P<{piece}>.+?)" if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )
    return re.compile("".join(written), re.DOTALL)


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
