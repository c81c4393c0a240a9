"""Computing slots are given to callers in rotation."""

from __future__ import annotations

import threading

import pytest

from einvoice.web.computing_slots import ComputingSlots
from tests.waiting import until_equal


def waiting(slots: ComputingSlots, callers: list[str], order: list[str]) -> list[threading.Thread]:
    """A thread for each, which notes its caller when it has a slot and gives it back."""

    def wait(caller: str) -> None:
        slots.acquire(caller)
        order.append(caller)
        slots.release()

    threads = []
    for number, caller in enumerate(callers, 1):
        threads.append(threading.Thread(target=wait, args=(caller,), daemon=True))
        threads[-1].start()
        until_equal(lambda number=number: len(slots._waiting), number, pause=0.001)
    return threads


def test_a_caller_waits_for_one_request_of_each_other():
    slots, order = ComputingSlots(1), []
    slots.acquire("a")
    threads = waiting(slots, ["a", "a", "a", "b", "c"], order)
    slots.release()
    for thread in threads:
        thread.join(10)

    assert order == ["a", "b", "c", "a", "a"]


def test_there_are_as_many_slots_as_there_were():
    slots = ComputingSlots(2)

    assert [slots.acquire("a", timeout=0.01) for _ in range(3)] == [True, True, False]
    slots.release(2)
    assert [slots.acquire("a", timeout=0.01) for _ in range(3)] == [True, True, False]
    slots.release(2)
    with pytest.raises(ValueError, match="more slots"):
        slots.release()


def test_a_slot_is_given_to_no_thread_that_has_stopped_waiting():
    slots = ComputingSlots(1)
    with slots:
        assert not slots.acquire("a", timeout=0.01)

    assert slots.acquire("b", timeout=0.01)


def test_every_slot_is_returned_however_the_waits_end():
    """Timeouts and releases at the same moments lose no slot and make none."""
    slots, most, together = ComputingSlots(2), [0], []

    def compute(caller: str) -> None:
        for _ in range(200):
            if slots.acquire(caller, timeout=0.0002):
                together.append(1)
                most[0] = max(most[0], len(together))
                together.pop()
                slots.release()

    threads = [threading.Thread(target=compute, args=(name,)) for name in "aabbc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert most[0] <= 2
    assert [slots.acquire("a", timeout=0.01) for _ in range(3)] == [True, True, False]
