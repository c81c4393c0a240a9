"""Doctor and the console know whether mails are taken, and how many came back."""

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.clock import Pace
from einvoice.network.checks import Level
from einvoice_mail.operation import SILENT, Operation
from plugins.mail.tests import mails
from tests.memory_store import MemoryStore


@pytest.mark.parametrize(
    ("silent", "needed", "level", "says"),
    [
        (None, True, Level.ERROR, "einvoice mail receive never ran: bills and failures stay"),
        (None, False, Level.WARNING, "failures are not read"),
        (SILENT - timedelta(seconds=1), True, Level.GOOD, "runs at 127.0.0.1:2424"),
        (SILENT, True, Level.ERROR, "has not run since 20"),
        (SILENT, False, Level.WARNING, "has not run since 20"),
    ],
)
def test_doctor_says_whether_mails_are_taken(move, silent, needed, level, says):
    operation = Operation(MemoryStore())
    if silent is not None:
        operation.beat("127.0.0.1:2424", None)
        move(seconds=silent.total_seconds())
    found = operation.check(needed=needed)

    assert found.level is level
    assert says in found.sentence


@pytest.mark.parametrize(("real", "level"), [(SILENT, Level.ERROR), (SILENT / 60, Level.GOOD)])
def test_in_a_simulated_week_it_runs_while_it_notes_so_in_reality(move, monkeypatch, real, level):
    """A process notes it twice a minute of reality, in which the clock advances by an hour."""
    operation, pace = Operation(MemoryStore()), Pace(60.0, clock.real_now())
    operation.beat("127.0.0.1:2424", None)
    monkeypatch.setattr(clock, "_pace", pace)
    move(seconds=60 * real.total_seconds())

    assert operation.check(needed=True).level is level


def test_the_last_mail_is_known_after_a_new_start(move):
    operation, now = Operation(MemoryStore()), clock.now()
    operation.beat("127.0.0.1:2424", now)
    operation.beat("127.0.0.1:2424", None)
    [fact] = operation.facts()

    assert f"the last mail came {now:%Y-%m-%d %H:%M}" in fact.value


def test_failures_of_a_day_are_counted(move):
    point = mails.an_access_point()
    point._operation.bounced("mail")
    move(seconds=24 * 3600 - 1)
    point._operation.bounced("mail")
    point._operation.bounced("mail-test")
    [within, *_] = point.operation_facts([])
    move(seconds=2)
    [beyond, *_] = point.operation_facts([])

    assert (within.label, within.value, beyond.value) == ("Undeliverable in 24 hours", "2", "1")
