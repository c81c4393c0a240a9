"""Triggers: rules that are run because an element occurs, or occurs again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from einvoice.rules.book import Rule

ROOT: Final = -1  # distance of a rule at the root that was reached by a path from anywhere


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rule to run if an element occurs, or occurs again; its node is `distance` levels above."""

    rule: Rule
    distance: int
