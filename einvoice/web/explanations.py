"""What each problem type means, read from `explanations.toml`: one entry for each slug."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from types import MappingProxyType


class Retry(StrEnum):
    """Whether the same request may succeed later."""

    NO = "no"
    YES = "yes"
    DEPENDS = "depends"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a problem means, what to do about it, and whether to repeat the request."""

    meaning: str
    action: str
    retry: Retry
    advice: str
    members: Mapping[str, str] = field(default_factory=dict)


def _read() -> dict[str, Explanation]:
    text = resources.files(__package__).joinpath("explanations.toml").read_text("utf-8")
    return {
        slug: Explanation(**{**entry, "retry": Retry(entry["retry"])})
        for slug, entry in tomllib.loads(text).items()
    }


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(_read())
