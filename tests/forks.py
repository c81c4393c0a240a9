"""`-p tests.forks --processes 3`: tests side by side, in processes that share what was collected.

One process imports the service and collects all tests, and forks the ones that run them; each gets
one file after the other. With pytest-xdist every process imported and collected everything itself,
which was a fifth of what all tests cost and most of what each process held. A process that has
grown ends after its file, and another is forked in its place.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

MAX_MEGABYTES: Final = 540  # of a process that takes another file
LEAST_GROWTH: Final = 60  # before a process ends, in MB

Group = list[pytest.Item]
# A test with the number of its group, and how many tests of the group come after it.
Placed = tuple[int, int, pytest.Item]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="run tests in so many forks")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    config = session.config
    if not config.option.processes or config.option.collectonly or session.testsfailed:
        return None
    config.get_terminal_writer().line(f"{config.option.processes} processes")
    _Run(session).until_done(config.option.processes)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


class _Fork:
    """A process that runs tests, as the process that forked it knows it."""

    def __init__(self, number: int, run: _Run) -> None:
        self.number = number
        self.group: Group = []
        self.left = 0  # tests of the group that have not begun
        self.connection, theirs = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            run.close_connections()
            self.connection.close()
            _Worker(run.session, run.groups, theirs, number).work()
        theirs.close()
        # As plugins know the processes of pytest-xdist.
        self.node = SimpleNamespace(workeroutput={}, config=run.session.config)

    def ended(self) -> int:
        """The exit status, once the process has ended."""
        self.connection.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class _Run:
    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.hook = session.config.hook
        by_file = [list(items) for _, items in groupby(session.items, key=lambda item: item.path)]
        # Files with many tests go first, so that the processes end together.
        self.groups: list[Group] = sorted(by_file, key=len, reverse=True)
        self._queue = deque(range(len(self.groups)))
        self._forks: dict[Connection, _Fork] = {}
        self._number = 0
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.showfspath = False

    def until_done(self, processes: int) -> None:
        try:
            self._start(processes)
            while self._forks:
                for connection in wait(list(self._forks)):
                    assert isinstance(connection, Connection)
                    self._listen(self._forks[connection])
                self._start(processes)
        finally:
            for fork in self._forks.values():
                os.kill(fork.pid, signal.SIGINT)
                fork.ended()

    def close_connections(self) -> None:
        for connection in self._forks:
            connection.close()

    def _start(self, processes: int) -> None:
        while len(self._forks) < min(processes, len(self._forks) + len(self._queue)):
            self._number += 1
            fork = _Fork(self._number, self)
            self._forks[fork.connection] = fork

    def _listen(self, fork: _Fork) -> None:
        try:
            kind, value = fork.connection.recv()
        except (EOFError, ConnectionResetError):
            self._end(fork)
            return
        if kind == "next":
            fork.connection.send(self._next())
        elif kind == "begun":
            fork.group, fork.left = self.groups[value[0]], value[1]
        elif kind == "report":
            report = self.hook.pytest_report_from_serializable(
                config=self.session.config, data=value
            )
            self.hook.pytest_runtest_logreport(report=report)
        else:
            fork.left, fork.group = 0, []
            fork.node.workeroutput = value

    def _next(self) -> int | None:
        if self.session.shouldfail or self.session.shouldstop:
            self._queue.clear()
        return self._queue.popleft() if self._queue else None

    def _end(self, fork: _Fork) -> None:
        """A process that died fails the test that it ran; another runs the rest of the file."""
        del self._forks[fork.connection]
        status = fork.ended()
        if fork.group:
            died = fork.group[-fork.left - 1]
            self._fail(died, f"the process of this test ended with {status}")
            if fork.left:
                self.groups.append(fork.group[-fork.left :])
                self._queue.append(len(self.groups) - 1)
        self.hook.pytest_testnodedown(node=fork.node, error=None)

    def _fail(self, item: pytest.Item, reason: str) -> None:
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", reason, "call")
        self.hook.pytest_runtest_logreport(report=report)


class _Worker:
    """The forked process: asks for files, runs their tests and sends their reports."""

    def __init__(
        self, session: pytest.Session, groups: list[Group], connection: Connection, number: int
    ) -> None:
        self._session = session
        self._groups = groups
        self._connection = connection
        self._number = number

    def work(self) -> None:
        status = 1
        try:
            self._settle()
            self._run_all()
            config = self._session.config
            config.hook.pytest_sessionfinish(session=self._session, exitstatus=0)
            self._connection.send(("end", config.workeroutput))  # type: ignore[attr-defined]
            status = 0
        except KeyboardInterrupt:
            self._session._setupstate.teardown_exact(None)
        except Exception:  # noqa: BLE001  # the process ends; its test has failed
            traceback.print_exc()
        finally:
            os._exit(status)

    def _settle(self) -> None:
        """Output, temporary files and reports of its own."""
        config = self._session.config
        config.workerinput = {}  # type: ignore[attr-defined]  # as plugins know it of pytest-xdist
        config.workeroutput = {}  # type: ignore[attr-defined]
        manager = config.pluginmanager
        manager.unregister(name="terminalreporter")
        manager.register(self, "reports-of-this-process")
        capture = manager.get_plugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
        factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / f"process-{self._number}"
        factory._basetemp.mkdir()

    def _run_all(self) -> None:
        for (index, left, item), after in _and_next(self._items()):
            self._connection.send(("begun", (index, left)))
            next_item = after and after[2]
            self._session.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)

    def _items(self) -> Iterator[Placed]:
        """The tests of one file after the other, until none is left or the process has grown."""
        limit = max(MAX_MEGABYTES, _megabytes() + LEAST_GROWTH)
        while _megabytes() < limit:
            self._connection.send(("next", None))
            index: int | None = self._connection.recv()
            if index is None:
                return
            group = self._groups[index]
            for at, item in enumerate(group, 1):
                yield index, len(group) - at, item

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        config = self._session.config
        data = config.hook.pytest_report_to_serializable(config=config, report=report)
        self._connection.send(("report", data))


def _and_next(items: Iterator[Placed]) -> Iterator[tuple[Placed, Placed | None]]:
    """Each with the one after it: what both need is not taken down between them."""
    item = next(items, None)
    while item is not None:
        after = next(items, None)
        yield item, after
        item = after


def _megabytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024**2
