"""`einvoice doctor` names each unsafe or missing thing, and what mends it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from redis import Redis

from einvoice import clock
from einvoice.app import create_app
from einvoice.cli import doctor_checks
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.config import Settings, SettingsFault
from einvoice.security.sealing import new_key
from einvoice.store import db
from einvoice.store.tables import Outbox, Transmission
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


def words(found) -> list[tuple[str, bool]]:
    return [(problem.words, problem.serious) for problem in found]


def test_settings_made_for_production_have_no_problems():
    assert words(doctor_checks.check_settings(HEALTHY)) == []


@pytest.mark.parametrize(
    ("changed", "said", "serious"),
    [
        ({"base_url": "http://api.example.com"}, "EINVOICE_BASE_URL must be https", True),
        ({"sandbox_base_url": "http://a.b"}, "EINVOICE_SANDBOX_BASE_URL must be https", True),
        ({"errors_base": "http://a.b/errors"}, "EINVOICE_ERRORS_BASE must be https", True),
        ({"jwt_jwks_url": "http://a.b"}, "EINVOICE_JWT_JWKS_URL must be https", True),
        ({"secret_key": ""}, "EINVOICE_SECRET_KEY must be set", True),
        ({"secret_key": "c2hvcnQ="}, "must be 32 bytes", True),
        ({"webhook_allow_private": True}, "EINVOICE_WEBHOOK_ALLOW_PRIVATE must be off", True),
        ({"trusted_proxies": 0}, "No proxy is trusted", False),
        ({"metrics_listen": ""}, "Nobody can watch", False),
        ({"jwt_issuer": ""}, "Nobody can sign in", False),
        ({"log_level": "DEBUG"}, "The log is at DEBUG", False),
        ({"mode": "development"}, "The mode is development", False),
    ],
)
def test_each_setting_that_is_unsafe_or_missing_is_named(changed, said, serious):
    """One thing wrong, one line."""
    (problem,) = doctor_checks.check_settings(replace(HEALTHY, **changed))

    assert said in problem.words
    assert problem.fix
    assert problem.serious is serious


def test_in_development_nothing_of_production_is_serious():
    found = list(doctor_checks.check_settings(Settings()))

    assert found
    assert not any(problem.serious for problem in found)


@pytest.mark.parametrize(("mode", "said"), [(0o700, []), (0o750, ["Others may look into"])])
def test_a_key_that_others_could_read_is_named(tmp_path, mode, said):
    (tmp_path / "secret.key").write_text(new_key())
    tmp_path.chmod(mode)
    found = doctor_checks.check_directory(Settings(data_dir=str(tmp_path)))

    assert [s.words[: len(said[0])] for s in found] == said


def test_a_data_directory_that_cannot_be_written_is_named(tmp_path):
    found = words(doctor_checks.check_directory(Settings(data_dir=str(tmp_path / "missing"))))

    assert [serious for _, serious in found] == [True]
    assert "cannot be written" in found[0][0]


# -- database --------------------------------------------------------------------------------------


def test_a_fresh_database_has_no_serious_problems(app):
    """SQLite gets a word, because production wants PostgreSQL."""
    expected = [] if db.is_postgresql() else [("The database is SQLite", False)]

    assert words(doctor_checks.check_database()) == expected


def serious(found) -> list[str]:
    return [problem.words for problem in found if problem.serious]


def test_a_database_of_another_version_is_named(app):
    with db.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    (problem,) = [s for s in doctor_checks.check_database() if s.serious]

    assert "The database is at 0001, the code at " in problem.words
    assert problem.fix == "einvoice db upgrade"


def test_a_database_without_tables_or_away_is_named(app):
    """What the driver says is passed on, without the URL."""
    with db.writing() as connection:
        connection.execute(sa.text("DROP TABLE outbox"))

    (said,) = serious(doctor_checks.check_database())
    assert said.startswith("The database does not answer: ")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_postgresql_that_loses_what_it_accepted_is_named(app):
    with db.writing() as connection:
        name = connection.engine.url.database
        connection.execute(sa.text(f'ALTER DATABASE "{name}" SET synchronous_commit = off'))
    db.db.engine.dispose()

    (said,) = serious(doctor_checks.check_database())
    assert "synchronous_commit off" in said


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(("apart", "named"), [(4, False), (-4, False), (15, True), (-15, True)])
def test_clocks_that_are_apart_are_named(app, monkeypatch, apart, named):
    """Leases and signatures are made of both."""
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(seconds=apart))

    assert any("clocks" in said for said in serious(doctor_checks.check_database())) is named


@pytest.mark.parametrize(("seconds", "named"), [(30, False), (90, True)])
def test_work_that_nobody_does_is_named(app, tenant, seconds, named):
    accepted(tenant)
    with db.writing() as connection:
        due = clock.now() - timedelta(seconds=seconds)
        connection.execute(sa.update(Outbox).values(due_at=due))

    found = [s for s in doctor_checks.check_database() if "has been due for" in s.words]
    assert bool(found) is named
    assert all("einvoice relay" in problem.fix for problem in found)


def test_what_waits_for_a_person_is_named(app, tenant):
    accepted(tenant)
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).values(attention=True))

    assert ("1 transmissions wait for a person", False) in words(doctor_checks.check_database())


# -- Redis and workers -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    """A server of our own, whose settings we may change."""
    children = Children()
    url = start_redis(children, tmp_path_factory.mktemp("redis"))
    with Redis.from_url(url) as client:
        yield client, Settings(redis_url=url)
    children.stop()


def test_lanes_that_nobody_works_on_are_named(redis):
    found = [
        said for said, _ in words(doctor_checks.check_redis(redis[1])) if "Nobody works" in said
    ]

    assert found == [
        f"Nobody works on the lane {lane}" for lane in ("waited", "bulk", "chores", "webhooks")
    ]


def test_a_lane_with_a_worker_is_not_named(redis):
    redis[0].sadd("rq:workers:einvoice-bulk", "rq:worker:one")
    found = [
        said for said, _ in words(doctor_checks.check_redis(redis[1])) if "Nobody works" in said
    ]

    assert "Nobody works on the lane bulk" not in found
    redis[0].delete("rq:workers:einvoice-bulk")


@pytest.mark.parametrize(
    ("setting", "bad", "good", "said"),
    [
        ("appendonly", "no", "yes", "Redis has no append-only file"),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "Redis throws queues away"),
    ],
)
def test_a_redis_that_may_forget_is_named(redis, setting, bad, good, said):
    client, settings = redis
    told = {}
    for value in (good, bad):
        client.config_set(setting, value)
        told[value] = any(s.words.startswith(said) for s in doctor_checks.check_redis(settings))

    assert told == {bad: True, good: False}


def test_a_redis_that_is_away_is_named(tmp_path):
    (problem,) = doctor_checks.check_redis(Settings(data_dir=str(tmp_path)))

    assert "Redis does not answer" in problem.words
    assert problem.serious


# -- settings that cannot work ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"EINVOICE_MODE": "prod"}, "EINVOICE_MODE must be one of: development, production"),
        ({"EINVOICE_LOG_LEVEL": "LOUD"}, "EINVOICE_LOG_LEVEL must be one of"),
        ({"EINVOICE_LOG_FORMAT": "xml"}, "EINVOICE_LOG_FORMAT must be one of"),
        ({"EINVOICE_METRICS_LISTEN": "9100x"}, "EINVOICE_METRICS_LISTEN is not host:port"),
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
def test_a_service_that_cannot_work_safely_does_not_start(environ, said):
    """A misspelt mode must not mean development."""
    with pytest.raises(Exception, match=said):
        Settings.from_env(environ)


def test_a_base_address_may_end_with_a_slash():
    settings = Settings.from_env({"EINVOICE_BASE_URL": "https://api.example/"})

    assert settings.errors_prefix == "https://api.example/errors"


def test_a_data_directory_that_cannot_be_is_told_in_a_line(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(SettingsFault, match="taken cannot be made: File exists"):
        create_app(Settings(data_dir=str(tmp_path / "taken")), plugins=[])


def test_a_setting_may_be_a_file(tmp_path):
    """As containers and systemd hand secrets over; the line end of an editor does not count."""
    path = tmp_path / "url"
    path.write_text("sqlite:///x\n")

    assert Settings.from_env({"EINVOICE_DATABASE_URL_FILE": str(path)}).database == "sqlite:///x"
