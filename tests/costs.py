"""What tests cost: processor seconds of set-up, test and clean-up, by folder and by fixture.

    python -m pytest -p tests.costs [-n 3 --dist loadfile] tests/web

Counted are the seconds of the test's own process, which hardly depend on what else the machine
does; those of servers and of processes that a test starts are missing. A fixture costs what it
takes without the fixtures that it asks for.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
LISTED: Final = 40
# Where each test's row is written, as a line of JSON, for questions of one's own: its id, its
# processor seconds, its seconds by the clock, and the MB that the process has after it.
ROWS_AT: Final = os.environ.get("TEST_COSTS", "")
_FOLDER_DEPTH: Final = {"services": 3, "web": 3, "networks": 3, "documents": 3}


class Costs:
    """Processor seconds of one process's tests."""

    def __init__(self) -> None:
        self.began = time.process_time()
        self.folders: Counter[str] = Counter()
        self.fixtures: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self._nested: list[float] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        before = time.process_time()
        result = yield
        self._add("(collection)", time.process_time() - before)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        before, wall = time.process_time(), time.monotonic()
        result = yield
        seconds = time.process_time() - before
        self._add(_folder(item.path), seconds)
        if ROWS_AT:
            took = round(time.monotonic() - wall, 4)
            row = [item.nodeid, round(seconds, 4), took, round(_memory())]
            with Path(ROWS_AT).open("a") as rows:
                rows.write(json.dumps(row) + "\n")
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        before = time.process_time()
        self._nested.append(0.0)
        try:
            return (yield)
        finally:
            seconds = time.process_time() - before
            own = seconds - self._nested.pop()
            if self._nested:
                self._nested[-1] += seconds
            function = getattr(fixturedef.func, "__name__", "")
            given = function == "get_direct_param_fixture_func"  # values of parametrize
            name = "(parameters)" if given else f"{fixturedef.argname} ({fixturedef.baseid})"
            self.fixtures[name] += own
            self.counts[name] += 1

    def _add(self, folder: str, seconds: float) -> None:
        self.folders[folder] += seconds
        self.counts[folder] += 1

    def told(self) -> list[dict[str, float]]:
        """The figures as plain values, and the most memory that the process had in MB."""
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        process = {"seconds": time.process_time() - self.began, "memory": memory}
        return [dict(self.folders), dict(self.fixtures), dict(self.counts), process]


class Sum:
    """The figures of all processes, printed at the end."""

    def __init__(self) -> None:
        self.folders: Counter[str] = Counter()
        self.fixtures: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.processes: list[dict[str, float]] = []

    def take(self, told: list[dict[str, float]]) -> None:
        folders, fixtures, counts, process = told
        self.folders.update(folders)  # type: ignore[arg-type]
        self.fixtures.update(fixtures)  # type: ignore[arg-type]
        self.counts.update(counts)  # type: ignore[arg-type]
        self.processes.append(process)

    def pytest_testnodedown(self, node: Any) -> None:
        if "costs" in node.workeroutput:
            self.take(node.workeroutput["costs"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tell = terminalreporter.write_line
        for title, figures in (("folder", self.folders), ("fixture", self.fixtures)):
            tell(f"{'CPU s':>8} {'times':>6}  {title}")
            for name, seconds in figures.most_common(LISTED):
                tell(f"{seconds:8.1f} {self.counts[name]:6}  {name}")
        for process in self.processes:
            tell(f"process: {process['seconds']:.0f} CPU s, {process['memory']:.0f} MB")


def pytest_configure(config: pytest.Config) -> None:
    costs = Costs()
    config.pluginmanager.register(costs, "costs-of-this-process")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Sum(), "sum-of-costs")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    manager = session.config.pluginmanager
    told = manager.get_plugin("costs-of-this-process").told()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["costs"] = told
    elif told[0].keys() - {"(collection)"}:
        manager.get_plugin("sum-of-costs").take(told)


def _memory() -> float:
    """What the process has in memory, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _folder(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    depth = _FOLDER_DEPTH.get(parts[1], 2)
    return "/".join(parts[: min(depth, len(parts) - 1)])
