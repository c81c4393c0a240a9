"""The commands of operators: tenants, keys, participants, transmissions, serve, doctor, db."""

from __future__ import annotations

import importlib
import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application, serve
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import authentication, claims, credentials, tenants
from einvoice.services.inbound.reception import Reception
from einvoice.store.core import db
from einvoice.store.tables import Event, Message, Outbox, Transmission
from einvoice.web.runtime import runtime
from tests.builders import accepted
from tests.networks.toll.answering import acknowledgement


@pytest.fixture
def run(app, monkeypatch):
    """`run("tenants add X")` returns the output; `code` is the expected exit code."""
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


def test_a_key_works_until_it_is_revoked(run, tenant):
    """It is printed once; the list shows its prefix and last four characters."""
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
    """The day is in UTC, in any time zone of the operator."""
    run(f"keys add {tenant} --name erp --expires 2099-01-31 --environment live")
    (record,) = credentials.of_tenant(API_KEY, tenant)

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
    output = run(f"participants add {other} 9915:aBC", code=1)
    run(f"participants add {other} 9915:abc --environment live")

    assert output == "Error: 9915:aBC has an owner in the test environment.\n"
    listed = run(f"participants list {tenant}").splitlines()[1].split()
    assert listed == ["test", "9915:abc", "verified", "none"]


@pytest.fixture
def claimed(tenant, monkeypatch) -> str:
    """A live participant id that the tenant has claimed three days ago."""
    today = clock.now()
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: today - timedelta(days=3))
        participant = ParticipantId.parse("0208:0123456749")
        claims.claim(tenant, Environment.LIVE, participant, runtime().caches)
    return str(participant)


def test_a_claim_is_listed_with_its_age_and_approved(run, tenant, claimed):
    listed = run("participants pending").splitlines()[1]
    assert listed.startswith(tenant)
    assert listed.split()[-3:] == ["live", claimed, "3"]
    doctor = run("doctor", code=1)
    assert f"has claimed {claimed} in live for 3 days\n" in doctor
    assert f"einvoice participants approve {tenant} {claimed} --environment live" in doctor
    run(f"participants approve {tenant} {claimed} --reason", "Called them.")

    assert run("participants pending") == "none\n"
    assert "for 3 days" not in run("doctor", code=1)
    assert run(f"participants list {tenant}").splitlines()[1].split()[1:3] == [claimed, "verified"]


def test_a_claim_is_rejected_with_a_reason(run, tenant, claimed):
    run(f"participants reject {tenant} {claimed}", code=2)
    run(f"participants reject {tenant} {claimed} --reason", "Not your number.")

    assert "rejected  Not your number." in run(f"participants list {tenant}")


def test_a_contested_claim_is_marked(run, tenant, claimed):
    other = run("tenants add Other").strip()
    run(f"participants add {other} {claimed} --environment live")

    assert run("participants pending").splitlines()[1].endswith("yes")
    output = run(f"participants approve {tenant} {claimed} --reason", "Yes.", code=1)
    assert output == f"Error: Another tenant has {claimed} in live: remove it there first.\n"


def test_doctor_lists_ten_claims_and_counts_the_others(run, tenant):
    for number in range(12):
        participant = ParticipantId.parse(f"0088:{number}")
        claims.claim(tenant, Environment.LIVE, participant, runtime().caches)
    doctor = run("doctor", code=1)

    assert doctor.count("for 0 days") == 10
    assert "2 more claims of participant ids wait for a decision" in doctor


def test_a_verified_number_is_listed_and_removed(run, tenant, claimed):
    assert run(f"tenants verify {tenant}", "BE 0123.456.749") == "BE0123456749\n"
    assert "BE0123456749" in run("tenants list")
    assert "verified" in run(f"participants list {tenant}")
    run(f"tenants verify {tenant} BE0123456749 --remove")

    assert "BE0123456749" not in run("tenants list")
    assert "verified" in run(f"participants list {tenant}")
    run(f"tenants verify {tenant} 0123456749", code=2)


@pytest.fixture
def unknown(tenant) -> str:
    """A transmission with an unknown outcome, which needs an operator."""
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
def test_an_operator_settles_an_unknown_outcome(run, unknown, tmp_path, outcome, event):
    proof = tmp_path / "mail.eml"
    proof.write_text("They have it.")
    assert unknown in run("transmissions attention")
    output = run(f"transmissions resolve {unknown} {outcome} --evidence {proof}")

    assert output == f"{unknown} is {outcome}\n"
    assert run("transmissions attention") == "none\n"
    with db.reading() as connection:
        assert list(connection.execute(sa.select(Event.type)).scalars()) == [event]
    again = run(f"transmissions resolve {unknown} failed --evidence {proof}", code=1)
    assert again.startswith("Error: ")
    assert "final" in again


def test_a_transmission_is_shown_with_its_state(run, unknown):
    lines = run(f"transmissions show {unknown}").splitlines()
    shown = dict(line.split(maxsplit=1) for line in lines)

    assert shown["transmission"] == unknown
    assert (shown["phase"], shown["reason"]) == ("unknown", "no answer")
    assert "request" not in shown  # none caused it
    assert "There is no transmission" in run("transmissions show txn_x", code=1)


def test_retry_makes_the_transmission_due_now(run, unknown):
    run(f"transmissions retry {unknown}")

    with db.reading() as connection:
        due = list(connection.execute(sa.select(Outbox.subject_id, Outbox.due_at)))
    assert [subject for subject, _ in due] == [unknown]
    assert due[0][1] <= clock.now()


def test_a_message_whose_outcome_is_unknown_is_settled_by_the_same_commands(run, app, tmp_path):
    """`msg_…` is listed, made due again, and settled with evidence, once."""
    inbox = Reception(app.app_context, runtime().caches, runtime().computing, runtime().forms)
    message = inbox.queue_message("toll-post-test", acknowledgement("k"))
    with db.writing() as connection:
        connection.execute(sa.update(Message).values(attention=True, phase="unknown"))
        connection.execute(sa.delete(Outbox))
    proof = tmp_path / "proof.txt"
    proof.write_text("seen")

    assert message in run("transmissions attention")
    run(f"transmissions retry {message}")
    with db.reading() as connection:
        assert connection.execute(sa.select(Outbox.subject_id)).scalars().all() == [message]
    assert run(f"transmissions resolve {message} delivered --evidence {proof}")
    assert run("transmissions attention") == "none\n"
    run(f"transmissions resolve {message} failed --evidence {proof}", code=1)
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count(Outbox.id))).scalar_one() == 0


@pytest.mark.parametrize(
    "line",
    [
        "tenants change unknown --strict-idempotency",
        "keys add unknown --name x",
        "keys add TENANT --name x --scope no:such",
        "keys add TENANT --name x --ip 300.1.1.1",
        "keys add TENANT --name x --receiver 88:1",
        "keys revoke TENANT nothing",
        "participants add unknown 0208:0123456749",
        "participants add TENANT 208:0123456749",
        "transmissions retry txn_none",
        f"transmissions resolve txn_none failed --evidence {__file__}",
        "keys list unknown",
        "oauth-clients list unknown",
        "participants list unknown",
        "webhooks list unknown",
    ],
)
def test_a_refusal_is_one_line(run, tenant, line):
    """Errors that an operator can fix have no traceback."""
    output = run(line.replace("TENANT", tenant), code=1)

    assert output.startswith("Error: ")
    assert output.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("keys add TENANT --name x --ip 10.0.0.1/8", "--ip: 10.0.0.1/8 is an address inside"),
        ("keys add TENANT --name x --scope send", "--scope: send is none of participants:read,"),
        ("keys add TENANT --name x --expires 2020-01-01", "--expires: must be a moment to come"),
        ("keys add TENANT --name x --ip a --ip b", "; --ip: b is neither an address nor"),
        ("webhooks add TENANT ftp://a.example --event sent", "Error: URL: the URL must begin with"),
        ("webhooks add TENANT https://a.example --event sent", "--event: 'sent' is none of"),
    ],
)
def test_a_refusal_names_the_option(run, tenant, line, words):
    """Options instead of the JSON pointers of the API."""
    assert words in run(line.replace("TENANT", tenant), code=1)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\tb"])
def test_a_name_is_printable_and_not_blank(run, tenant, name):
    assert "a name has 1 to 200 printable characters" in run("tenants add", name, code=2)
    assert "printable characters" in run(f"keys add {tenant} --name", name, code=2)
    assert "printable characters" in run(f"oauth-clients add {tenant} --name", name, code=2)


@pytest.mark.parametrize("line", ["tenants change TENANT", "keys add TENANT", "tenants add"])
def test_a_missing_argument_prints_the_usage(run, tenant, line):
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
def test_an_address_that_cannot_be_bound_is_one_line(app, monkeypatch, listen, words):
    monkeypatch.setattr("einvoice.cli.serve.application", lambda: app)
    result = CliRunner().invoke(serve.serve, ["--listen", listen])

    assert isinstance(result.exception, SystemExit)
    assert words in result.output


def test_plugins_are_listed_with_their_capabilities(run):
    line = run("plugins").splitlines()[1].split()

    assert line[:4] == ["simulator", "simulator", "test", "yes"]


def test_the_doctor_names_each_problem_and_its_fix(run, app):
    """A missing Redis is serious; an environment without an access point is not."""
    output = run("doctor", code=1)

    assert "✗ Redis does not answer" in output
    assert f"No access point serves {Environment.LIVE}" in output
    assert output.count("✗") + output.count("!") == output.count("→")


def test_the_doctor_generates_a_secret_key(run):
    assert len(run("doctor --new-key").strip()) == 44


def test_the_database_is_downgraded_and_upgraded(run, app, capfd):
    """On a database without tables, the error of a command is one line that names it."""
    run("db downgrade base")
    output = run("tenants list", code=1)
    assert output.startswith("Error: Database error: ")
    assert output.count("\n") == 1
    with app.app_context(), db.reading() as connection:
        assert f"{connection.engine.url.render_as_string()} has no tables" in output
    assert "einvoice db upgrade" in output
    report = run("doctor", code=1)
    assert "einvoice db upgrade" in report
    assert "no such table" not in report
    assert re.fullmatch(r"none \(newest: \d{4}\): run einvoice db upgrade\n", run("db current"))
    run("db upgrade")
    assert re.fullmatch(r"\d{4} \(newest\)\n", run("db current"))

    assert run("tenants list") == "none\n"


def test_a_recovery_is_held_shown_and_run(run, app, tenant):
    """Deliveries go on when it has finished; until then /readyz and doctor say that they do not."""
    client = app.test_client()
    accepted(tenant)
    run("recover --hold")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["deliveries"]) == (503, "held")
    assert "Deliveries are held since" in run("doctor", code=1)
    shown = run("recover --dry-run --since 2026-01-01T00:00:00Z")
    assert shown.splitlines()[1].split()[2:] == ["transmission", "1", "0", "0", "0"]
    assert client.get("/readyz").status_code == 503
    assert "deliveries go on" in run("recover --since 2026-01-01T00:00:00Z")
    assert "does not list" in run("recover --compare --since 2026-01-01T00:00:00Z")

    assert "deliveries" not in client.get("/readyz").json


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("recover", "give one of"),
        ("recover --hold --release", "give one of"),
        ("recover --hold --dry-run", "are about --since"),
        ("recover --release --dry-run", "are about --since"),
        ("recover --hold --repeat", "are about --since"),
        ("recover --release --compare", "are about --since"),
        ("recover --since yesterday", "offset"),
        ("recover --since 2026-01-01T00:00:00", "offset"),
        ("recover --since 2999-01-01T00:00:00Z", "future"),
    ],
)
def test_a_recovery_needs_one_moment_that_has_passed(run, line, words):
    assert words in run(line, code=2)


def test_a_recovery_needs_a_hold(run):
    assert "recover --hold" in run("recover --since 2026-01-01T00:00:00Z", code=1)
