"""A publication at a slow SMP goes on where it stopped."""

from __future__ import annotations

from datetime import timedelta

import pytest
from publishing_network import ENDPOINT
from test_rest_smp import CARD, OURS, phoss, point, seats  # noqa: F401 - fixtures

from einvoice import clock
from einvoice.network.publishing import EntryStatus, Listed, NotYet, Withdrawn
from einvoice.network.types import DirectoryUnavailable
from einvoice_peppol import smp_progress
from einvoice_peppol.smp_writing import Target

# Of a publication: the group, ten types, the list of types, the card, and its push.
CALLS = 14


class Time:
    """The clock, which each call at the SMP moves on by `seconds`; `killed_at` ends the process
    at the call of this number."""

    def __init__(self, monkeypatch, entries):
        self.at, self.seconds, self.calls, self.killed_at = 0.0, 0.0, 0, None
        self._send = entries._http.send
        monkeypatch.setattr(clock, "monotonic", lambda: self.at)
        monkeypatch.setattr(entries._http, "send", self._sent)

    def _sent(self, *given, **named):
        if self.calls == self.killed_at:
            raise SystemExit
        self.calls += 1
        answer = self._send(*given, **named)
        self.at += self.seconds
        return answer


@pytest.fixture
def time(monkeypatch, point):  # noqa: F811
    return Time(monkeypatch, point.entries)


def operations(function, most=20):
    """How many operations it takes until one ends."""
    for number in range(1, most):
        try:
            outcome = function()
        except DirectoryUnavailable:
            continue
        if not isinstance(outcome, NotYet):
            return number, outcome
    raise AssertionError("it does not end")


def written(phoss):  # noqa: F811
    return [path for method, path in phoss.asked if method == "PUT" and "/services/" in path]


def test_a_publication_has_these_calls(point, phoss):  # noqa: F811
    point.publish(OURS, point.receivable, CARD)

    assert len(phoss.asked) == CALLS


@pytest.mark.parametrize(
    ("seconds", "needed", "is_stored"),
    [
        (9.9 / 11, 1, False),  # group and types are written in less than ten seconds
        (10.1 / 11, 1, True),
        (32.9 / 13, 1, True),  # the last call begins while there are twelve seconds for it
        (33.1 / 13, 2, True),
        (3.1, 2, True),
        (12.0, 5, True),
    ],
)
def test_each_type_is_written_once_however_slow_the_smp_is(
    point, phoss, time, seconds, needed, is_stored  # noqa: F811
):  # fmt: skip
    time.seconds = seconds
    stored, put = [], point.entries._store.put
    point.entries._store.put = lambda key, value: (stored.append(value), put(key, value))

    found = operations(lambda: point.publish(OURS, point.receivable, CARD))

    assert found == (needed, Listed())
    assert len(written(phoss)) == len(set(written(phoss))) == len(point.receivable)
    assert bool(stored) is is_stored
    assert set(point.entries._store.values.values()) <= {None}, "nothing is left"


@pytest.mark.parametrize(("killed_at", "again"), [(3, 2), (4, 0), (9, 0)])
def test_a_killed_publication_repeats_what_ten_seconds_have_written(
    point, phoss, time, killed_at, again  # noqa: F811
):  # fmt: skip
    """From then on each type is stored when it is written."""
    time.seconds, time.killed_at = 3.0, killed_at
    with pytest.raises(SystemExit):
        point.publish(OURS, point.receivable, CARD)
    time.killed_at = None
    operations(lambda: point.publish(OURS, point.receivable, CARD))

    assert len(written(phoss)) == len(point.receivable) + again


def test_a_slow_check_goes_on_too(point, phoss, time):  # noqa: F811
    point.publish(OURS, point.receivable, CARD)
    time.seconds = 12.0

    assert operations(lambda: point.status(OURS, point.receivable)) == (5, EntryStatus(True, True))
    del phoss.book[written(phoss)[-1]]
    _, found = operations(lambda: point.status(OURS, point.receivable))
    assert found == EntryStatus(True, False)


def begun(point, time):  # noqa: F811
    time.seconds = 12.0
    assert isinstance(point.publish(OURS, point.receivable, CARD), NotYet)


@pytest.mark.parametrize("change", ["card", "types", "address", "a day later", "withdrawn"])
def test_steps_of_something_else_do_not_count(point, phoss, time, seats, c2, change, monkeypatch):  # noqa: F811
    begun(point, time)
    time.seconds, types, card = 0.0, point.receivable, CARD
    before = len(phoss.asked)
    if change == "card":
        card = None
    if change == "types":
        types = types[1:]
    if change == "address":
        point.entries._now = lambda: Target(f"{ENDPOINT}x", c2.certificate)
    if change == "a day later":
        later = clock.now() + smp_progress.KEPT
        monkeypatch.setattr(clock, "now", lambda: later)
    if change == "withdrawn":
        assert point.withdraw(OURS) == Withdrawn()
        before = len(phoss.asked)

    assert point.publish(OURS, types, card) == Listed()
    assert len(written_after(phoss, before)) == len(types)


def written_after(phoss, before):  # noqa: F811
    return [
        path for method, path in phoss.asked[before:] if method == "PUT" and "/services" in path
    ]


def test_steps_count_until_a_day_is_over(point, phoss, time, monkeypatch):  # noqa: F811
    begun(point, time)
    time.seconds, later = 0.0, clock.now() + smp_progress.KEPT - timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert point.publish(OURS, point.receivable, CARD) == Listed()
    assert len(written(phoss)) == len(point.receivable)


def test_an_smp_that_lost_what_was_written_gets_it_again(point, phoss, time):  # noqa: F811
    """It refuses the next type, as it has no group any more."""
    begun(point, time)
    phoss.book.clear()
    time.seconds = 0.0

    assert isinstance(point.publish(OURS, point.receivable, CARD), NotYet)
    assert point.publish(OURS, point.receivable, CARD) == Listed()


def test_a_full_store_changes_nothing_but_the_time(point, phoss, time):  # noqa: F811
    def put(*_):
        raise smp_progress.StoreFull

    point.entries._store.put = put
    time.seconds = 2.0
    assert point.publish(OURS, point.receivable, CARD) == Listed()
