"""What the tests of pages share."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from tests.web.caller import Caller


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
