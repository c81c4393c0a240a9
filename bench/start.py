"""CPU time that a command takes from its start to its end, and the modules that take most of it.

    python -m bench.start validate tests/samples/good_ubl.xml
    python -m bench.start --help

Each run is a process of its own (`os.times` of children). `-X importtime` says what is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from operator import itemgetter

_RUNS = 7
_MODULES = 12


def cpu_seconds(arguments: list[str]) -> float:
    """User and system time of one run of `einvoice` with these arguments."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "einvoice.cli", *arguments], capture_output=True)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def imports(arguments: list[str]) -> list[tuple[int, str]]:
    """(microseconds with all below it, module) of the modules that cost most, highest first."""
    command = [sys.executable, "-X", "importtime", "-m", "einvoice.cli", *arguments]
    written = subprocess.run(command, capture_output=True, text=True).stderr
    rows = [line.split("|") for line in written.splitlines() if line.startswith("import time:")]
    found = [(int(row[1]), row[2].strip()) for row in rows if row[1].strip().isdigit()]
    return sorted(found, key=itemgetter(0), reverse=True)[:_MODULES]


if __name__ == "__main__":
    given = sys.argv[1:]
    runs = sorted(cpu_seconds(given) for _ in range(_RUNS))
    print(f"einvoice {' '.join(given)}: {runs[0]:.2f} s of CPU, lowest of {_RUNS}; {runs[-1]:.2f}")
    for microseconds, module in imports(given):
        print(f"{microseconds / 1000:8.1f} ms  {module}")
