"""Computations in real child processes: bounds, refusals, turns, kept results, ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import pytest

from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable, InvalidField
from einvoice.services.computing import pool, process
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from einvoice.services.computing.turns import limit_of_turns
from einvoice.share import Limit
from tests.services.computing import work
from tests.waiting import becomes, until

MIB = 1024**2
LIMITS = ProcessLimits(memory_bytes=1024 * MIB, cpu_seconds=2.0, seconds=60.0, log_level="CRITICAL")


@pytest.fixture
def computing() -> Iterator[Computing]:
    made = Computing(LIMITS, processes=2, wait=5.0)
    yield made
    made.close()


@pytest.fixture
def single() -> Iterator[Computing]:
    """One process, with a short wait."""
    made = Computing(LIMITS, processes=1, wait=0.6, waiting=2)
    yield made
    made.close()


def in_threads(*calls: Callable[[], object]) -> list[object]:
    """The results of calls that run at the same time, or what they raised."""

    def _outcome(call: Callable[[], object]) -> object:
        try:
            return call()
        except Exception as fault:  # noqa: BLE001 - the outcome
            return fault

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(_outcome, calls))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int, seconds: float) -> bool:
    """Whether the process ends within that time."""
    return becomes(lambda: not is_alive(pid), seconds)


# -- results ---------------------------------------------------------------------------------------


def test_a_computation_runs_in_another_process_that_is_used_again(computing: Computing) -> None:
    first = computing.run("t", work.pid, None)
    second = computing.run("t", work.pid, None)

    assert first == second != os.getpid()


def test_a_refusal_is_raised_as_the_child_raised_it(computing: Computing) -> None:
    with pytest.raises(InvalidField) as raised:
        computing.run("t", work.refuse)

    assert raised.value.extras() == {
        "errors": [{"pointer": "/lines", "code": "too-many", "message": "has too many"}]
    }
    assert raised.value.detail == "/lines: has too many"


def test_a_fault_of_the_code_names_its_place_in_the_child(computing: Computing) -> None:
    with pytest.raises(ComputationFailed, match=r"(?s)work\.py.*ValueError: a fault of the code"):
        computing.run("t", work.fail)


def test_the_child_gets_no_settings_and_no_secrets(
    computing: Computing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EINVOICE_SECRET_KEY", "secret")
    monkeypatch.setenv("PLUGIN_PASSWORD", "secret")

    found = computing.run("t", work.environment)

    assert "PATH" in found
    assert not {"EINVOICE_SECRET_KEY", "PLUGIN_PASSWORD"} & found.keys()


# -- bounds ----------------------------------------------------------------------------------------


def test_a_computation_that_needs_too_much_memory_is_refused(computing: Computing) -> None:
    assert computing.run("t", work.allocate, 300 * MIB) == 300 * MIB
    with pytest.raises(ComputationTooLarge):
        computing.run("t", work.allocate, 2_000 * MIB)

    assert computing.run("t", work.pid, None) != os.getpid()


def test_a_library_that_aborts_for_lack_of_memory_is_refused_alike(computing: Computing) -> None:
    with pytest.raises(ComputationTooLarge):
        computing.run("t", work.abort)


def test_a_computation_that_needs_too_much_cpu_time_is_refused(computing: Computing) -> None:
    started = time.process_time()
    with pytest.raises(ComputationTooLarge):
        computing.run("t", work.spin)

    assert time.process_time() - started < 1.0  # it was not computed here
    assert computing.run("t", work.pid, None) != os.getpid()


def test_a_computation_that_hangs_is_given_up() -> None:
    """Its process is killed, and the request may be repeated."""
    limits = ProcessLimits(1024 * MIB, cpu_seconds=60.0, seconds=4.0, log_level="CRITICAL")
    computing = Computing(limits, processes=1)
    child = computing.run("t", work.pid, None)
    with pytest.raises(ComputingUnavailable):
        computing.run("t", work.nap, 60.0)

    assert gone(child, 1.0)
    computing.close()


def test_a_process_that_is_killed_is_a_refusal_and_is_replaced(computing: Computing) -> None:
    with pytest.raises(ComputingUnavailable):
        computing.run("t", work.kill_itself)

    assert computing.run("t", work.pid, None) != os.getpid()


def test_a_process_that_ended_while_idle_is_replaced_unnoticed(
    computing: Computing, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = computing.run("t", work.pid, None)
    idle = computing._idle[0]
    monkeypatch.setattr(process.ComputingProcess, "ended", False)
    idle._connection.shutdown(1)  # as if it had been idle for too long
    assert idle._child.wait(5) == 0

    assert computing.run("t", work.pid, None) != first


def test_an_idle_process_that_was_killed_is_replaced_unnoticed(computing: Computing) -> None:
    """As the system does when it has no memory."""
    first = computing.run("t", work.pid, None)
    os.kill(first, signal.SIGKILL)
    computing._idle[0]._child.wait(5)

    assert computing.run("t", work.pid, None) != first


def test_memory_is_given_back(computing: Computing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that holds much memory after a computation, or has done many, is ended."""
    monkeypatch.setattr(pool, "MAX_CALLS", 2)
    first, second, third = (computing.run("t", work.pid, None) for _ in range(3))

    assert first == second != third
    assert gone(first, 1.0)
    monkeypatch.setattr(pool, "MAX_RESIDENT_BYTES", 1)
    assert computing.run("t", work.pid, None) == third
    assert gone(third, 1.0)


# -- turns -----------------------------------------------------------------------------------------


def test_one_tenant_does_not_get_all_processes(computing: Computing) -> None:
    """While one computes and waits, the other computes at once."""
    in_threads(*[partial(computing.run, tenant, work.nap, 0.5) for tenant in ("greedy", "other")])
    with ThreadPoolExecutor(2) as threads:
        flood = [threads.submit(computing.run, "greedy", work.nap, 1.0) for _ in range(2)]
        time.sleep(0.2)
        computing.run("other", work.pid, None)
        in_time = not all(one.done() for one in flood)
        pids = {one.result() for one in flood}

    assert in_time
    assert len(pids) == 1


def test_turns_are_shared_by_tenants() -> None:
    """One tenant has all turns but one, half of the queue, and a turn if there is one only."""
    assert limit_of_turns(4, 9, 2.0) == Limit(4, of_one=3, queue=9, queue_of_one=4, wait=2.0)
    assert limit_of_turns(1, 1) == Limit(1, of_one=1, queue=1, queue_of_one=1)


def test_a_request_beyond_the_limits_is_refused_with_the_reason(single: Computing) -> None:
    """At once if too many wait (two of any, one of the tenant), else when its time is over."""
    with ThreadPoolExecutor(1) as thread, single._turns.held("a"):
        waiting = thread.submit(single.run, "a", work.pid, None)
        until(lambda: single._turns.waiting)
        with pytest.raises(ComputingUnavailable, match="Too many"):
            single.run("a", work.pid, None)
        with pytest.raises(ComputingUnavailable, match="took all the time"):
            waiting.result(10)

    assert isinstance(single.run("b", work.pid, None), int)


def test_bulk_work_of_a_tenant_is_done_one_after_the_other(single: Computing) -> None:
    with single.bulk_work("t"):
        assert single._bulk_turns.used_by("t") == 1
        with pytest.raises(ComputingUnavailable), single.bulk_work("t"):
            pass
        with single.bulk_work("other"):
            pass


def test_others_compute_while_one_waits_for_its_result() -> None:
    """The web releases the computing slot for the wait and the computation."""
    released = threading.Event()
    computing = Computing(LIMITS, slot=_Noted(released))
    computing.run("t", work.pid, None)

    assert released.is_set()
    computing.close()


class _Noted:
    def __init__(self, event: threading.Event) -> None:
        self._event = event

    def released(self) -> AbstractContextManager[None]:
        self._event.set()
        return nullcontext()


# -- kept results ----------------------------------------------------------------------------------


def test_a_kept_result_is_computed_once(computing: Computing, tmp_path: Path) -> None:
    path = str(tmp_path / "calls")
    results = in_threads(*[lambda: computing.kept("t", "a", work.counted, path) for _ in range(3)])

    assert results == [b"x", b"x", b"x"]
    assert computing.kept("t", "b", work.counted, path) == b"xx"


def test_kept_results_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result that was not used for longest is dropped; one that is too large is not kept."""
    monkeypatch.setattr(pool, "MAX_KEPT_BYTES", 8)
    computing = Computing(LIMITS)
    path = str(tmp_path / "calls")
    for key in "ab":
        computing.kept("t", key, work.counted, path)
    assert computing.kept("t", "a", work.counted, path) == b"x"
    Path(path).write_bytes(b"")

    computing._kept.keep("large", b"123")
    assert computing._kept.get("large") is None
    for key in "cdefgh":
        computing._kept.keep(key, b"1")
    assert computing._kept.get("b") is None
    assert computing._kept.get("a") == b"x"
    computing.close()


# -- the end of the parent -------------------------------------------------------------------------

_PARENT = """
import sys
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from tests.services.computing import work
from tests.waiting import becomes, until
computing = Computing(ProcessLimits(1 << 30, 20.0, 60.0, "CRITICAL"))
computing.run("t", work.pid, None)
if sys.argv[2] == "idle":
    open(sys.argv[1], "w").write(str(computing._idle[0].pid))
    import time; time.sleep(60)
computing.run("t", work.hold, sys.argv[1], 60.0)
"""


def test_a_process_of_an_application_that_is_no_longer_used_is_ended() -> None:
    """Its child and socket would be closed, with a warning, in the middle of something else."""
    unused = process.ComputingProcess(LIMITS)
    pid, connection = unused.pid, unused._connection
    unused.itself = unused  # type: ignore[attr-defined]  # a cycle, as an application is
    del unused
    gc.collect()

    assert connection.fileno() == -1
    assert not is_alive(pid)


@pytest.mark.parametrize("state", ["idle", "computing"])
def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path, state: str) -> None:
    note = tmp_path / "pid"
    root = Path(__file__).resolve().parents[3]
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(note), state], cwd=root, env={"PYTHONPATH": str(root)}
    )
    until(lambda: note.exists() and note.read_text())
    child = int(note.read_text())
    assert is_alive(child)

    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert gone(child, 5.0)
