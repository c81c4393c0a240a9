"""How long invoices and evidence are kept: by the law of a country, the artefact and the plan.

The years are counted from the end of the year of the document.

>>> rule_of("BE").keep_until(date(2026, 3, 1))
datetime.date(2036, 12, 31)
>>> rule_of("NL", artefact_years=11).words
'11 years, as its network says'
>>> [rule_of("BE", plan_years=years).years for years in (5, 10, 11)]
[10, 10, 11]
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

DEFAULT_YEARS = 10  # of a country that is not listed, or not known
SANDBOX_YEARS = 1
MAX_YEARS = 100  # that a network can ask for


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """How many years something is kept, and why."""

    years: int
    words: str

    def keep_until(self, day: date) -> date:
        """The last day on which a document of this day is kept."""
        return date(day.year + self.years, 12, 31)


def rule_of(
    country: str | None,
    *,
    artefact_years: int | None = None,
    plan_years: int | None = None,
    default: int = DEFAULT_YEARS,
) -> RetentionRule:
    """The longest one of the law of the country, what a network says of an artefact, and a plan.

    default  years where the country is not listed
    """
    if artefact_years is not None:
        artefact_years = min(artefact_years, MAX_YEARS)
    listed = _countries().get(country or "")
    years = listed.years if listed else default
    if plan_years is not None and plan_years > max(years, artefact_years or 0):
        return RetentionRule(plan_years, f"{plan_years} years, as its plan says")
    if artefact_years is not None and artefact_years > years:
        return RetentionRule(artefact_years, f"{artefact_years} years, as its network says")
    if listed is None:
        return RetentionRule(years, f"{years} years, the default")
    return listed


def sandbox_rule() -> RetentionRule:
    """The retention of documents of the sandbox, which no law is about."""
    return RetentionRule(SANDBOX_YEARS, f"{SANDBOX_YEARS} year in the sandbox")


@cache
def _countries() -> dict[str, RetentionRule]:
    text = files("einvoice.compliance").joinpath("retention.toml").read_text(encoding="utf-8")
    return {
        code: RetentionRule(found["years"], f"{found['years']} years, {code}: {found['law']}")
        for code, found in tomllib.loads(text).items()
        if isinstance(found, dict)
    }
