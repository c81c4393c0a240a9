"""A network that refuses this service's address is called once in a few minutes."""

from __future__ import annotations

import pytest

from einvoice.network.own_address import AddressRefused, OwnAddress
from tests.memory_store import MemoryStore

MINUTES = 60


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def address(store):
    return OwnAddress(store, "point-test")


def called(address: OwnAddress, *, refused: bool = True) -> float:
    """Seconds for which a call that is made now, or is not, says to wait."""
    try:
        address.enter()
    except AddressRefused as fault:
        return fault.retry_after
    if not refused:
        address.answered()
        return 0.0
    return address.refused("HTTP 403").retry_after


def test_the_first_refusal_pauses_nothing(address, move):
    """It may be that of one document, or of one account."""
    called(address)
    address.enter()

    assert address.refusal().count == 1


def test_pauses_after_further_refusals_grow_to_five_minutes(address, move):
    waited = []
    for _ in range(6):
        waited.append(called(address))
        move(seconds=waited[-1])

    assert waited == [1, MINUTES, 2 * MINUTES, 5 * MINUTES, 5 * MINUTES, 5 * MINUTES]


def test_after_a_pause_one_call_is_made_by_all_processes(store, address, move):
    others = [OwnAddress(store, "point-test") for _ in range(3)]
    called(address)
    called(address)
    move(seconds=59)
    early = [called(each) for each in (address, *others)]
    move(seconds=1)
    address.enter()
    late = [called(each) for each in others]

    assert early == [1.0] * 4
    assert late == [MINUTES] * 3


def test_an_answer_ends_the_refusal_in_all_processes(store, address, move):
    other = OwnAddress(store, "point-test")
    called(address)
    called(address)
    assert called(other) == MINUTES
    move(seconds=60)
    called(address, refused=False)
    move(seconds=5)

    assert (called(other, refused=False), other.refusal()) == (0.0, None)


def test_a_refusal_is_forgotten_an_hour_after_the_last_call(address, move):
    called(address)
    called(address)
    move(minutes=59)
    assert address.refusal() is not None
    move(minutes=1)

    assert address.refusal() is None
    address.enter()


def test_access_points_have_refusals_of_their_own(store, address, move):
    other = OwnAddress(store, "another-test")
    called(address)
    called(address)

    assert other.refusal() is None


def test_the_reason_is_bounded(address, move):
    address.refused("x" * 100_000)

    assert len(address.refusal().reason) == 300
