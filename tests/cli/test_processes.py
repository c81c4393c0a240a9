"""Child processes end with the process that started them, even after SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from einvoice.cli.processes import Children
from tests.ports import free_port
from tests.processes import descendants, is_alive, survivors
from tests.waiting import until

# A parent with three children: one with a child of its own, one that ignores SIGTERM, one started
# by a thread that has ended.
PARENT = """
import sys, threading, time
from einvoice.cli.processes import Children
children = Children()
children.start("shell", ["sh", "-c", "sleep 600 & wait"])
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
children.start("stubborn", [sys.executable, "-c", stubborn])
thread = threading.Thread(target=children.start, args=("late", ["sleep", "600"]))
thread.start()
thread.join()
time.sleep(0.5)
print("ready", flush=True)
time.sleep(600)
"""


def test_children_end_when_their_parent_is_killed():
    """After SIGKILL the guard stops them, grandchildren included."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        left = descendants(parent.pid)
        parent.kill()

    assert len(left) == 5  # the three, the shell's own, and the guard
    assert survivors(left, within=30) == set()


def test_children_outlive_the_thread_that_started_them():
    """PR_SET_PDEATHSIG would end them with the thread."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        running = {Path(f"/proc/{pid}/cmdline").read_bytes() for pid in descendants(parent.pid)}
        parent.kill()

    assert b"sleep\x00600\x00" in running


def test_stopping_ends_the_processes_that_children_started():
    """Also if the leader of the group has ended before."""
    children = Children()
    leader = children.start("shell", ["sh", "-c", "sleep 600 & exit 0"])
    leader.wait()
    (orphan,) = [pid for pid in _group(leader.pid) if is_alive(pid)]
    children.stop()

    assert survivors({orphan}, within=10) == set()


def test_a_worker_of_several_that_ends_well_is_started_again(tmp_path):
    """It ends by itself when it holds too much memory; the others go on."""
    starts = tmp_path / "starts"
    ending, staying = ["sh", "-c", f"echo >> {starts}"], ["sleep", "600"]
    run = f"from einvoice.cli.processes import run_all; run_all({[ending, staying]}, again=True)"
    with subprocess.Popen([sys.executable, "-c", run]) as parent:
        until(lambda: starts.exists() and len(starts.read_text()) > 2)
        left = descendants(parent.pid)
        parent.terminate()

    assert parent.returncode == 0
    assert survivors(left, within=30) == set()


def _group(leader: int) -> list[int]:
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    found = []
    for pid in pids:
        try:
            if os.getpgid(pid) == leader:
                found.append(pid)
        except ProcessLookupError:
            continue
    return found


def test_the_guard_ends_with_the_children():
    """It does not kill a group whose leader has ended and was reaped."""
    before = descendants(os.getpid())
    children = Children()
    children.start("sleeper", ["sleep", "600"])
    started = descendants(os.getpid()) - before
    children.stop()

    assert len(started) == 2
    assert survivors(started, within=10) == set()


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGKILL, id="SIGKILL"),
        pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.long),
    ],
)
def test_ending_the_demo_ends_all_its_processes(tmp_path, number):
    """Redis, web with its workers, relay, workers, receiver."""
    command = [sys.executable, "-m", "einvoice.cli", "demo", "--quiet"]
    where = ["--listen", f"127.0.0.1:{free_port()}", "--data-dir", str(tmp_path / "demo")]
    environ = {n: v for n, v in os.environ.items() if not n.startswith("EINVOICE_")}
    with subprocess.Popen([*command, *where], stdout=subprocess.PIPE, env=environ) as demo:
        assert demo.stdout is not None
        began = time.monotonic()
        while b"Ctrl-C stops everything." not in demo.stdout.readline():
            assert time.monotonic() - began < 120
            assert demo.poll() is None
        left = descendants(demo.pid)
        demo.send_signal(number)
        demo.stdout.read()

    assert len(left) >= 9
    assert survivors(left, within=60) == set()
