"""Explanations of problem types, read from `explanations.toml`: one entry for each slug."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from types import MappingProxyType
from typing import Any


class Retry(StrEnum):
    """Whether the same request may succeed later."""

    NO = "no"
    YES = "yes"
    DEPENDS = "depends"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The meaning of a problem, what to do about it, and whether to repeat the request."""

    meaning: str
    action: str
    retry: Retry
    advice: str
    members: Mapping[str, str] = field(default_factory=dict)


# When to repeat the request, for the problem types without more specific advice.
_ADVICE = {
    Retry.NO: "Repeat the request only after a change; the same request fails again.",
    Retry.YES: "Repeat the same request after the seconds in Retry-After.",
}


def _read() -> dict[str, Explanation]:
    text = resources.files(__package__).joinpath("explanations.toml").read_text("utf-8")
    return {slug: _explanation(entry) for slug, entry in tomllib.loads(text).items()}


def _explanation(entry: dict[str, Any]) -> Explanation:
    retry = Retry(entry["retry"])
    advice = entry.get("advice") or _ADVICE[retry]
    return Explanation(**{**entry, "retry": retry, "advice": advice})


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(_read())
