"""Mandates for electronic invoices by country: since when, in which format, over which network.

A file per country in `data/`, with its source and the day it was checked. The id of a mandate is
permanent: country, type and network.

>>> belgium = find("BE")
>>> [mandate.id for mandate in belgium.mandates]
['BE-B2G-PEPPOL', 'BE-B2B-PEPPOL']
>>> belgium.mandates[1].since
datetime.date(2026, 1, 1)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

TYPES = ("B2G", "B2B", "B2C")


class Status(StrEnum):
    """The stage of a mandate; `phased` if it already applies to some."""

    IN_FORCE = "in-force"
    PHASED = "phased"
    ANNOUNCED = "announced"
    NONE = "none"


class Confidence(StrEnum):
    """How well the facts are supported; `low` is one secondary source."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Mandate:
    """The requirement between two kinds of parties; `voluntary` if accepted but not required."""

    id: str
    type: str
    status: Status
    voluntary: bool
    since: date | None
    network: str | None
    formats: tuple[str, ...]
    schemes: tuple[str, ...]
    notes: str | None


@dataclass(frozen=True, slots=True)
class Country:
    """The mandates of a country, as known on the day they were checked."""

    code: str
    name: str
    checked: date
    source: str
    url: str | None
    confidence: Confidence
    mandates: tuple[Mandate, ...]


@cache
def known() -> tuple[Country, ...]:
    """All countries with facts, sorted by code."""
    files = resources.files(__package__).joinpath("data").iterdir()
    read = (tomllib.loads(f.read_text("utf-8")) for f in files if f.name.endswith(".toml"))
    return tuple(sorted(map(_country, read), key=lambda country: country.code))


def find(code: str) -> Country | None:
    """The country with this code; None if there are no facts of it."""
    return next((country for country in known() if country.code == code), None)


def _country(facts: Mapping[str, Any]) -> Country:
    return Country(
        code=facts["code"],
        name=facts["name"],
        checked=facts["checked"],
        source=facts["source"],
        url=facts.get("url"),
        confidence=Confidence(facts["confidence"]),
        mandates=tuple(_mandate(facts["code"], t, facts[t]) for t in TYPES if t in facts),
    )


def _mandate(country: str, kind: str, facts: Mapping[str, Any]) -> Mandate:
    network: str | None = facts.get("network")
    return Mandate(
        id="-".join(filter(None, (country, kind, (network or "").upper()))),
        type=kind,
        status=Status(facts["status"]),
        voluntary=facts.get("voluntary", False),
        since=facts.get("since"),
        network=network,
        formats=tuple(facts.get("formats", ())),
        schemes=tuple(facts.get("schemes", ())),
        notes=facts.get("notes"),
    )
