"""Child processes of a command, stopped with it, even if it is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from einvoice.cli import child_guard

STOP_TIMEOUT_SECONDS = 20.0


class ChildExited(Exception):
    """A child process ended unexpectedly."""


def einvoice(*words: str) -> list[str]:
    """The command line that runs an `einvoice` command with this interpreter."""
    return [sys.executable, "-m", "einvoice.cli", *words]


class Guard:
    """A process that stops the added process groups when this process ends, even by SIGKILL.

    If this process is killed between the start of a child and `add`, that child keeps running.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, "-I", str(Path(child_guard.__file__))],
            stdin=subprocess.PIPE, start_new_session=True, bufsize=0,
        )  # fmt: skip

    def add(self, pid: int) -> None:
        """Add the process group of this leader."""
        self._write(f"+{pid}\n")

    def remove(self, pid: int) -> None:
        """Remove the group: its leader has ended, and its id may be reused."""
        self._write(f"-{pid}\n")

    def close(self) -> None:
        """Stop the groups that were added and not removed, and wait for that."""
        self._process.communicate()

    def _write(self, line: str) -> None:
        pipe = self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # the guard was killed
            if pipe is not None:
                pipe.write(line.encode())


class Children:
    """Processes that end with this one."""

    def __init__(self) -> None:
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, Path] = {}
        self._guard: Guard | None = None

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a child in a process group of its own, which Ctrl-C does not reach.

        A child of the same name must have ended.
        """
        self._guard = self._guard or Guard()
        if name in self._children:
            self._reap(self._children.pop(name))
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(log.open("ab")) if log else None
            child = subprocess.Popen(  # noqa: S603 - our own commands
                list(command), env=dict(env) if env else None, stdout=out, stderr=out,
                start_new_session=True,
            )  # fmt: skip
        self._guard.add(child.pid)
        self._children[name] = child
        if log:
            self._logs[name] = log
        return child

    def running(self) -> list[tuple[str, subprocess.Popen[bytes]]]:
        """The children with their names, in the order of their start."""
        return list(self._children.items())

    def kill(self, name: str) -> None:
        """Send SIGKILL to a child and its process group, to simulate a crash."""
        child = self._children.pop(name)
        _kill_group(child.pid)
        self._reap(child)

    def check(self) -> None:
        """Raise ChildExited if a child has ended."""
        for name, child in self._children.items():
            if child.poll() is not None:
                where = f": see {self._logs[name]}" if name in self._logs else ""
                raise ChildExited(f"{name} ended with {child.returncode}{where}")

    def stop(self) -> None:
        """Send SIGTERM to all, last started first; after STOP_TIMEOUT_SECONDS, SIGKILL."""
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        for child in reversed(self._children.values()):
            if child.poll() is None:
                child.terminate()
        for child in reversed(self._children.values()):
            try:
                self._reap(child, max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                self._reap(child)
        self._children.clear()
        if self._guard is not None:
            self._guard.close()
            self._guard = None

    def _reap(self, child: subprocess.Popen[bytes], timeout: float | None = None) -> None:
        """Wait for the child to end, and kill the rest of its process group."""
        child.wait(timeout)
        _kill_group(child.pid)
        if self._guard is not None:
            self._guard.remove(child.pid)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


@contextlib.contextmanager
def interrupt_on_signals() -> Iterator[None]:
    """SIGTERM and SIGINT raise KeyboardInterrupt inside the block."""

    def _stop(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, _stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_all(commands: Iterable[Sequence[str]], *, again: bool = False) -> None:
    """Run the commands in parallel until all end, one fails, or a signal arrives.

    again  one that ends well is started again
    """
    children = Children()
    named = {f"{' '.join(command[-2:])} #{i}": command for i, command in enumerate(commands)}
    for name, command in named.items():
        children.start(name, command)
    try:
        with interrupt_on_signals():
            while _one_runs(children, named if again else {}):
                time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    finally:
        children.stop()


def _one_runs(children: Children, again: Mapping[str, Sequence[str]]) -> bool:
    """Whether a child runs, after those of `again` that ended well were started again.

    Raises SystemExit if one failed.
    """
    for name, child in children.running():
        if child.poll():
            raise SystemExit(child.returncode)
        if child.poll() == 0 and name in again:
            children.start(name, again[name])
    return any(child.poll() is None for _, child in children.running())
