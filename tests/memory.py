"""`-p tests.memory`: the peak memory of each process of pytest-xdist, printed at the end."""

from __future__ import annotations

import resource
from typing import Any

import pytest

_peaks: list[int] = []  # megabytes, of the processes that have ended


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the peak of this process to the one that runs it, if another does."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Keep what a process has sent; one that has died sent nothing."""
    peak = getattr(node, "workeroutput", {}).get("peak")
    if peak is not None:
        _peaks.append(peak)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _peaks:
        peaks = ", ".join(map(str, sorted(_peaks)))
        terminalreporter.write_line(f"peak memory of the processes of tests: {peaks} MB")
