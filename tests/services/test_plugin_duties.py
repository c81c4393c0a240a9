"""Duties of plugins: outbox rows that are rescheduled, one worker at a time, also after crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.network import registry
from einvoice.network.duties import Duty
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import PluginFault
from einvoice.network.settings import Setting
from einvoice.network.types import INTERFACE_VERSION
from einvoice.services import plugin_duties
from einvoice.services.plugin_store import DatabaseStore
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox, PluginDuty
from einvoice.web.runtime import runtime_of
from tests.networks import toll

ROOT = Path(__file__).parents[2]
HOUR = timedelta(hours=1)
LEASE = timedelta(seconds=60)
SECRET = "hunter2hunter2"


class Plugin:
    """A plugin with duties and a secret."""

    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self, *duties: object) -> None:
        self._duties = duties

    @hookimpl
    def einvoice_settings(self) -> Iterable[Setting]:
        yield Setting("EINVOICE_TOLL_TOKEN", "A token", default=SECRET, secret=True)

    @hookimpl
    def einvoice_duties(self) -> Iterable[object]:
        return self._duties


@pytest.fixture
def now(monkeypatch) -> Callable[[timedelta], datetime]:
    """Move the clock."""
    moved = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moved[0])

    def _move(by: timedelta) -> datetime:
        moved[0] += by
        return moved[0]

    return _move


def claim(token: str = "t") -> list[int]:
    claimed = outbox.claim(
        outbox.CHORES, plugin_duties.TENANT, 100, token=token, now=clock.now(), lease=LEASE
    )
    return [row.id for row in claimed]


def work(app, token: str = "t") -> int:
    """Schedule, claim what is due, and run it; how many rows were claimed."""
    plugin_duties.schedule(runtime_of(app))
    ids = claim(token)
    plugin_duties.run(ids, token, runtime_of(app))
    return len(ids)


def states() -> dict[str, tuple[int, str | None]]:
    with db.reading() as connection:
        query = sa.select(PluginDuty.name, PluginDuty.failures, PluginDuty.fault)
        return {row.name: (row.failures, row.fault) for row in connection.execute(query)}


def due_in() -> list[timedelta]:
    with db.reading() as connection:
        rows = connection.execute(sa.select(Outbox.due_at).order_by(Outbox.due_at)).scalars()
        return [due - clock.now() for due in rows]


@pytest.fixture
def working(make_app):
    """An application with these duties, in its context."""

    def _make(*duties: object):
        app = make_app([Plugin(*duties)])
        app.app_context().push()
        return app

    return _make


def near(found: list[timedelta], *expected: timedelta) -> bool:
    """SQLite stores milliseconds."""
    pairs = zip(found, expected, strict=True)
    return all(abs(one - other) < timedelta(milliseconds=2) for one, other in pairs)


def test_a_duty_runs_at_once_and_then_at_its_interval(working, now):
    ran: list[datetime] = []
    app = working(Duty("count", HOUR, lambda: ran.append(clock.now())))
    claimed = []
    for pause in (timedelta(0), HOUR - timedelta(seconds=1), timedelta(seconds=2), HOUR):
        now(pause)
        claimed.append(work(app))

    assert claimed == [1, 0, 1, 1]
    assert len(ran) == 3
    assert states() == {"count": (0, None)}


def test_scheduling_by_several_relays_inserts_one_row(working):
    app = working(Duty("a", HOUR, lambda: None), Duty("b", HOUR, lambda: None))
    barrier = threading.Barrier(4)
    faults: list[Exception] = []

    def relay() -> None:
        barrier.wait(30)
        try:
            with app.app_context():
                plugin_duties.schedule(runtime_of(app))
        except Exception as fault:  # noqa: BLE001 - of a thread
            faults.append(fault)

    threads = [threading.Thread(target=relay) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert faults == []
    assert len(due_in()) == 2


def test_a_leased_duty_is_claimed_by_one_worker(working):
    app = working(Duty("a", HOUR, lambda: None))
    plugin_duties.schedule(runtime_of(app))

    assert len(claim("first")) == 1
    assert claim("second") == []


def fail() -> None:
    raise OSError(f"no access with {SECRET}")


def test_a_duty_that_raises_is_repeated_with_backoff_without_its_secret(working, now):
    fails = [True]
    app = working(Duty("a", timedelta(days=30), lambda: fail() if fails[0] else None))
    pauses = []
    for seconds in (0, 10, 20, 40):
        now(timedelta(seconds=seconds + 0.01))
        work(app)
        pauses += due_in()
    failed = states()
    fails[0] = False
    now(timedelta(seconds=81))
    work(app)

    assert near(pauses, *(timedelta(seconds=seconds) for seconds in (10, 20, 40, 80)))
    assert failed == {"a": (4, "OSError: no access with [secret]")}
    assert states() == {"a": (0, None)}
    assert near(due_in(), timedelta(days=30))


def test_the_backoff_is_at_most_an_hour():
    pauses = [plugin_duties.backoff(failures).total_seconds() for failures in (1, 2, 9, 10, 10**6)]

    assert pauses == [10, 20, 2560, 3600, 3600]


def test_a_failing_duty_does_not_stop_the_others(working):
    ran: list[str] = []
    app = working(
        Duty("a", HOUR, fail), Duty("b", HOUR, sys.exit), Duty("c", HOUR, lambda: ran.append("c"))
    )
    work(app)

    assert ran == ["c"]
    assert {name: failures for name, (failures, _) in states().items()} == {"a": 1, "b": 1, "c": 0}


def test_a_duty_that_exceeds_its_time_fails_and_does_not_run_beside_itself(working, now):
    """In the same process; what it does later changes nothing."""
    ended, runs = threading.Event(), []

    def hang() -> None:
        runs.append(1)
        ended.wait(60)

    app = working(Duty("a", HOUR, hang, seconds=0.05))
    work(app)
    first = states()
    now(timedelta(seconds=11))
    work(app)
    ended.set()

    assert first == {"a": (1, "did not end within 0.05 seconds")}
    assert states()["a"][0] == 2
    assert len(runs) == 1


def test_a_row_whose_lease_ended_in_the_queue_does_not_run(working, now):
    ran: list[int] = []
    app = working(Duty("a", HOUR, lambda: ran.append(1)))
    plugin_duties.schedule(runtime_of(app))
    ids = claim("t")
    now(LEASE + timedelta(seconds=1))
    plugin_duties.run(ids, "t", runtime_of(app))

    assert ran == []


def test_the_result_of_a_run_that_lost_its_lease_is_discarded(working, now):
    """Another worker has the row by then."""
    app = working(Duty("a", HOUR, lambda: now(timedelta(seconds=300))))
    work(app)
    released = outbox.release_expired(clock.now())

    assert released == 1
    assert states() == {"a": (0, None)}
    assert len(claim("another")) == 1


def test_duties_of_a_plugin_that_is_not_installed_end(working, make_app, now):
    """When they are due, and they begin again with the plugin."""
    ran: list[int] = []
    app = working(Duty("a", HOUR, lambda: ran.append(1)))
    work(app)
    now(2 * HOUR)
    without = make_app([])
    with without.app_context():
        work(without)

    assert due_in() == []
    assert states() == {}
    work(app)
    assert len(ran) == 2


def test_a_changed_interval_makes_the_duty_due(working, make_app):
    app = working(Duty("a", timedelta(days=300), lambda: None))
    work(app)
    hourly = make_app([Plugin(Duty("a", HOUR, lambda: None))])
    with hourly.app_context():
        claimed = [work(hourly), work(hourly)]

    assert claimed == [1, 0]


def test_a_job_that_has_run_long_leaves_the_rest_to_the_next_one(working, monkeypatch):
    monkeypatch.setattr(plugin_duties, "MAX_JOB_SECONDS", -1.0)
    ran: list[int] = []
    app = working(Duty("a", HOUR, lambda: ran.append(1)))
    work(app)
    assert ran == []

    monkeypatch.undo()
    work(app)
    assert ran == [1]


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        ([Duty("Upper", HOUR, fail)], "lower-case"),
        ([Duty("a", HOUR, fail), Duty("a", HOUR, fail)], "two duties are named 'a'"),
        ([Duty("a", timedelta(0), fail)], "interval"),
        ([Duty("a", timedelta(days=367), fail)], "interval"),
        ([Duty("a", HOUR, fail, seconds=0)], "time"),
        ([Duty("a", HOUR, fail, seconds=301)], "time"),
        (["a"], "is not a Duty"),
    ],
)
def test_an_invalid_duty_stops_the_start(offered, words):
    with pytest.raises(PluginFault, match=words):
        registry.load_all({}, [Plugin(*offered)])


# -- the toll authority ----------------------------------------------------------------------------

DIES_IN_THE_MIDDLE = """
import os, signal, sys
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services import plugin_duties
from einvoice.store import outbox
from tests.networks import toll
from tests.services.test_plugin_duties import work

def dies(account, store):
    store.change("last-report", None, "1")
    os.kill(os.getpid(), signal.SIGKILL)

toll.report = dies
app = create_app(Settings(database_url=sys.argv[1], data_dir=sys.argv[2]), plugins=[toll])
with app.app_context():
    work(app)
"""


def test_a_duty_whose_worker_is_killed_runs_again_when_its_lease_ends(
    make_app, database_url, tmp_path, now
):
    """It sees what the killed run stored."""
    app = make_app([toll])
    command = [sys.executable, "-c", DIES_IN_THE_MIDDLE, database_url, str(tmp_path)]
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    died = subprocess.run(command, env=environ, cwd=ROOT, timeout=120, check=False)
    with app.app_context():
        before = work(app)
        now(timedelta(minutes=5))
        released = outbox.release_expired(clock.now())
        after = work(app)
    store = DatabaseStore(app.app_context, "tests.networks.toll")
    reports = store.read("reports", clock.now() - HOUR, clock.now() + HOUR)

    assert died.returncode == -signal.SIGKILL
    assert (before, released, after) == (0, 1, 1)
    assert [report.value for report in reports] == ["demo-2"]
    assert store.get("last-report") == "2"
