"""`einvoice doctor` reports each problem of the installation with its fix."""

from __future__ import annotations

import shutil
import socket
import threading
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import sqlalchemy as sa
from redis import Redis

from einvoice import clock, config
from einvoice.app import create_app
from einvoice.cli import doctor_checks, doctor_work
from einvoice.cli.doctor_problem import Problem
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.config import Settings, SettingsFault
from einvoice.domain import ids
from einvoice.domain.environments import Environment
from einvoice.rules import Layer, Pack, RuleSet, RuleSets, built_in
from einvoice.rules.book import DeferredBook
from einvoice.security.sealing import KEY_FILE, keyring, new_key
from einvoice.services.webhooks import endpoints
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import plugin_duties
from einvoice.store.tables import Outbox, Transmission
from einvoice.web.runtime import runtime_of
from jobs.relay import Relay
from tests.builders import accepted

HEALTHY = Settings(
    mode="production",
    base_url="https://api.example.com",
    secret_key=new_key(),
    trusted_proxies=1,
    metrics_listen="127.0.0.1:9100",
    jwt_issuer="https://id.example.com",
    jwt_audience="einvoice",
    jwt_jwks_url="https://id.example.com/keys",
)


def messages(found) -> list[tuple[str, bool]]:
    return [(problem.message, problem.serious) for problem in found]


@pytest.mark.parametrize(
    ("module", "given"),
    [(doctor_checks, lambda app: app), (doctor_work, lambda app: runtime_of(app).access_points)],
    ids=["installation", "work"],
)
def test_every_check_is_made(app, monkeypatch, module, given):
    names = sorted(name for name in vars(module) if name.startswith("check_"))
    made = []
    for name in names:
        monkeypatch.setattr(module, name, lambda *_, name=name: made.append(name) or [])
    list(module.problems(given(app)))

    assert sorted(made) == names


def test_settings_made_for_production_have_no_problems():
    assert messages(doctor_checks.check_settings(HEALTHY)) == []


@pytest.mark.parametrize(
    ("changed", "message", "serious"),
    [
        ({"base_url": "http://api.example.com"}, "EINVOICE_BASE_URL must be https", True),
        ({"sandbox_base_url": "http://a.b"}, "EINVOICE_SANDBOX_BASE_URL must be https", True),
        ({"errors_base": "http://a.b/errors"}, "EINVOICE_ERRORS_BASE must be https", True),
        ({"jwt_jwks_url": "http://a.b"}, "EINVOICE_JWT_JWKS_URL must be https", True),
        ({"secret_key": ""}, "EINVOICE_SECRET_KEY must be set", True),
        ({"webhook_allow_private": True}, "EINVOICE_WEBHOOK_ALLOW_PRIVATE must be off", True),
        ({"trusted_proxies": 0}, "No proxy is trusted", False),
        ({"metrics_listen": ""}, "No metrics are served", False),
        ({"jwt_issuer": ""}, "Signing in at the dashboard is impossible", False),
        ({"log_level": "DEBUG"}, "The log level is DEBUG", False),
        ({"mode": "development"}, "The mode is development", False),
    ],
)
def test_each_unsafe_or_missing_setting_is_one_problem(changed, message, serious):
    """The problem names the setting, its fix and whether it is serious."""
    (problem,) = doctor_checks.check_settings(replace(HEALTHY, **changed))

    assert message in problem.message
    assert problem.fix
    assert problem.serious is serious


def test_problems_of_production_are_not_serious_in_development():
    found = list(doctor_checks.check_settings(Settings()))

    assert found
    assert not any(problem.serious for problem in found)


@pytest.mark.parametrize(("free", "count"), [(200 * 1024**2, 0), (200 * 1024**2 - 1, 1)])
def test_a_disk_with_little_room_is_a_problem(tmp_path, monkeypatch, free, count):
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    found = list(doctor_checks.check_directory(Settings(data_dir=str(tmp_path))))

    assert len(found) == count
    assert all(str(tmp_path) in one.message and one.serious for one in found)


@pytest.mark.parametrize(("mode", "message"), [(0o700, []), (0o750, ["Other users can read"])])
def test_a_key_that_other_users_can_read_is_a_problem(tmp_path, mode, message):
    (tmp_path / "secret.key").write_text(new_key())
    tmp_path.chmod(mode)
    found = doctor_checks.check_directory(Settings(data_dir=str(tmp_path)))

    assert [s.message[: len(message[0])] for s in found] == message


@pytest.mark.parametrize("metrics_listen", ["", "127.0.0.1:9100"])
def test_a_data_directory_that_the_service_makes_is_closed_to_other_users(
    tmp_path, monkeypatch, metrics_listen
):
    """Its database has the documents, and its key opens the secrets."""
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("EINVOICE_METRICS_LISTEN", metrics_listen)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "kept")
    config.share_metrics()
    settings = Settings.from_env()
    keyring(settings)

    assert (tmp_path / "data" / KEY_FILE).exists()
    assert list(doctor_checks.check_directory(settings)) == []


def test_a_data_directory_that_is_not_writable_is_serious(tmp_path):
    found = messages(doctor_checks.check_directory(Settings(data_dir=str(tmp_path / "missing"))))

    assert [serious for _, serious in found] == [True]
    assert "is not writable" in found[0][0]


# -- database --------------------------------------------------------------------------------------


@pytest.fixture
def durable(monkeypatch):
    """As if the server of the tests, which runs without fsync, ran with it."""
    others = [name for name in doctor_checks._DURABLE if name != "fsync"]
    assert len(others) == len(doctor_checks._DURABLE) - 1
    monkeypatch.setattr(doctor_checks, "_DURABLE", others)


@pytest.mark.usefixtures("durable")
def test_a_fresh_database_has_no_serious_problems(app):
    """SQLite is reported, because production needs PostgreSQL."""
    expected = [] if db.is_postgresql() else [("The database is SQLite", False)]

    assert messages(doctor_checks.check_database()) == expected


def serious(found) -> list[str]:
    return [problem.message for problem in found if problem.serious]


@pytest.mark.usefixtures("durable")
def test_a_schema_of_another_version_is_serious(app):
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    (problem,) = [s for s in doctor_checks.check_database() if s.serious]

    assert "The schema of the database is 0001, the code needs " in problem.message
    assert problem.fix == "einvoice db upgrade"


@pytest.mark.usefixtures("durable")
def test_a_schema_of_a_newer_release_is_a_note(app):
    """The release before runs beside it. `db upgrade` of this one would change nothing."""
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    found = list(doctor_checks.check_database())

    assert serious(found) == []
    assert "is 9999, of a newer release than this one" in found[0].message
    assert "db upgrade" not in found[0].fix


@pytest.mark.usefixtures("durable")
def test_a_schema_of_another_service_is_serious(app):
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '1975ea83b712'"))
    (problem,) = [s for s in doctor_checks.check_database() if s.serious]

    assert problem.fix == "check EINVOICE_DATABASE_URL"


@pytest.mark.usefixtures("durable")
def test_an_error_of_the_database_is_serious(app):
    """The driver's message is shown, without the URL."""
    with db.writing() as connection:
        connection.execute(sa.text("DROP TABLE outbox"))

    (message,) = serious(doctor_checks.check_database())
    assert message.startswith("Database error: ")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_postgresql_without_fsync_is_serious(app):
    (message,) = serious(doctor_checks.check_database())

    assert message == "PostgreSQL runs with fsync off: a power failure loses accepted invoices"


@pytest.mark.usefixtures("durable")
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_postgresql_that_can_lose_commits_is_serious(app):
    with db.writing() as connection:
        name = connection.engine.url.database
        connection.execute(sa.text(f'ALTER DATABASE "{name}" SET synchronous_commit = off'))
    db.db.engine.dispose()

    (message,) = serious(doctor_checks.check_database())
    assert "synchronous_commit off" in message


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_collations_of_another_version_than_the_servers_are_serious(app):
    """ente#10024, self-hosted#4504: after an upgrade of glibc, unique indexes let duplicates in."""

    def recorded(version: str | None) -> str | None:
        with db.writing() as connection:
            here = "WHERE datname = current_database()"
            stored = sa.text(f"SELECT datcollversion FROM pg_database {here}")
            before: str | None = connection.execute(stored).scalar_one()
            change = sa.text(f"UPDATE pg_database SET datcollversion = :version {here}")
            connection.execute(change, {"version": version})
        return before

    unchanged = serious(doctor_checks.check_database())
    before = recorded("0.1")
    try:
        found = [each for each in doctor_checks.check_database() if "collations" in each.message]
    finally:
        recorded(before)

    assert not any("collations" in message for message in unchanged)
    [problem] = found
    assert problem.serious
    assert "was made with version 0.1 of the collations" in problem.message
    assert "REINDEX DATABASE test_" in problem.fix


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("apart", "named"), [(4, False), (-4, False), (15, True), (-15, True)])
def test_clocks_more_than_five_seconds_apart_are_serious(app, monkeypatch, apart, named):
    """Leases and signatures use both clocks."""
    real = clock.real_now
    monkeypatch.setattr(clock, "real_now", lambda: real() + timedelta(seconds=apart))

    assert any("clocks" in message for message in serious(doctor_checks.check_database())) is named


@pytest.mark.parametrize(("seconds", "named"), [(30, False), (90, True)])
def test_overdue_work_is_reported_after_a_minute(app, tenant, seconds, named):
    accepted(tenant)
    with db.writing() as connection:
        due = clock.now() - timedelta(seconds=seconds)
        connection.execute(sa.update(Outbox).values(due_at=due))

    found = [s for s in doctor_checks.check_database() if "has been due for" in s.message]
    assert bool(found) is named
    assert all("einvoice relay" in problem.fix for problem in found)


@pytest.mark.parametrize(("failures", "named"), [(0, False), (3, True)])
def test_failing_duties_of_plugins_are_reported(app, failures, named):
    with db.writing() as connection:
        plugin_duties.add(connection, "duty_1", "toll", "report", 60.0)
        plugin_duties.record(connection, "duty_1", failures, clock.now(), "OSError: closed")
    words = "The duty report of the plugin toll failed, 3 times in a row: OSError: closed"

    assert ((words, False) in messages(doctor_checks.check_database())) is named


@pytest.mark.parametrize(
    ("minutes", "due", "named"), [(361, 1, True), (359, 1, False), (361, 25, False)]
)
def test_a_network_that_takes_nothing_for_six_hours_is_reported(app, tenant, minutes, due, named):
    """Not one whose outcome is pushed, which is due at its deadline only."""
    now = clock.now()
    made = ids.TimeOrderedIds().next(now - timedelta(minutes=minutes))
    with db.writing() as connection:
        outbox.enqueue(
            connection, kind=outbox.TRANSMISSION, lane=outbox.CHORES, subject_id=f"txn_{made.hex}",
            tenant_id=tenant, due_at=now + timedelta(hours=due), access_point="toll",
        )  # fmt: skip
    words = [
        each for each, _ in messages(doctor_checks.check_database()) if "has not taken" in each
    ]

    assert bool(words) is named


def test_transmissions_that_need_an_operator_are_reported(app, tenant):
    accepted(tenant)
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).values(attention=True))

    assert ("1 transmissions need an operator", False) in messages(doctor_checks.check_database())


# -- Redis and workers -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    """A Redis server whose settings the tests may change."""
    children = Children()
    url = start_redis(children, tmp_path_factory.mktemp("redis"))
    with Redis.from_url(url) as client:
        yield client, Settings(redis_url=url)
    children.stop()


def test_lanes_without_a_worker_are_reported(redis):
    found = [
        message
        for message, _ in messages(doctor_checks.check_redis(redis[1]))
        if "No worker serves" in message
    ]

    assert found == [
        f"No worker serves the lane {lane}"
        for lane in ("waited", "bulk", "chores", "webhooks", "plugins")
    ]


def test_a_lane_with_a_worker_is_not_reported(redis):
    redis[0].sadd("rq:workers:einvoice-bulk", "rq:worker:one")
    found = [
        message
        for message, _ in messages(doctor_checks.check_redis(redis[1]))
        if "No worker serves" in message
    ]

    assert "No worker serves the lane bulk" not in found
    redis[0].delete("rq:workers:einvoice-bulk")


@pytest.mark.parametrize(
    ("setting", "bad", "good", "message"),
    [
        ("appendonly", "no", "yes", "Redis has no append-only file"),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "Redis evicts queues"),
    ],
)
def test_a_redis_that_can_lose_queues_is_reported(redis, setting, bad, good, message):
    client, settings = redis
    reported = {}
    for value in (good, bad):
        client.config_set(setting, value)
        reported[value] = any(
            s.message.startswith(message) for s in doctor_checks.check_redis(settings)
        )

    assert reported == {bad: True, good: False}


def test_a_redis_that_does_not_answer_is_serious(tmp_path):
    (problem,) = doctor_checks.check_redis(Settings(data_dir=str(tmp_path)))

    assert "Redis does not answer" in problem.message
    assert problem.serious


# -- invalid settings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"EINVOICE_MODE": "prod"}, "EINVOICE_MODE must be one of: development, production"),
        ({"EINVOICE_LOG_LEVEL": "LOUD"}, "EINVOICE_LOG_LEVEL must be one of"),
        ({"EINVOICE_LOG_FORMAT": "xml"}, "EINVOICE_LOG_FORMAT must be one of"),
        ({"EINVOICE_METRICS_LISTEN": "9100x"}, "EINVOICE_METRICS_LISTEN is '9100x', not host:port"),
        ({"EINVOICE_LISTEN": "localhost"}, "EINVOICE_LISTEN is 'localhost', not host:port"),
        ({"EINVOICE_WEB_WORKERS": "0"}, "EINVOICE_WEB_WORKERS must be at least 1"),
        ({"EINVOICE_BASE_URL": "https:/api.example"}, "EINVOICE_BASE_URL must have a host"),
        ({"EINVOICE_WEB_WORKERS": "two"}, "EINVOICE_WEB_WORKERS is 'two', not a whole number"),
        ({"EINVOICE_SEND_WAIT": "2s"}, "EINVOICE_SEND_WAIT is '2s', not a number"),
        ({"EINVOICE_WEBHOOK_ALLOW_PRIVATE": "maybe"}, "is 'maybe', not true or false"),
        ({"EINVOICE_DATABASE_URL": "mysql://a/b"}, "EINVOICE_DATABASE_URL must begin with sqlite:"),
        ({"REDIS_URL": "localhost"}, "EINVOICE_REDIS_URL must begin with redis: or rediss: or"),
        ({"EINVOICE_BASE_URL": "api.example"}, "EINVOICE_BASE_URL must begin with https: or http:"),
        ({"EINVOICE_MODE": "production"}, "EINVOICE_BASE_URL must be https in production"),
        ({"EINVOICE_SECRET_KEY_FILE": "/nowhere"}, "EINVOICE_SECRET_KEY_FILE cannot be read"),
        (
            {"EINVOICE_SECRET_KEY": "a", "EINVOICE_SECRET_KEY_FILE": "/nowhere"},
            "set EINVOICE_SECRET_KEY or EINVOICE_SECRET_KEY_FILE, not both",
        ),
    ],
)
def test_an_invalid_or_unsafe_setting_stops_the_start(environ, message):
    """For example, a misspelt mode does not mean development."""
    with pytest.raises(Exception, match=message):
        Settings.from_env(environ)


def test_a_base_url_may_end_with_a_slash():
    settings = Settings.from_env({"EINVOICE_BASE_URL": "https://api.example/"})

    assert settings.errors_prefix == "https://api.example/errors"


def test_a_data_directory_that_cannot_be_created_is_a_settings_fault(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(SettingsFault, match="taken cannot be made: File exists"):
        create_app(Settings(data_dir=str(tmp_path / "taken")), plugins=[])


def test_a_setting_may_be_read_from_a_file(tmp_path):
    """Containers and systemd pass secrets as files; a trailing newline is ignored."""
    path = tmp_path / "url"
    path.write_text("sqlite:///x\n")

    assert Settings.from_env({"EINVOICE_DATABASE_URL_FILE": str(path)}).database == "sqlite:///x"


@pytest.mark.parametrize(("prefix", "count"), [("/usr", 0), ("/usr/local", 1)])
def test_the_python_of_the_distribution_is_not_reported_as_slow(monkeypatch, prefix, count):
    """Debian's is optimised, but not by the option of configure; an own build has the option."""
    monkeypatch.setattr(doctor_checks.sys, "base_prefix", prefix)
    monkeypatch.setattr(doctor_checks.sysconfig, "get_config_var", lambda name: "'--prefix=x'")

    assert len(messages(doctor_checks.check_python())) == count


def test_rules_that_cannot_be_loaded_are_serious():
    """Else the first document of their network finds it: its answer is 503."""
    absent = DeferredBook(Layer.BR_FR_UBL, "1", "einvoice.rules.absent", "BOOK")
    broken = RuleSet("broken", (Pack("broken", "1", date(2026, 1, 1), None, (absent,)),))
    rule_sets = RuleSets([broken], "broken", partial(RuleSets))
    why = "ModuleNotFoundError: No module named 'einvoice.rules.absent'"

    assert messages(doctor_checks.check_rules(rule_sets)) == [
        (f"The rules broken cannot be loaded: {why}", True)
    ]
    assert messages(doctor_checks.check_rules(built_in())) == []


# -- what is silent until it is needed -------------------------------------------------------------


def test_a_relay_is_seen_while_nothing_is_due(make_app, redis):
    """Its sign stays half a minute after it ended."""
    client, settings = redis

    def said() -> bool:
        return any("No relay" in one.message for one in doctor_checks.check_redis(settings))

    client.delete(outbox.RELAY_KEY)
    before = said()
    app = make_app()
    with app.app_context():
        Relay(app, settings.redis_url).step()

    assert (before, said()) == (True, False)
    assert 0 < client.ttl(outbox.RELAY_KEY) <= outbox.RELAY_KEY_SECONDS


def test_a_valid_key_that_does_not_open_the_stored_secrets_is_serious(app, tenant):
    """As that of another installation, or a new one that has replaced the old one."""
    old, new = new_key(), new_key()
    with_old = replace(runtime_of(app).settings, secret_key=old)
    endpoints.create(tenant, Environment.TEST, url="https://a.example/", settings=with_old)

    def found(key: str) -> list[Problem]:
        return list(doctor_checks.check_sealed(replace(with_old, secret_key=key)))

    [problem] = found(new)
    assert "1 of 1 stored secrets" in problem.message
    assert problem.serious
    assert found(old) == found(f"{new},{old}") == []


class _Other(BaseHTTPRequestHandler):
    body = b"something else"

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        """Nothing to stderr."""


@pytest.mark.parametrize(("body", "count"), [(b"hello", 1), (b"einvoice_database_up 1.0", 0)])
def test_another_program_at_the_address_of_the_metrics_is_a_problem(monkeypatch, body, count):
    monkeypatch.setattr(_Other, "body", body)
    with HTTPServer(("127.0.0.1", 0), _Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = Settings(metrics_listen=f"127.0.0.1:{server.server_port}")
        found = list(doctor_checks.check_metrics(settings))
        server.shutdown()

    assert len(found) == count


def test_a_program_that_speaks_another_protocol_has_the_address_of_the_metrics(redis):
    """A server of Redis, for instance; where nothing listens there is no problem."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        threading.Thread(target=lambda: taken.accept()[0].close(), daemon=True).start()
        settings = Settings(metrics_listen=f"127.0.0.1:{taken.getsockname()[1]}")
        found = list(doctor_checks.check_metrics(settings))

    assert len(found) == 1
    assert list(doctor_checks.check_metrics(settings)) == []
