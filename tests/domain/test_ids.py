"""Ids of rows that are written in bulk."""

from __future__ import annotations

import itertools
import threading
from datetime import UTC, datetime, timedelta
from uuid import RFC_4122, UUID

import pytest

from einvoice.domain import ids
from einvoice.domain.ids import TimeOrderedIds

NOW = datetime(2026, 11, 22, 6, 30, 0, 123_000, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def moment_of(made: UUID) -> datetime:
    return datetime.fromtimestamp((made.int >> 80) / 1000, UTC)


def test_an_id_is_a_uuid_of_version_7_that_holds_its_moment() -> None:
    """RFC 9562, 5.7: the first 48 bits are milliseconds since 1970."""
    made = TimeOrderedIds().next(NOW)

    assert (made.version, made.variant) == (7, RFC_4122)
    assert moment_of(made) == NOW


@pytest.mark.parametrize(
    "step", [MILLISECOND, timedelta(0), -MILLISECOND, -timedelta(days=1)], ids=str
)
def test_an_id_is_greater_than_the_one_before_whatever_the_clock_does(step: timedelta) -> None:
    """A clock that is set back must not scatter the rows over the index."""
    source = TimeOrderedIds()
    made = [source.next(NOW + n * step) for n in range(1000)]

    assert made == sorted(made)
    assert len(set(made)) == 1000
    assert {one.version for one in made} == {7}


def test_many_ids_of_one_millisecond_stay_close_to_it() -> None:
    """Steps within a millisecond use up its random bits; then the ids go on in the next one."""
    source = TimeOrderedIds()
    made = [source.next(NOW) for _ in range(5000)]

    assert moment_of(made[-1]) - NOW <= 2 * MILLISECOND


def test_two_sources_of_one_moment_make_different_ids() -> None:
    """Processes that share a database share no counter."""
    made = {TimeOrderedIds().next(NOW) for _ in range(1000)}

    assert len(made) == 1000


def test_the_next_id_of_a_millisecond_is_not_the_last_one_plus_one() -> None:
    """The ids of one tenant show neither those of another nor how many there were between."""
    source = TimeOrderedIds()
    made = [source.next(NOW).int for _ in range(100)]

    assert len({after - before for before, after in itertools.pairwise(made)}) == 99


def test_threads_are_given_different_ids() -> None:
    source = TimeOrderedIds()
    made: list[UUID] = []
    threads = [
        threading.Thread(target=lambda: made.extend(source.next(NOW) for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(made)) == 2000


def test_ids_of_transmissions_and_events_keep_their_public_shape() -> None:
    """A prefix and 32 hexadecimal digits."""
    transmission, event = ids.transmission_id(NOW), ids.event_id(NOW)

    assert (transmission[:4], event[:4]) == ("txn_", "evt_")
    assert UUID(transmission[4:]).hex == transmission[4:]
    assert UUID(event[4:]).hex == event[4:]
