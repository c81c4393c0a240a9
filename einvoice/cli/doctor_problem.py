"""What `einvoice doctor` finds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem and its fix. A `serious` one makes the exit code 1."""

    message: str
    fix: str
    serious: bool = field(default=True, kw_only=True)
