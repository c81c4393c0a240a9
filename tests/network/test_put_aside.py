"""Documents that cannot be fetched are put aside: tried later, at growing distances."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from einvoice.network.mailboxes import MAX_CURSOR_LENGTH
from einvoice.network.put_aside import MAX_ENTRIES, MAX_REASON, WAITS, PutAside

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_the_distance_between_tries_grows_up_to_a_day():
    aside, now, waited = PutAside(), NOON, []
    for _ in range(len(WAITS) + 2):
        aside = aside.with_failed("7", {}, "not yet", now)
        (entry,) = aside.entries
        waited.append(entry.due - now.timestamp())
        now += timedelta(seconds=waited[-1])

    expected = [each.total_seconds() for each in (*WAITS, WAITS[-1], WAITS[-1])]
    assert waited == expected == sorted(expected)
    assert (entry.tries, entry.put_aside_at) == (len(WAITS) + 2, NOON)


def test_a_document_is_due_when_its_time_has_come_and_the_longest_waiting_first():
    aside = PutAside().with_failed("b", {}, "", NOON + timedelta(seconds=1))
    aside = aside.with_failed("a", {}, "", NOON)
    first = NOON + WAITS[0]

    moments = (first - timedelta(seconds=1), first, first + timedelta(seconds=1))
    assert [[each.id for each in aside.due(at)] for at in moments] == [[], ["a"], ["a", "b"]]
    assert "a" not in aside.without("a")


def test_a_full_list_takes_the_known_documents_only():
    aside = PutAside()
    for number in range(MAX_ENTRIES):
        assert not aside.is_full
        aside = aside.with_failed(str(number), {}, "", NOON)

    assert aside.is_full
    assert len(aside.with_failed("0", {}, "", NOON).entries) == MAX_ENTRIES
    with pytest.raises(ValueError, match="put aside"):
        aside.with_failed("new", {}, "", NOON)


def test_a_full_list_fits_into_a_cursor_with_room_for_the_rest():
    """With 500 characters of values for each document, and reasons of any length."""
    aside = PutAside()
    for number in range(MAX_ENTRIES):
        aside = aside.with_failed(f"{number:0100}", {"a": "x" * 500}, "y" * 5000, NOON)
    text = json.dumps(aside.as_data())

    assert len(text) < MAX_CURSOR_LENGTH - 4_000
    assert PutAside.of_data(json.loads(text)) == aside
    assert len(aside.entries[0].reason) == MAX_REASON
