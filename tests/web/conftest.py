"""One application and one database of each kind for a module; each test has its own tenant."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from flask import Flask

import einvoice_loopback
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services import authenticate, lookup, tenants
from einvoice.store import db
from tests.web.caller import Caller


@contextmanager
def _database(request: pytest.FixtureRequest, kind: str, directory: Any) -> Iterator[str]:
    if kind == "sqlite":
        copy = directory / "einvoice.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), copy)
        yield f"sqlite:///{copy}"
        return
    server: str = request.getfixturevalue("postgres_server")
    template: str = request.getfixturevalue("postgres_template")
    name = f"web_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Flask]]:
    """`build(plugins, **settings)`: applications on the module's database."""
    directory = tmp_path_factory.mktemp("web")
    made: list[Flask] = []
    with _database(request, request.param, directory) as url:

        def _build(plugins: list[Any] | None = None, **changed: Any) -> Flask:
            given = {"data_dir": str(directory), "send_wait": 0.0, "log_level": "CRITICAL"}
            settings = Settings(database_url=url, **(given | changed))
            made.append(create_app(settings, plugins=plugins or [einvoice_loopback]))
            return made[-1]

        yield _build
        for app in made:
            with app.app_context():
                db.db.engine.dispose()
                for engine in app.extensions.get("einvoice_autocommit", {}).values():
                    engine.dispose()


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    """The service with the simulator; a send waits only where it says so."""
    return build()


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    for module in (authenticate, lookup, tenants):
        module.forget()


@pytest.fixture
def caller(service: Flask) -> Caller:
    """A tenant's test key."""
    return Caller(service)
