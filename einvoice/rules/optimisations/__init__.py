"""Optimisations of the rules, separate from the plain version that they replace.

| Switch | Replaces | By |
|---|---|---|
| `pattern_automaton` | trying the contexts of every pattern at every node (matching.py) | one automaton of all paths, walked along with the document (automaton.py, conditional_patterns.py) |
| `optimistic_run` | noting what each rule finds (evaluation.py) | one loop that stops at the first broken rule; its node is then evaluated in full (compiled_evaluation.py). Needs the automaton |
| `fast_paths` | running all rules of a line | one check that they cannot be broken (`fast_path.py` in the rule books) |
| `repeated_lines` | reading every line (reading.py) | copying lines that differ only in words and amounts (repeated_lines.py) |
| `line_sums` | copying only lines with equal amounts | checking the arithmetic of a copy's amounts (line_sums.py) |
| `collector_pause` | the cyclic garbage collector's own schedule | no collection during a document (collector.py) |

Any combination gives the same findings: tests/rules/test_optimisations.py.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Optimisations:
    """Which optimisations an engine uses; the table above says what each does."""

    pattern_automaton: bool = True
    optimistic_run: bool = True
    fast_paths: bool = True
    repeated_lines: bool = True
    line_sums: bool = True
    collector_pause: bool = True


ALL = Optimisations()
NONE = Optimisations(
    pattern_automaton=False,
    optimistic_run=False,
    fast_paths=False,
    repeated_lines=False,
    line_sums=False,
    collector_pause=False,
)
