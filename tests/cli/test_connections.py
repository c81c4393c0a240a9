"""`einvoice connections`, and what `einvoice doctor` and /metrics show of connections."""

from __future__ import annotations

from datetime import timedelta

import pytest
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application, doctor_work
from einvoice.cli.connections import connections
from einvoice.domain.environments import Environment
from einvoice.services import gauges
from einvoice.services.account import tenants
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.inbound import mailboxes
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.inbound import mailboxes as rows
from einvoice.web.runtime import runtime_of
from tests.networks.toll import mailbox
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.networks.toll.mailbox import TollMailPlugin

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
PASSWORD = "hunter2-secret"


@pytest.fixture
def toll() -> TollAccountsPlugin:
    return TollAccountsPlugin()


@pytest.fixture
def app(make_app, toll):
    app = make_app(plugins=[toll])
    with app.app_context():
        yield app


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(*line: str, typed: str = "", code: int = 0) -> str:
        result = CliRunner().invoke(connections, line, input=typed)
        assert result.exit_code == code, result.output
        return result.output

    return _run


@pytest.fixture
def made(run, tenant) -> str:
    line = ("add", tenant, "toll-station", "RO 1", "--text", "user=toll", "--secret", "password")
    return run(*line, typed=f"{PASSWORD}\n").splitlines()[-1].partition(" ")[0]


def test_a_secret_is_asked_for_and_not_shown(run, tenant, made, toll):
    shown = run("list", tenant) + run("list")

    assert toll.station.calls[-1].credentials == {"user": "toll", "password": PASSWORD}
    assert shown.count(made) == 2
    assert "operator" in shown
    assert PASSWORD not in shown


def test_a_file_is_read(run, tenant, toll, tmp_path):
    (tmp_path / "key.p12").write_bytes(b"\x00key")
    line = ("add", tenant, "toll-station", "RO 2", "--text", "user=a", "--text", "password=b")
    run(*line, "--file", f"key={tmp_path / 'key.p12'}")

    assert toll.station.calls[-1].credentials["key"] == "AGtleQ=="


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("--text", "user"), "NAME=VALUE"),
        (("--text", "user=a"), "--credentials"),
        (("--file", "key=/does/not/exist"), "No such file"),
    ],
)
def test_a_refusal_is_reported(app, monkeypatch, tenant, line, words):
    monkeypatch.setattr(application, "application", lambda: app)
    result = CliRunner().invoke(connections, ("add", tenant, "toll-station", "RO 1", *line))

    assert result.exit_code in (1, 2)
    assert words in result.output
    assert accounts.of_all(tenant) == []


def test_a_connection_is_checked_and_revoked(run, tenant, made, toll):
    toll.station.outcome = "needs-person"
    checked = run("check", tenant, made)
    run("revoke", tenant, made)

    assert "is needs-person: The password … is old." in checked
    assert accounts.get(tenant, made).state == "revoked"
    assert run("list").strip() == "none"
    assert made in run("list", tenant)


def test_doctor_lists_connections_by_state_and_the_soonest_end(run, tenant, made, toll):
    toll.station.expires_at = end = clock.now() + timedelta(days=3)
    run("check", tenant, made)
    lines = list(doctor_work.connections())
    problems = [problem.message for problem in doctor_work.check_connections()]

    assert lines == ["connections: 1 renewal-due", f"  the soonest ends on {end:%Y-%m-%d}"]
    state = "Connections to networks in the state renewal-due"
    assert problems == [f"{state}: 1; the soonest ends on {end:%Y-%m-%d}"]
    run("revoke", tenant, made)
    assert list(doctor_work.connections()) == []


def test_a_gauge_counts_connections_by_state(run, tenant, made):
    samples = next(gauges._connections()).samples
    counts = {sample.labels["state"]: sample.value for sample in samples}

    assert counts == {
        "setting-up": 0, "active": 1, "renewal-due": 0, "needs-person": 0, "broken": 0,
    }  # fmt: skip
    assert stored.count_by_state()[0].count == 1


def test_mailboxes_are_listed_and_those_not_fetched_for_long_are_reported(make_app, monkeypatch):
    """With the last fetch, the age of the cursor and the last fault, and without a secret."""
    given = {"password": mailbox.PASSWORD}
    app = make_app(plugins=[TollMailPlugin("http://127.0.0.1:9")])
    monkeypatch.setattr(application, "application", lambda: app)
    with app.app_context():
        tenant = tenants.create("Acme")
        new = NewConnection(Environment.TEST, "toll-mail", "RO1", credentials=given)
        made = accounts.create(tenant, new, runtime_of(app))
        mailboxes.schedule(runtime_of(app))
        with db.writing() as connection:
            rows.record_failure(connection, made.id, "the quota is used up")
        listed = CliRunner().invoke(connections, ["mailboxes", tenant]).output
        fine = list(doctor_work.check_mailboxes(()))
        later = clock.now() + timedelta(days=1)
        monkeypatch.setattr(clock, "now", lambda: later)
        (problem,) = doctor_work.check_mailboxes(())

    assert made.id in listed
    assert "the quota is used up" in listed
    assert mailbox.PASSWORD not in listed
    assert fine == []
    assert made.id in problem.message
    assert not problem.serious


def test_a_link_is_printed_once_with_its_end(run, tenant):
    address, end = run("link", tenant, "toll-station", "RO 7", "--days", "3").splitlines()

    assert "/connect/" in address
    assert end.startswith("until 2")
    refused = run("link", tenant, "nowhere", code=1)
    assert "toll-station" in refused
