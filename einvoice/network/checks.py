"""Checks of plugins that only `einvoice doctor` runs (hook `einvoice_checks`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Level(StrEnum):
    """How a check ended."""

    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: a level, and a sentence that says what was found and what to do.

    ends_at  when the certificate that was looked at ends, for an alert on the time that is left
    """

    level: Level
    sentence: str
    ends_at: datetime | None = None


def good(sentence: str, ends_at: datetime | None = None) -> CheckResult:
    """The checked part works."""
    return CheckResult(Level.GOOD, sentence, ends_at)


def warning(sentence: str, ends_at: datetime | None = None) -> CheckResult:
    """The checked part works, and needs attention."""
    return CheckResult(Level.WARNING, sentence, ends_at)


def error(sentence: str, ends_at: datetime | None = None) -> CheckResult:
    """The checked part does not work. `einvoice doctor` exits with 1."""
    return CheckResult(Level.ERROR, sentence, ends_at)


@dataclass(frozen=True, slots=True)
class Check:
    """A check. `run` may use the network; it has ten seconds, in a thread of its own."""

    name: str
    run: Callable[[], CheckResult]
