"""The words of the buyer's page, by language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType

from babel import Locale

Words = Mapping[str, str]


def _read() -> dict[str, Words]:
    text = resources.files(__package__).joinpath("words.toml").read_text("utf-8")
    return {
        language: MappingProxyType(message) for language, message in tomllib.loads(text).items()
    }


WORDS: Mapping[str, Words] = MappingProxyType(_read())


def words_of(locale: Locale) -> Words:
    """The texts of the page in the locale's language."""
    return WORDS[locale.language]
