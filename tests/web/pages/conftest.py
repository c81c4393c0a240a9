"""Pages decide nothing: daily they run on SQLite, with PostgreSQL in `make test-all`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from einvoice import clock
from tests.web.caller import Caller

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and "postgresql" in item.name:
            item.add_marker(pytest.mark.long)


@pytest.fixture
def caller(app):
    return Caller(app)


@pytest.fixture
def work(caller, monkeypatch):
    """Do what is due now and in two minutes, so that what is sent is Delivered or Failed."""

    def run() -> None:
        began = clock.now()
        caller.work()
        monkeypatch.setattr(clock, "now", lambda: began + timedelta(minutes=2))
        caller.work()
        # The newest events are in the feed a moment later.
        monkeypatch.setattr(clock, "now", lambda: began + timedelta(minutes=3))

    return run
