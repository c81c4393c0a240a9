"""The words of the pages, by language: one file in `words/` for each, in sections.

>>> say = speaker("en")
>>> say("nav.overview"), say("overview.chart", sent=2, received=1)
('Overview', 'Documents a day: 2 sent and 1 received in 30 days')
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from einvoice.web.dashboard import sentences
from einvoice.web.locales import DEFAULT_LANGUAGE


@dataclass(frozen=True, slots=True)
class Say:
    """The texts of a language: `say("nav.overview")`."""

    language: str

    def __call__(self, name: str, /, **values: Any) -> str:
        """The text of this name, with values put into its places. Raises KeyError."""
        text = words_of(self.language).get(name) or words_of(DEFAULT_LANGUAGE)[name]
        return text.format(**values) if values else text

    def sentence(self, text: str | None) -> str:
        """An English sentence of the layers below in this language, where the table has it."""
        return sentences.said(text or "", self.language)


@cache
def words_of(language: str) -> Mapping[str, str]:
    """The texts of a language by their names, such as `nav.invoices`."""
    folder = resources.files(__package__).joinpath("words")
    read = tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
    return MappingProxyType(
        {
            f"{section}.{name}": text
            for section, named in read.items()
            for name, text in named.items()
        }
    )


@cache
def speaker(language: str) -> Say:
    """The texts of a language."""
    return Say(language)
