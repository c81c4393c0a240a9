"""The service on loopback, and the clients of `clients/` that use it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.browser import serving


@pytest.fixture(scope="module")
def origin(service: Flask) -> Iterator[str]:
    """The address of the running service."""
    with serving(service) as address:
        yield address


@pytest.fixture
def working(caller: Any) -> Iterator[None]:
    """A worker that does what is due, five seconds ahead of the clock, while a test runs."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.2):
            caller.work(5)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join(30)
