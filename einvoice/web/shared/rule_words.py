"""The words about a rule of a country in the language of that country, beside those of a finding.

>>> [each.text.partition(".")[0] for each in beside("SK-R-004")]
['Adresa slovenského dodávateľa má obsahovať PSČ']
>>> [each.direction for each in beside("ibr-126-ae")], beside("BR-01")
(['rtl'], [])
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from einvoice.web.shared.report_words import direction_of


@dataclass(frozen=True, slots=True)
class RuleWords:
    """The requirement of a rule, and what to do where its finding needs that."""

    language: str
    text: str

    @property
    def direction(self) -> str:
        return direction_of(self.language)


def beside(rule: str) -> list[RuleWords]:
    """The words beside a finding of the rule; none for a rule of no such country."""
    return [
        RuleWords(language, words[rule]) for language, words in tables().items() if rule in words
    ]


@cache
def tables() -> Mapping[str, Mapping[str, str]]:
    """The words by language and rule."""
    text = resources.files(__package__).joinpath("rule_words.toml").read_text("utf-8")
    return tomllib.loads(text)
