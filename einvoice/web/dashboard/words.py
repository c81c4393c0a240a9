"""The words of the pages, by language: one file in `words/` for each, in sections.

>>> say = speaker("en")
>>> say("nav.overview"), say("overview.chart", sent=2, received=1)
('Overview', 'Documents a day: 2 sent and 1 received in 30 days')
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from einvoice.web.locales import DEFAULT_LANGUAGE

Say = Callable[..., str]


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
    """A function that returns the text of a name, with values put into its places."""
    message, english = words_of(language), words_of(DEFAULT_LANGUAGE)

    def say(name: str, /, **values: Any) -> str:
        text = message.get(name) or english[name]
        return text.format(**values) if values else text

    return say
