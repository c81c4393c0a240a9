"""The service on loopback, and the clients of `clients/` that use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.browser import serving


@pytest.fixture(scope="module")
def origin(service: Flask) -> Iterator[str]:
    """The address of the running service."""
    with serving(service) as address:
        yield address
