"""An application with two networks that need accounts, and a tenant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from einvoice.services.runtime import Runtime
from einvoice.web.runtime import runtime_of
from tests.networks.toll.accounts import TollAccountsPlugin


@pytest.fixture
def toll() -> TollAccountsPlugin:
    return TollAccountsPlugin()


@pytest.fixture
def app(make_app, toll) -> Iterator[Flask]:
    app = make_app(plugins=[toll])
    with app.app_context():
        yield app


@pytest.fixture
def runtime(app) -> Runtime:
    return runtime_of(app)
