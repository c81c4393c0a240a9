"""Optimisations of the rules, separate from the plain version that they replace.

| Switch | Replaces | By |
|---|---|---|
| `pattern_automaton` | trying the contexts of every pattern at every node (matching.py) | one automaton of all paths, walked along with the document (automaton.py, conditional_patterns.py) |
| `fast_paths` | running all rules of a line | one check that they cannot be broken (`fast_path.py` in the rule books) |
| `repeated_lines` | reading every line (reading.py) | copying lines that differ only in words and amounts (repeated_lines.py) |
| `line_sums` | copying only lines with equal amounts | checking the arithmetic of a copy's amounts (line_sums.py) |

The last two are for XML only: the lines of a send (`Engine.check_invoice`) are never copies. Any
combination gives the same findings: tests/rules/test_optimisations.py.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Optimisations:
    """Which optimisations an engine uses; the table above says what each does."""

    pattern_automaton: bool = True
    fast_paths: bool = True
    repeated_lines: bool = True
    line_sums: bool = True


ALL = Optimisations()
NONE = Optimisations(
    pattern_automaton=False,
    fast_paths=False,
    repeated_lines=False,
    line_sums=False,
)
