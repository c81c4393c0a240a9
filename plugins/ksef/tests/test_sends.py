"""The records of what was sent in which session."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest

from einvoice import clock
from einvoice_ksef.answers import Kind, Status
from einvoice_ksef.polling import best_by_digest
from einvoice_ksef.rows import Row
from einvoice_ksef.sends import ONLINE, PACKAGE, Sends
from plugins.ksef.tests import company
from tests.memory_store import MemoryStore


@pytest.fixture
def sends():
    return Sends(MemoryStore(), "ksef-test", "5265877635")


def move(monkeypatch, **by):
    at = clock.now() + timedelta(**by)
    monkeypatch.setattr(clock, "now", lambda: at)


def test_an_invoice_that_was_never_sent_has_no_session(sends):
    sends.add("S1", ONLINE, ["other="])

    assert sends.of("digest=") == []


def test_the_last_session_comes_first(sends):
    sends.add("S1", ONLINE, ["digest="])
    sends.add("S2", PACKAGE, ["other=", "digest="])

    assert [(each.session, each.kind) for each in sends.of("digest=")] == [
        ("S2", PACKAGE),
        ("S1", ONLINE),
    ]


@pytest.mark.parametrize(("hours", "count"), [(0.5, 1), (2, 1), (71, 1), (73, 0)])
def test_sessions_of_three_days_are_searched(sends, monkeypatch, hours, count):
    sends.add("S1", ONLINE, ["digest="])
    move(monkeypatch, hours=hours)

    assert len(sends.of("digest=")) == count


def test_more_records_than_a_page_are_read(sends):
    for number in range(1100):
        sends.add(f"S{number}", ONLINE, [f"{number}="])

    assert [each.session for each in sends.of("1050=")] == ["S1050"]


def test_the_record_of_a_full_package_fits_into_the_store(sends):
    sends.add("S" * 36, PACKAGE, ["d" * 44] * 100)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_of_several_rows_of_a_document_the_one_with_a_number_counts(order):
    """Sent twice, it is a duplicate once: a refusal never hides that KSeF has it."""
    refused = Row("EE-1", "digest", Status(Kind.DUPLICATE, 440, "Duplikat faktury"))
    accepted = Row("EE-2", "digest", Status(Kind.DONE, 200, "Sukces"), company.NUMBER)
    other = Row("EE-3", "other", Status(Kind.DOCUMENT, 430, ""))
    rows = [refused, accepted, other]

    found = best_by_digest(iter([rows[place] for place in order]))
    assert found == {"digest": accepted, "other": other}
    assert best_by_digest(iter([refused])) == {"digest": refused}
