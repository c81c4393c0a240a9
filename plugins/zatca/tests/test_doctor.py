"""Checks of the doctor, and the list of documents that wait."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.network.checks import Level
from einvoice_zatca import doctor, unreported
from einvoice_zatca.unreported import Unreported
from plugins.zatca.tests import saudi, unit
from tests.memory_store import MemoryStore


def checked(side, store, name):
    (check,) = [each for each in doctor.checks(side, store) if each.name.endswith(name)]
    return check.run()


AGES = {1: Level.GOOD, 17: Level.GOOD, 19: Level.WARNING, 25: Level.ERROR}


@pytest.mark.parametrize("hours", AGES)
def test_documents_that_wait_too_long_are_told_before_the_time_is_over(service, hours):
    store = MemoryStore()
    Unreported(store, "zatca-test").add("u", clock.now() - timedelta(hours=hours))

    assert checked(unit.side_at(service.url), store, "unreported").level is AGES[hours]


def test_a_document_waits_from_its_first_attempt_until_it_is_reported(service, authority):
    store = MemoryStore()
    point = unit.point_at(service, store)
    bound = unit.bound(point, unit.registered(point, authority))
    one = unit.envelope(saudi.an_invoice(buyer=saudi.CONSUMER))
    made = bound.prepare(one)
    waiting = Unreported(store, "zatca-test")
    service.faults = lambda _: "gateway"
    bound.submit(one, made)
    first = len(waiting.since())
    service.faults = lambda _: None
    again = unit.envelope(document=one.document, attempt=2)
    bound.submit(again, made)

    assert (first, waiting.since()) == (1, [])
    assert checked(point.side, store, "unreported").level is Level.GOOD


def test_the_list_is_bounded_and_keeps_the_oldest():
    waiting, now = Unreported(MemoryStore(), "zatca"), clock.now()
    for number in range(unreported.MAX + 5):
        waiting.add(f"u{number}", now + timedelta(seconds=number))

    assert len(waiting.since()) == unreported.MAX
    assert waiting.since()[0] == now


def test_the_clock_is_compared_and_an_unreachable_network_an_error(service):
    side = unit.side_at(service.url)
    nowhere = unit.side_at("http://127.0.0.1:9")

    assert checked(side, MemoryStore(), "clock").level is Level.GOOD
    assert checked(nowhere, MemoryStore(), "clock").level is Level.ERROR


CLOCKS = {0: Level.GOOD, 19: Level.GOOD, 25: Level.WARNING, 3600: Level.ERROR, -3600: Level.ERROR}


@pytest.mark.parametrize("seconds", CLOCKS)
def test_a_clock_that_is_off_is_told_with_its_consequence(service, monkeypatch, seconds):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=seconds))
    result = checked(unit.side_at(service.url), MemoryStore(), "clock")

    assert result.level is CLOCKS[seconds]
    assert ("wrong time of issue" in result.sentence) == (CLOCKS[seconds] is Level.ERROR)
