"""The tests that cost too much for `make test`, as they were measured (tests/slow.txt).

    TEST_COSTS=rows.jsonl python -m pytest -p tests.costs -m "not more and not long and not interop"
    python -m tests.slow rows.jsonl

adds those of a run that take more than LIMIT, so that `make test` stays within its five minutes.
The cheapest test of a file stays where it is, and so do the promises of KEPT. A test that was made
cheaper is taken back by deleting its line.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
LISTED_AT: Final = Path(__file__).with_suffix(".txt")
LIMIT: Final = 0.04  # processor seconds of a case, in the mean of the cases of a test
# Isolation, what is sent once, conventions of the whole tree, and a sentence in each language for
# each new refusal: each change asks whether they hold, whatever that costs. Files, folders and
# single tests.
KEPT: Final = (
    "tests/web/test_isolation.py",
    "tests/web/test_idempotency.py",
    "tests/web/operator/test_isolation.py",
    "tests/web/pages/test_isolation.py",
    "tests/services/delivery",
    "tests/architecture/test_conventions.py",
    "tests/web/pages/test_languages.py::test_what_is_refused_below_the_pages_is_a_sentence",
)


@cache
def slow_tests() -> dict[str, frozenset[str]]:
    """The names of functions by the path of their file, as listed."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in LISTED_AT.read_text().splitlines():
        file, _, name = line.partition("::")
        found[file].add(name)
    return {file: frozenset(names) for file, names in found.items()}


def listed(rows: Iterable[tuple[str, float]], before: dict[str, frozenset[str]]) -> list[str]:
    """The lines of the list after a run. `rows`: the ids of its cases, and their seconds."""
    costs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for case, seconds in rows:
        file, _, name = case.partition("[")[0].partition("::")
        if "::" not in name:  # a contract is a class, and is run whole
            costs[file][name].append(seconds)
    lines = {f"{file}::{name}" for file, names in before.items() for name in names}
    for file, tests in costs.items():
        means = sorted((sum(cases) / len(cases), name) for name, cases in tests.items())
        costly = (f"{file}::{name}" for mean, name in means[1:] if mean > LIMIT)
        lines |= {test for test in costly if not test.startswith(KEPT)}
    return sorted(lines)


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    lines = listed(((row[0], row[1]) for row in rows), slow_tests())
    LISTED_AT.write_text("".join(f"{line}\n" for line in lines))
    print(f"{len(lines)} tests are listed")


if __name__ == "__main__":
    main()
