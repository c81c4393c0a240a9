"""The words about a report to a tax authority in the language of its country, and in English.

>>> of_country("SK", "Delivered", None).state
'Faktúra je nahlásená daňovému úradu.'
>>> of_country("AE", "Delivered", None).direction, of_country("BE", "Delivered", None)
('rtl', None)
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

DEFAULT_LANGUAGE = "en"
LANGUAGES = {"SK": "sk", "AE": "ar", "OM": "ar"}  # of the countries whose authorities take reports
_RIGHT_TO_LEFT = frozenset({"ar"})
_CODE = re.compile(r"(?:(?<=: )|(?<=; ))([A-Z]{2}): ")


@dataclass(frozen=True, slots=True)
class ReportWords:
    """The meaning of a report's state, why it failed (in the authority's words, and the meanings
    of the codes in them), and what to do."""

    language: str
    state: str
    reason: str
    next: str
    codes: tuple[str, ...] = ()

    @property
    def direction(self) -> str:
        return direction_of(self.language)


def direction_of(language: str) -> str:
    """The direction of its writing, as the attribute `dir` has it."""
    return "rtl" if language in _RIGHT_TO_LEFT else "ltr"


def of_country(country: str, status: str, reason: str | None) -> ReportWords | None:
    """The words in the language of a country; None for a country without words here."""
    language = LANGUAGES.get(country)
    return said(language, status, reason) if language else None


def beside(country: str, status: str, reason: str | None, language: str) -> list[ReportWords]:
    """The words beside state and reason on a page: what to do where the page is in English, then
    all in the language of the country."""
    spoken = language.partition("-")[0]
    own = of_country(country, status, reason)
    beside_english = []
    if spoken == DEFAULT_LANGUAGE and (here := said(DEFAULT_LANGUAGE, status, reason)).next:
        beside_english.append(replace(here, state="", reason=""))
    return [*beside_english, *([own] if own else [])]


def of_refused_send(name: str, values: Mapping[str, str], language: str) -> list[str]:
    """The words beside a refusal to send a document that would be reported: what to do where the
    page is in English, then the same in the language of the country.

    name, values  of the sentence of the refusal, and what is in its places

    >>> of_refused_send("idOfCountry", {"country": "SK", "scheme": "0245"}, "de")[0][:34]
    'Účastník na Slovensku má identifik'
    >>> of_refused_send("idOfCountry", {"country": "BE", "scheme": "0208"}, "en")
    []
    """
    own = LANGUAGES.get(values.get("country", ""))
    if own is None or name not in _words()[own]["send"]:
        return []
    is_english = language.partition("-")[0] == DEFAULT_LANGUAGE
    wanted = [DEFAULT_LANGUAGE, own] if is_english else [own]
    return [_words()[each]["send"][name].format_map(values) for each in wanted]


def said(language: str, status: str, reason: str | None) -> ReportWords:
    """The words in a language. Raises KeyError for one without words."""
    words = _words()[language]
    state, following = words["state"].get(status, ""), words["next"].get(status, "")
    codes = tuple(words["code"][code] for code in _codes_in(reason or ""))
    return ReportWords(language, state, _reason(reason or "", words["refused"]), following, codes)


def _codes_in(reason: str) -> list[str]:
    """The codes of an authority's refusal, each once: `SV: …; BV: …`."""
    known: Mapping[str, str] = _words()[DEFAULT_LANGUAGE]["code"]
    found = dict.fromkeys(_CODE.findall(reason)) if _is_refusal(reason) else {}
    return [code for code in found if code in known]


def _is_refusal(reason: str) -> bool:
    return reason.startswith(_words()[DEFAULT_LANGUAGE]["refused"].partition("{")[0])


def _reason(reason: str, refused: str) -> str:
    """The reason in the language, where it is a refusal of the authority; else as it is stored."""
    if not _is_refusal(reason):
        return reason
    beginning = _words()[DEFAULT_LANGUAGE]["refused"].partition("{")[0]
    return refused.format(words=reason.removeprefix(beginning))


@cache
def _words() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("report_words.toml").read_text("utf-8")
    return tomllib.loads(text)
