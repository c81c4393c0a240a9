"""The findings of `einvoice doctor`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad something is, from good to bad.

    note: works, and is worth knowing; warning: somebody should act; serious: documents or data are
    at risk, or nothing works.
    """

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    SERIOUS = "serious"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem and its fix. A `serious` one makes the exit code 1; a `note` needs no action."""

    message: str
    fix: str
    serious: bool = field(default=True, kw_only=True)
    note: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.note:
            object.__setattr__(self, "serious", False)

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        if self.note:
            return Severity.NOTE
        return Severity.SERIOUS if self.serious else Severity.WARNING
