"""Stops child processes when their parent is gone, even if the parent was killed with SIGKILL.

`processes.Children` runs this file as a program whose standard input is a pipe from the parent. A
line "+PID" adds a process group, "-PID" removes it. At the end of the input, which the system
causes when the parent ends, the leader of every group that is left gets SIGTERM, and the
whole group SIGKILL once the leader is gone or STOP_TIMEOUT_SECONDS have passed.

A pipe instead of PR_SET_PDEATHSIG, which only Linux has, which reaches no grandchildren, and which
fires when the thread ends that started the child. Standard library only: it starts in 20 ms.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

STOP_TIMEOUT_SECONDS = 5.0


def main() -> None:
    """Read lines until the end of the input, then stop what is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: list[int] = []
    for line in sys.stdin:
        pid = int(line[1:])
        if line.startswith("+"):
            groups.append(pid)
        elif pid in groups:
            groups.remove(pid)
    stop(reversed(groups))


def stop(groups: Iterable[int]) -> None:
    """Send SIGTERM to every leader, in this order, then SIGKILL to what is left of the groups."""
    left = [pid for pid in groups if _signal_leader(pid, signal.SIGTERM)]
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    waiting = left
    while waiting and time.monotonic() < deadline:
        time.sleep(0.05)
        waiting = [pid for pid in waiting if _signal_leader(pid, 0)]
    for pid in left:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def _signal_leader(pid: int, number: int) -> bool:
    """Send the signal. Returns whether the process exists."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
