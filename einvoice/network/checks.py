"""Checks of plugins that only `einvoice doctor` runs (hook `einvoice_checks`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How a check ended."""

    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: a level, and a sentence that says what was found and what to do."""

    level: Level
    sentence: str


def good(sentence: str) -> CheckResult:
    """The checked part works."""
    return CheckResult(Level.GOOD, sentence)


def warning(sentence: str) -> CheckResult:
    """The checked part works, and needs attention."""
    return CheckResult(Level.WARNING, sentence)


def error(sentence: str) -> CheckResult:
    """The checked part does not work. `einvoice doctor` exits with 1."""
    return CheckResult(Level.ERROR, sentence)


@dataclass(frozen=True, slots=True)
class Check:
    """A check. `run` may use the network; it has ten seconds, in a thread of its own."""

    name: str
    run: Callable[[], CheckResult]
