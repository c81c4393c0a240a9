"""Limits of calls, kept in the store before the network refuses one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice_ksef.limits import PRODUCTION, Group, LimitsOf, Rate, Spent
from tests.memory_store import MemoryStore
from tests.networks.ksef import limits as stand_in


class Clock:
    """A clock that sleeping moves on."""

    def __init__(self, monkeypatch):
        self.at, self.begun = clock.now(), clock.monotonic()
        monkeypatch.setattr(clock, "now", lambda: self.at)
        monkeypatch.setattr(clock, "monotonic", self.monotonic)
        monkeypatch.setattr("time.sleep", self.sleep)
        self.since = self.at

    def monotonic(self):
        return self.begun + (self.at - self.since).total_seconds()

    def sleep(self, seconds):
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def moving(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def limits():
    return LimitsOf(MemoryStore(), "ksef-test", "5265877635")


def test_the_table_is_that_of_production():
    assert {group.value: rate.counts for group, rate in PRODUCTION.items()} == {
        name: rate
        for name, rate in stand_in.PRODUCTION.items()
        if name != "collectiveIdentifier"  # not called
    } | {"login": stand_in.PUBLIC}


def test_a_burst_waits_for_the_next_second(limits, moving):
    for _ in range(11):
        limits.take(Group.SEND)

    assert timedelta(seconds=1) < moving.at - moving.since < timedelta(seconds=2)


def test_the_calls_of_a_minute_and_of_an_hour_end(limits, moving):
    """30 a minute and 180 an hour: the error says when the next one is possible."""
    waits = []
    while len(waits) < 1000 and limits.used(Group.SEND)[0] < 180:
        try:
            limits.take(Group.SEND)
        except Spent as spent:
            waits.append(spent.retry_after)
            moving.sleep(spent.retry_after)
    with pytest.raises(Spent) as spent:
        limits.take(Group.SEND)

    assert 50 < max(waits) < 63
    assert 3000 < spent.value.retry_after < 3610
    assert limits.left(Group.SEND) == 0


def test_groups_and_contexts_are_counted_apart(limits, moving):
    for _ in range(20):
        limits.take(Group.SESSION_INVOICES)

    assert limits.left(Group.SESSION_INVOICES) == 0
    assert limits.left(Group.SESSION) > 0
    assert LimitsOf(limits._store, "ksef-test", "1111111111").left(Group.SESSION_INVOICES) == 20


def test_the_pause_that_the_network_demands_is_kept(limits, moving):
    limits.pause(Group.SEND, 300)

    assert limits.left(Group.SEND) == 0
    with pytest.raises(Spent) as spent:
        limits.take(Group.SEND)
    assert 299 < spent.value.retry_after <= 300
    moving.sleep(300)
    limits.take(Group.SEND)


def test_limits_that_the_network_states_replace_those_of_production(limits):
    said = {"invoiceSend": {"perSecond": 100, "perMinute": 300, "perHour": 1800}, "other": {}}
    limits.learn(said | {"new": 1})

    assert limits.rate(Group.SEND) == Rate(100, 300, 1800)
    assert limits.rate(Group.OTHER) == PRODUCTION[Group.OTHER]
    assert LimitsOf(limits._store, "ksef-test", "5265877635").rate(Group.SEND).hour == 1800


def test_the_network_never_counts_more_than_it_allows(limits, moving):
    """Two hours of as many calls as are given, counted by the stand-in's own windows."""
    counted = stand_in.Limits()
    count = 0
    until = moving.at + timedelta(hours=2)
    while moving.at < until:
        try:
            limits.take(Group.SEND)
        except Spent as spent:
            moving.sleep(spent.retry_after)
            continue
        counted.count("c", "invoiceSend", "invoiceSend", (10, 30, 180), moving.at)
        count += 1

    assert not counted.refusals
    assert count >= 350


@pytest.mark.parametrize(("first", "second", "waits"), [(600, 5, 600), (5, 600, 600), (60, 60, 60)])
def test_of_two_pauses_the_longer_one_holds(limits, moving, first, second, waits):
    """KSeF answers 429 to calls that were under way together, each with its own time."""
    limits.pause(Group.SEND, first)
    limits.pause(Group.SEND, second)
    with pytest.raises(Spent) as spent:
        limits.take(Group.SEND, patience=0)

    assert spent.value.retry_after == waits
    moving.sleep(waits - 1)
    assert limits.left(Group.SEND) == 0
    moving.sleep(1)
    assert limits.left(Group.SEND) > 0
