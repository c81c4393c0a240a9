"""A second installation beside `app`, and a sandbox on a clock of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

import einvoice_loopback
from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from tests import databases
from tests.computing import InProcess
from tests.sandbox import Sandbox


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[Flask]:
    """Another installation, on the other kind of database."""
    kind = "postgresql" if database_url.startswith("sqlite") else "sqlite"
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    with databases.fresh(request, kind, directory) as url:
        settings = Settings(data_dir=str(directory), database_url=url, **databases.ALONE)
        app = create_app(settings, plugins=[einvoice_loopback], computing=InProcess())
        yield app
        databases.let_go(app)


@pytest.fixture
def sandbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    own = Sandbox.of(app)
    monkeypatch.setattr(clock, "now", lambda: own.moment)
    return own
