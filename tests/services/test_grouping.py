"""Grouping: work of concurrent requests is done together, and none waits for what it need not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import pytest

from einvoice.domain.errors import Overloaded
from einvoice.services import grouping
from einvoice.services.grouping import Grouping, Work
from tests.waiting import until_equal


class Recorder:
    """Work that notes its groups; `gate` holds the computing of every group back."""

    def __init__(self) -> None:
        self.computed: list[list[int]] = []
        self.stored: list[list[int]] = []
        self.threads: set[str] = set()
        self.began, self.gate = threading.Semaphore(0), threading.Event()
        self.gate.set()
        self.work = Work(self._compute, self._store)

    def _compute(self, items: list[int]) -> None:
        self.threads.add(threading.current_thread().name)
        self.computed.append(list(items))
        self.began.release()
        assert self.gate.wait(30)

    def _store(self, items: list[int]) -> None:
        if -1 in items:
            raise ZeroDivisionError("the store is broken")
        self.stored.append(list(items))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.gate.set()


@pytest.fixture
def groups() -> Grouping:
    return Grouping(nullcontext)


def held(
    groups: Grouping, recorder: Recorder, threads: ThreadPoolExecutor, items: list[int]
) -> list[Future[None]]:
    """Item 0 computes and is held back; the items are queued behind it, in order."""
    recorder.gate.clear()
    recorder.began = threading.Semaphore(0)  # without what began before
    asked = [threads.submit(groups.run, 0, recorder.work)]
    assert recorder.began.acquire(timeout=10)
    for count, item in enumerate(items, start=1):
        asked.append(threads.submit(groups.run, item, recorder.work))
        await_queue(groups, count)
    return asked


def await_queue(groups: Grouping, length: int) -> None:
    until_equal(lambda: len(groups._queue), length, pause=0.002)


def test_work_that_comes_alone_is_done_in_its_own_thread(groups, recorder):
    """No other thread has to wake up for it."""
    groups.run(1, recorder.work)
    groups.run(2, recorder.work)

    assert recorder.stored == [[1], [2]]
    assert recorder.threads == {threading.current_thread().name}


def test_work_that_comes_meanwhile_is_done_together(groups, recorder):
    """Groups are processed in the order of arrival, by the grouping thread."""
    with ThreadPoolExecutor(8) as threads:
        asked = held(groups, recorder, threads, [1, 2, 3])
        recorder.gate.set()
        assert [one.result(10) for one in asked] == [None] * 4

    assert recorder.computed == recorder.stored == [[0], [1, 2, 3]]
    assert "grouping" in recorder.threads


def test_a_group_has_a_greatest_size(groups, recorder, monkeypatch):
    """Those behind it are the next group."""
    monkeypatch.setattr(grouping, "MAX_GROUP_SIZE", 2)
    with ThreadPoolExecutor(8) as threads:
        asked = held(groups, recorder, threads, [1, 2, 3])
        recorder.gate.set()
        assert [one.result(10) for one in asked] == [None] * 4

    assert recorder.stored == [[0], [1, 2], [3]]


def test_what_stops_a_group_is_raised_for_each_of_it_and_for_no_other(groups, recorder):
    """The thread goes on with the next group."""
    with ThreadPoolExecutor(8) as threads:
        asked = held(groups, recorder, threads, [1, -1])
        recorder.gate.set()
        faults = [one.exception(10) for one in asked]
        again = held(groups, recorder, threads, [5])
        recorder.gate.set()
        assert [one.exception(10) for one in again] == [None, None]

    assert [type(fault) for fault in faults] == [type(None), ZeroDivisionError, ZeroDivisionError]
    assert recorder.stored == [[0], [0], [5]]


def test_work_whose_group_does_not_begin_in_time_is_refused_and_not_done(
    groups, recorder, monkeypatch
):
    """The caller may send it again: nothing of it was stored."""
    monkeypatch.setattr(grouping, "MAX_QUEUED_SECONDS", 0.05)
    with ThreadPoolExecutor(8) as threads:
        asked = held(groups, recorder, threads, [])
        late = threads.submit(groups.run, 1, recorder.work)
        assert isinstance(late.exception(10), Overloaded)
        recorder.gate.set()
        asked[0].result(10)

    assert recorder.stored == [[0]]


def test_work_whose_group_has_begun_is_waited_for(groups, recorder, monkeypatch):
    """What is being stored is not called refused."""
    with ThreadPoolExecutor(8) as threads:
        held(groups, recorder, threads, [1, 2])
        monkeypatch.setattr(grouping, "MAX_QUEUED_SECONDS", 0.2)
        recorder.gate.set()
        recorder.began.acquire(timeout=10)
        recorder.gate.clear()
        groups.run_alone(9, Work(lambda _: time.sleep(0.3), lambda _: None))
        recorder.gate.set()

    assert recorder.stored == [[0], [1, 2]]


def test_work_that_runs_alone_waits_for_no_group(groups, recorder):
    """A long document goes beside the short ones."""
    with ThreadPoolExecutor(8) as threads:
        held(groups, recorder, threads, [1])
        done: list[object] = []
        groups.run_alone(9, Work(done.extend, done.extend))
        recorder.gate.set()

    assert done == [9, 9]


def test_the_thread_computes_within_the_bound_and_requests_wait_outside_of_it(recorder):
    """`computing` is around computing only; `meanwhile` around the wait and the storing alone."""
    events: list[str] = []

    @contextmanager
    def noted(name: str) -> Iterator[None]:
        events.append(f"+{name}")
        yield
        events.append(f"-{name}")

    groups = Grouping(nullcontext, lambda: noted("computing"), lambda: noted("meanwhile"))
    work = Work(lambda _: events.append("compute"), lambda _: events.append("store"))
    groups.run(1, work)
    assert events == ["compute", "+meanwhile", "store", "-meanwhile"]

    with ThreadPoolExecutor(8) as threads:
        asked = held(groups, recorder, threads, [])
        events.clear()
        queued = threads.submit(groups.run, 2, work)
        await_queue(groups, 1)
        recorder.gate.set()
        for one in (*asked, queued):
            one.result(10)

    inner = [event for event in events if "meanwhile" not in event]
    assert inner == ["+computing", "compute", "-computing", "store"]
    assert events[0] == "+meanwhile"


# -- bursts ----------------------------------------------------------------------------------------


def test_work_waits_for_what_is_on_its_way(recorder):
    """It is done with it, not before it."""
    groups = Grouping(nullcontext, burst_wait=30.0, expected=lambda: 3)
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(groups.run, item, recorder.work) for item in (1, 2, 3)]
        for each in asked:
            each.result(10)

    assert [sorted(items) for items in recorder.computed] == [[1, 2, 3]]


def test_work_that_is_expected_alone_is_done_at_once_in_its_own_thread(recorder):
    groups = Grouping(nullcontext, burst_wait=30.0, expected=lambda: 1)
    groups.run(1, recorder.work)

    assert recorder.threads == {threading.current_thread().name}


def test_the_wait_for_a_burst_has_an_end(recorder):
    """What is on its way may never come."""
    groups = Grouping(nullcontext, burst_wait=0.05, expected=lambda: 8)
    began = time.monotonic()
    groups.run(1, recorder.work)

    assert 0.05 <= time.monotonic() - began < 30
    assert recorder.stored == [[1]]


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_after_a_group_of_several_as_many_are_waited_for_a_moment(recorder, pause):
    """A moment later the burst is over: work that comes alone is done at once."""
    groups = Grouping(nullcontext, burst_wait=0.5)
    with ThreadPoolExecutor(3) as threads:
        for each in held(groups, recorder, threads, [1, 2]):
            recorder.gate.set()
            each.result(10)
        time.sleep(pause)
        asked = [threads.submit(groups.run, 3, recorder.work)]
        if not pause:
            time.sleep(0.05)
            asked.append(threads.submit(groups.run, 4, recorder.work))
        for each in asked:
            each.result(10)

    assert recorder.computed == [[0], [1, 2], [3] if pause else [3, 4]]
