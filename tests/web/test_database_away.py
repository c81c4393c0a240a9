"""A database that does not respond, or has another schema than the code needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
import structlog
from flask import Flask

from einvoice.domain.environments import Environment
from einvoice.security import api_keys
from einvoice.services import readiness
from einvoice.store.core.db import db
from einvoice.store.installation import schema_revisions
from einvoice.web import problems
from tests import databases, logs
from tests.ports import free_port

Build = Callable[..., Flask]


@pytest.fixture
def without_server(make_app: Build) -> Iterator[Flask]:
    """The application after its PostgreSQL server has gone: nothing listens at the address."""
    url = f"postgresql://einvoice:secret-password@127.0.0.1:{free_port()}/einvoice"
    app = make_app(database_url=url, log_level="WARNING")
    with app.app_context():
        yield app


@pytest.fixture
def log() -> Iterator[list[structlog.typing.EventDict]]:
    with logs.captured(problems, readiness) as lines:
        yield lines


on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@on_sqlite
def test_a_request_without_a_database_is_503_with_one_line_in_the_log(
    without_server: Flask, log: list[structlog.typing.EventDict]
) -> None:
    headers = {"x-api-key": api_keys.new(Environment.TEST)}
    answer = without_server.test_client().get("/api/invoices/x", headers=headers)

    assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (
        503,
        "database-unavailable",
    )
    assert int(answer.headers["Retry-After"]) == readiness.RETRY_AFTER_SECONDS
    assert [line["event"] for line in log] == ["database away"]
    assert "exc_info" not in log[0]
    assert "secret-password" not in f"{log}{answer.text}"


@on_sqlite
def test_readiness_without_a_database_is_503_with_one_line_in_the_log(
    without_server: Flask, log: list[structlog.typing.EventDict]
) -> None:
    answer = without_server.test_client().get("/readyz")

    assert (answer.status_code, answer.json) == (
        503,
        {"status": "unavailable", "database": "down"},
    )
    assert int(answer.headers["Retry-After"]) > 0
    assert [line["event"] for line in log] == ["database away"]


@pytest.mark.parametrize(
    ("number", "state", "status"),
    [
        ("0001", "older", 503),
        ("9999", "newer", 200),
        ("1975ea83b712", "unknown", 503),
        (None, "missing", 503),
    ],
)
def test_readiness_depends_on_the_schema(
    app: Flask, number: str | None, state: str, status: int
) -> None:
    """A newer schema is usable: the version before a rolling upgrade still runs."""
    with db.engine.begin() as connection:
        if number is None:
            connection.execute(sa.text("DELETE FROM alembic_version"))
        else:
            values = {"number": number}
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :number"), values)
    answer = app.test_client().get("/readyz")

    assert (answer.status_code, answer.json["schema"]) == (status, state)


def test_a_migrated_database_is_current(app: Flask) -> None:
    assert app.test_client().get("/readyz").json["schema"] == "current"


def test_a_database_without_any_table_is_not_ready(make_app: Build, tmp_path: Path) -> None:
    app = make_app(database_url=f"sqlite:///{tmp_path / 'empty.sqlite3'}")
    before = app.test_client().get("/readyz")
    with app.app_context():
        schema_revisions.upgrade()
    after = app.test_client().get("/readyz")
    databases.let_go(app)

    assert (before.status_code, before.json["schema"]) == (503, "missing")
    assert after.json["schema"] == "current"
