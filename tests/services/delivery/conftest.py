from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.web.runtime import runtime_of
from tests.services.delivery.sending_by_connection import a_connection


@pytest.fixture
def runtime(app):
    return runtime_of(app)


@pytest.fixture
def connection(tenant, runtime, toll):
    """A connection at the authority of the plugin `toll`."""
    return a_connection(tenant, runtime, toll)


@pytest.fixture
def moved(monkeypatch):
    """A clock that goes on, and that the test can move: `moved[0] += timedelta(minutes=5)`."""
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])
    return ahead
