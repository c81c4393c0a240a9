"""The commands of an operator, as they are typed: tenants, keys, participants, transmissions."""

from __future__ import annotations

import importlib
import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application, serve
from einvoice.domain.environments import Environment
from einvoice.services.account import authentication, tenants
from einvoice.store import api_keys as stored
from einvoice.store import db
from einvoice.store.tables import Event, Outbox, Transmission
from einvoice.web.runtime import runtime
from tests.builders import accepted


@pytest.fixture
def run(app, monkeypatch):
    """`run("tenants add X")`: what the command prints; `code`: how it must end."""
    monkeypatch.setattr(application, "application", lambda: app)
    monkeypatch.setattr("einvoice.cli.doctor.application", lambda: app)

    def _run(line: str, *more: str, code: int = 0) -> str:
        group, *words = line.split()
        name = {"db": "database"}.get(group, group).replace("-", "_")
        module = importlib.import_module(f"einvoice.cli.{name}")
        command = getattr(module, group.replace("-", "_"))
        result = CliRunner().invoke(command, [*words, *more])
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.output

    return _run


def test_a_tenant_is_added_listed_and_switched(run):
    tenant = run("tenants add", "Acme NV").strip()
    assert f"{tenant}  Acme NV  False" in run("tenants list")
    run(f"tenants change {tenant} --strict-idempotency --reject-duplicate-numbers")

    record = tenants.get(tenant)
    assert (record.strict_idempotency, record.reject_duplicate_numbers) == (True, True)


def test_a_key_works_from_the_moment_it_is_printed_until_it_is_revoked(run, tenant):
    """It is shown once; the list shows enough to recognise it and no more."""
    key = run(f"keys add {tenant} --name erp").strip()
    assert authentication.recognise(key, runtime().caches).tenant_id == tenant
    listed = run(f"keys list {tenant}")
    assert key not in listed
    assert key[:16] in listed
    run(f"keys revoke {tenant} {listed.splitlines()[1].split()[0]}")
    runtime().caches.clear()

    with pytest.raises(Exception, match="unknown, expired or revoked"):
        authentication.recognise(key, runtime().caches)


def test_the_last_day_of_a_key_counts_in_full(run, tenant):
    """UTC, whatever zone the operator sits in."""
    run(f"keys add {tenant} --name erp --expires 2099-01-31 --environment live")
    (record,) = stored.of_tenant(tenant)

    assert record.environment == "live"
    assert record.expires_at == datetime(2099, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(("seconds", "works"), [(-1, True), (1, False)])
def test_an_expired_key_is_unknown(run, tenant, monkeypatch, seconds, works):
    key = run(f"keys add {tenant} --name erp --expires 2099-01-31").strip()
    moment = datetime(2099, 2, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    monkeypatch.setattr(clock, "now", lambda: moment)
    runtime().caches.clear()

    if works:
        assert authentication.recognise(key, runtime().caches).tenant_id == tenant
    else:
        with pytest.raises(Exception, match="unknown, expired or revoked"):
            authentication.recognise(key, runtime().caches)


def test_a_participant_has_one_owner_in_each_environment(run, tenant):
    """Upper and lower case are the same participant."""
    other = run("tenants add Other").strip()
    run(f"participants add {tenant} 9915:Abc")
    said = run(f"participants add {other} 9915:aBC", code=1)
    run(f"participants add {other} 9915:abc --environment live")

    assert said == "Error: 9915:aBC has an owner in the test environment.\n"
    assert run(f"participants list {tenant}").splitlines()[1].split() == ["test", "9915:abc"]


@pytest.fixture
def unknown(tenant) -> str:
    """A transmission that needs a person."""
    sent = accepted(tenant)
    with db.writing() as connection:
        connection.execute(
            sa.update(Transmission).values(phase="unknown", attention=True, reason="no answer")
        )
        connection.execute(sa.delete(Outbox))
    return sent.transmission_id


@pytest.mark.parametrize(
    ("outcome", "event"), [("delivered", "transaction.sent"), ("failed", "transaction.failed")]
)
def test_an_operator_settles_what_nobody_knows(run, unknown, tmp_path, outcome, event):
    proof = tmp_path / "mail.eml"
    proof.write_text("They have it.")
    assert unknown in run("transmissions attention")
    said = run(f"transmissions resolve {unknown} {outcome} --evidence {proof}")

    assert said == f"{unknown} is {outcome}\n"
    assert run("transmissions attention") == "none\n"
    with db.reading() as connection:
        assert list(connection.execute(sa.select(Event.type)).scalars()) == [event]
    again = run(f"transmissions resolve {unknown} failed --evidence {proof}", code=1)
    assert again.startswith("Error: ")
    assert "final" in again


def test_an_operator_has_the_network_asked_once_more(run, unknown):
    run(f"transmissions retry {unknown}")

    with db.reading() as connection:
        due = list(connection.execute(sa.select(Outbox.subject_id, Outbox.due_at)))
    assert [subject for subject, _ in due] == [unknown]
    assert due[0][1] <= clock.now()


@pytest.mark.parametrize(
    "line",
    [
        "tenants change nobody --strict-idempotency",
        "keys add nobody --name x",
        "keys add TENANT --name x --scope no:such",
        "keys add TENANT --name x --ip 300.1.1.1",
        "keys add TENANT --name x --receiver 88:1",
        "keys revoke TENANT nothing",
        "participants add nobody 0208:0123456749",
        "participants add TENANT 208:0123456749",
        "transmissions retry txn_none",
        f"transmissions resolve txn_none failed --evidence {__file__}",
        "keys list nobody",
        "oauth-clients list nobody",
        "participants list nobody",
        "webhooks list nobody",
    ],
)
def test_a_refusal_is_one_line(run, tenant, line):
    """No traceback for what an operator can fix."""
    said = run(line.replace("TENANT", tenant), code=1)

    assert said.startswith("Error: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("keys add TENANT --name x --ip 10.0.0.1/8", "--ip: 10.0.0.1/8 is an address inside"),
        ("keys add TENANT --name x --scope send", "--scope: send is none of participants:read,"),
        ("keys add TENANT --name x --expires 2020-01-01", "--expires: must be a moment to come"),
        ("keys add TENANT --name x --ip a --ip b", "; --ip: b is neither an address nor"),
        ("webhooks add TENANT ftp://a.example --event sent", "--url: the URL must begin with"),
        ("webhooks add TENANT https://a.example --event sent", "--event: 'sent' is none of"),
    ],
)
def test_a_refusal_uses_the_names_of_the_command(run, tenant, line, words):
    """Not the JSON pointers of the API: nobody typed those."""
    assert words in run(line.replace("TENANT", tenant), code=1)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\tb"])
def test_a_name_is_one_that_can_be_shown(run, tenant, name):
    assert "a name has 1 to 200 printable characters" in run("tenants add", name, code=2)
    assert "printable characters" in run(f"keys add {tenant} --name", name, code=2)
    assert "printable characters" in run(f"oauth-clients add {tenant} --name", name, code=2)


@pytest.mark.parametrize("line", ["tenants change TENANT", "keys add TENANT", "tenants add"])
def test_what_is_missing_on_the_command_line_is_named(run, tenant, line):
    assert "Usage:" in run(line.replace("TENANT", tenant), code=2)


@pytest.mark.parametrize(
    ("listen", "words"),
    [
        ("here", "'here' is not host:port"),
        ("127.0.0.1:99999", "with a port of 1 to 65535"),
        ("192.0.2.1:8000", "cannot listen at 192.0.2.1:8000: Cannot assign requested address"),
        ("unix:/nowhere/web.sock", "cannot listen at /nowhere/web.sock: No such file or directory"),
    ],
)
def test_where_nobody_can_listen_is_told_in_a_line(app, monkeypatch, listen, words):
    monkeypatch.setattr("einvoice.cli.serve.application", lambda: app)
    result = CliRunner().invoke(serve.serve, ["--listen", listen])

    assert isinstance(result.exception, SystemExit)
    assert words in result.output


def test_plugins_are_listed_with_what_they_can(run):
    line = run("plugins").splitlines()[1].split()

    assert line[:4] == ["simulator", "simulator", "test", "yes"]


def test_the_doctor_names_each_problem_and_its_fix(run, app):
    """Without Redis it is serious; that nobody serves live is worth a word."""
    said = run("doctor", code=1)

    assert "✗ Redis does not answer" in said
    assert f"No access point serves {Environment.LIVE}" in said
    assert said.count("✗") + said.count("!") == said.count("→")


def test_the_doctor_makes_a_key_for_secrets(run):
    assert len(run("doctor --new-key").strip()) == 44


def test_the_database_says_where_it_is_and_goes_back_and_forth(run, app, capfd):
    """A command on a database without tables says so in one line."""
    run("db downgrade base")
    said = run("tenants list", code=1)
    assert said.startswith("Error: The database says: ")
    assert said.count("\n") == 1
    told = run("doctor", code=1)
    assert "einvoice db upgrade" in told
    assert "does not answer: no such table" not in told
    assert re.fullmatch(r"nothing \(newest: \d{4}\): einvoice db upgrade\n", run("db current"))
    run("db upgrade")
    assert re.fullmatch(r"\d{4}, the newest\n", run("db current"))

    assert run("tenants list") == "none\n"
