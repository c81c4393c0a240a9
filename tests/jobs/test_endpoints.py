"""Which webhook endpoints are served next."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from einvoice.store.webhook_queue import HeldEndpoint, ReadyEndpoint
from jobs.endpoints import choose

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def ready(tenant: str, name: str, *, since: int = 0, responsive: bool | None = True):
    return ReadyEndpoint(f"{tenant}-{name}", tenant, responsive, None, NOW - timedelta(0, since))


def held(tenant: str, name: str, *, responsive: bool | None = True):
    return HeldEndpoint(f"{tenant}-{name}", tenant, responsive)


def names(chosen):
    return [one.id for one in chosen]


def test_an_endpoint_that_is_held_is_not_chosen():
    """Its requests are in the hands of one worker."""
    assert names(choose([ready("a", "1"), ready("a", "2")], [held("a", "1")], 8)) == ["a-2"]


def test_no_more_are_chosen_than_there_are_places():
    waiting = [ready(f"t{n}", "1") for n in range(9)]
    busy = [held("x", str(n)) for n in range(3)]

    assert len(choose(waiting, busy, 8)) == 5
    assert choose(waiting, [held("x", str(n)) for n in range(8)], 8) == []


@pytest.mark.parametrize(("places", "expected"), [(8, 2), (12, 3), (3, 1)])
def test_a_tenant_gets_a_quarter_of_the_places(places, expected):
    waiting = [ready("a", str(n)) for n in range(20)]

    assert len(choose(waiting, [], places)) == expected


def test_the_places_that_a_tenant_holds_count():
    waiting = [ready("a", str(n)) for n in range(20)]

    assert len(choose(waiting, [held("a", "x")], 16)) == 3
    assert choose(waiting, [held("a", f"x{n}") for n in range(4)], 16) == []


@pytest.mark.parametrize("responsive", [None, False])
def test_endpoints_not_known_to_answer_soon_get_a_third_of_the_places(responsive):
    """New ones, or slow ones, of however many tenants."""
    waiting = [ready(f"t{n}", "1", responsive=responsive) for n in range(20)]
    busy = [held("x", "1", responsive=responsive), held("y", "1")]

    assert len(choose(waiting, [], 12)) == 4
    assert len(choose(waiting, busy, 12)) == 3


def test_responsive_endpoints_take_the_places_that_others_may_not():
    slow = [ready(f"s{n}", "1", since=100, responsive=False) for n in range(20)]
    new = [ready(f"n{n}", "1", since=100, responsive=None) for n in range(20)]
    prompt = [ready(f"p{n}", "1") for n in range(20)]

    found = Counter(one.responsive for one in choose([*slow, *new, *prompt], [], 12))
    assert found == {True: 4, False: 4, None: 4}


def test_a_tenant_whose_slow_endpoint_finds_no_place_still_gets_one_for_another():
    slow = [held(f"s{n}", "1", responsive=False) for n in range(4)]
    waiting = [ready("a", "slow", since=100, responsive=False), ready("a", "prompt")]

    assert names(choose(waiting, slow, 12)) == ["a-prompt"]


def test_tenants_with_the_fewest_places_come_first_and_then_the_longest_due():
    waiting = [
        ready("a", "1", since=300),
        ready("a", "2", since=200),
        ready("b", "1", since=10),
        ready("c", "1", since=20),
    ]

    assert names(choose(waiting, [held("b", "x")], 12)) == ["a-1", "c-1", "a-2", "b-1"]
