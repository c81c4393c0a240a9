"""An entry of the book."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A promise that was broken. `kind`: lost, twice, untold, no fault, 500, seen, sums, late,
    person (one has to decide, and was told)."""

    kind: str
    text: str
