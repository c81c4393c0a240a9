"""Child processes of a command: started together, stopped together, never left behind."""

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

STOP_TIMEOUT_SECONDS = 20.0


class ChildExited(Exception):
    """A child ended that should have stayed."""


def einvoice(*words: str) -> list[str]:
    """The command line of one of our own commands, with this very interpreter."""
    return [sys.executable, "-m", "einvoice.cli", *words]


class Children:
    """A handful of processes that live and die with this one."""

    def __init__(self) -> None:
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._logs: dict[str, Path] = {}

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a child in a process group of its own (a Ctrl-C reaches only us)."""
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(log.open("ab")) if log else None
            child = subprocess.Popen(  # noqa: S603 - our own commands
                list(command), env=dict(env) if env else None, stdout=out, stderr=out,
                start_new_session=True,
            )  # fmt: skip
        self._children[name] = child
        if log:
            self._logs[name] = log
        return child

    def running(self) -> list[tuple[str, subprocess.Popen[bytes]]]:
        """The children by name, first started first."""
        return list(self._children.items())

    def kill(self, name: str) -> None:
        """Kill a child and all it started with SIGKILL, as a crash would."""
        child = self._children.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def check(self) -> None:
        """Raise ChildExited if a child is gone."""
        for name, child in self._children.items():
            if child.poll() is not None:
                where = f": see {self._logs[name]}" if name in self._logs else ""
                raise ChildExited(f"{name} ended with {child.returncode}{where}")

    def stop(self) -> None:
        """Ask all to stop, last started first; kill what does not listen."""
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        for child in reversed(self._children.values()):
            if child.poll() is None:
                child.terminate()
        for child in reversed(self._children.values()):
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self._children.clear()


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


def run_all(commands: Iterable[Sequence[str]]) -> None:
    """Run the commands side by side until all end, one dies badly, or a signal comes."""
    children = Children()
    started = [
        children.start(f"{' '.join(command[-2:])} #{i}", command)
        for i, command in enumerate(commands)
    ]
    try:
        with interrupt_on_signals():
            while any(child.poll() is None for child in started):
                time.sleep(0.2)
                failed = [child for child in started if child.poll() not in (None, 0)]
                if failed:
                    raise SystemExit(failed[0].returncode)
    except KeyboardInterrupt:
        pass
    finally:
        children.stop()
