"""What runs on this machine, from /proc: for tests of processes that must be gone."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path


def _stat(pid: int) -> tuple[str, int] | None:
    """State and parent of a process; None where there is none."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return None
    return state, int(parent)


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    found = _stat(pid)
    return found is not None and found[0] not in "ZX"


def descendants(pid: int) -> set[int]:
    """The process ids of its children, their children and so on."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*"):
        found = _stat(int(path.name))
        if found is not None:
            parents[int(path.name)] = found[1]
    known: set[int] = set()
    while found_now := {p for p, parent in parents.items() if parent in {pid, *known}} - known:
        known |= found_now
    return known


def survivors(pids: Iterable[int], within: float) -> set[int]:
    """Those that still run after so many seconds."""
    until = time.monotonic() + within
    left = set(pids)
    while left and time.monotonic() < until:
        left = {pid for pid in left if is_alive(pid)}
        time.sleep(0.05)
    return left
