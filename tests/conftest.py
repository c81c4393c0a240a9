"""The application on real databases: `app` runs each test on SQLite and on PostgreSQL."""

from __future__ import annotations

import configparser
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

import einvoice_loopback
from einvoice import clock
from einvoice.app import create_app
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain import ids
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services import plugin_calls
from einvoice.services.account import credentials, tenants
from einvoice.services.computing.pool import Computing
from einvoice.store.core import postgresql, redis_connection
from einvoice.store.core.postgresql import Optimisations
from einvoice.store.installation import schema_revisions
from tests import applications, databases, named_rows, servers, shared_routes
from tests.browser import browser as browser
from tests.computing import InProcess
from tests.ports import free_port
from tests.tenant_bindings import Watch

shared_routes.share_routes()
applications.share_templates()
applications.share_statements_of_models()

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    # Its files need not survive the machine: without fsync a database is emptied in half the time,
    # and the server stops at once.
    with servers.postgresql(["-c", "fsync=off"]) as url:
        yield url


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    with servers.redis() as url:
        yield url


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """A real S3 server without buckets."""
    with servers.s3() as url:
        yield url


@pytest.fixture(autouse=True)
def _ids_are_of_now() -> None:
    """Ids never go back: those of a test that puts the clock forward are not those of the next."""
    last = ids.moment_of(str(ids.time_ordered(_LONG_AGO)))
    if last is not None and last > clock.real_now() + timedelta(seconds=1):
        ids._ids = ids.TimeOrderedIds()


@pytest.fixture(scope="session")
def _changes() -> Iterator[Watch]:
    with Watch(named_rows.allowed, named_rows.unnamed, "without naming its rows") as watch:
        yield watch


@pytest.fixture(autouse=True)
def _changes_name_their_rows(_changes: Watch) -> Iterator[None]:
    """An UPDATE or DELETE names its rows, so that one that has lost a condition is seen."""
    yield
    found = "\n".join(_changes.taken())
    assert not found, f"name the rows by an id, or list the function in named_rows:\n{found}"


@pytest.fixture(autouse=True)
def _calls_of_plugins_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a call that is waited for has not found its access point occupied."""
    monkeypatch.setattr(plugin_calls, "WAIT_SECONDS", 30.0)


@pytest.fixture
def redis_url(redis_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A Redis server, and patience with it: on a busy machine who is slow is not away."""
    for patience in ("CONNECT_WAIT_SECONDS", "ANSWER_TIMEOUT_SECONDS"):
        monkeypatch.setattr(redis_connection, patience, 60.0)
    return redis_server


def _migrated(url: str, directory: Path) -> None:
    app = create_app(Settings(data_dir=str(directory), database_url=url), plugins=[])
    with app.app_context():
        schema_revisions.upgrade()
    databases.let_go(app)  # a template must be closed to be copied


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database file, to be copied."""
    path = tmp_path_factory.mktemp("sqlite") / "template.sqlite3"
    _migrated(f"sqlite:///{path}", path.parent)
    databases.shrink(path)
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a migrated, empty database, to be copied."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE template_einvoice")
    url = postgres_server.replace("/postgres?", "/template_einvoice?")
    _migrated(url, tmp_path_factory.mktemp("postgres"))
    return "template_einvoice"


@pytest.fixture(params=databases.KINDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A migrated database of its own."""
    with databases.fresh(request, request.param, tmp_path) as url:
        yield url


@pytest.fixture
def store_optimisations() -> Optimisations:
    """All of them, as in the running service; tests/store also runs without."""
    return postgresql.ALL


@pytest.fixture
def make_app(
    database_url: str, tmp_path: Path, store_optimisations: Optimisations
) -> Iterator[Callable[..., Flask]]:
    """Applications on the test's database; settings and plugins as the test wants them."""
    made: list[Flask] = []

    def _make(
        plugins: list[Any] | None = None, computing: Computing | None = None, **settings: Any
    ) -> Flask:
        given = {"data_dir": str(tmp_path), "database_url": database_url}
        app = create_app(
            Settings(**{**given, **databases.ALONE, **settings}),
            plugins=[einvoice_loopback] if plugins is None else plugins,
            store_optimisations=store_optimisations,
            computing=computing or InProcess(),
        )
        app.testing = True
        applications.share_statements(app)
        applications.write_without_sync(app)
        made.append(app)
        return app

    yield _make
    for app in made:
        databases.let_go(app)


@pytest.fixture(scope="session")
def commands_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """PYTHONPATH of processes that run the commands of this directory."""
    announced = _announced(tmp_path_factory.mktemp("commands"))
    return os.pathsep.join(map(str, (announced, ROOT, ROOT / "plugins" / "loopback")))


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory, commands_path: str) -> Iterator[Stack]:
    """The whole service as processes, once per session: web, relay, workers, Redis, SQLite."""
    directory = tmp_path_factory.mktemp("stack")
    _migrated("", directory)
    listen = f"127.0.0.1:{free_port()}"
    environ = {
        "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true",
        "EINVOICE_WEB_WORKERS": "1",
        # One key asks for all tests of a session, many times a second.
        "EINVOICE_LIMIT_GET": "100000",
        "EINVOICE_LIMIT_POST": "100000",
        "EINVOICE_MAX_QUEUE_AGE": "3600",
        "EINVOICE_LOG_LEVEL": "DEBUG",
        "EINVOICE_ACCESS_LOG": "true",
        "PYTHONPATH": commands_path,
    }
    with Stack(directory, listen, environ) as running:
        yield running


def _announced(directory: Path) -> Path:
    """A place on the path that offers the commands of setup.cfg, whatever was installed when."""
    reported = configparser.ConfigParser(interpolation=None)
    reported.read(ROOT / "setup.cfg")
    groups = reported["options.entry_points"]
    information = directory / "einvoice-0.1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: einvoice\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text(
        "".join(f"[{group}]\n{groups[group].strip()}\n" for group in groups)
    )
    return directory


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Iterator[Flask]:
    """The application with the simulator, inside its context."""
    app = make_app()
    with app.app_context():
        yield app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def tenant(app: Flask) -> str:
    return tenants.create("Acme")


@pytest.fixture
def api_key(tenant: str) -> str:
    return credentials.create(API_KEY, tenant, "tests", Environment.TEST).secret
