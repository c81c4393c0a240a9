"""The document of a service without a database: it is generated from the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.web.openapi.document import Route, routes
from tests import databases

Document = dict[str, Any]


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Flask]:
    app = create_app(Settings(data_dir=str(tmp_path_factory.mktemp("openapi"))), plugins=[])
    yield app
    databases.let_go(app)


@pytest.fixture(scope="module")
def whole(service) -> Document:
    return service.test_client().get("/openapi.json").json


@pytest.fixture(scope="module")
def operations(whole) -> dict[str, Document]:
    """Every operation by "GET /path"."""
    return {
        f"{method.upper()} {path}": operation
        for path, item in whole["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    }


@pytest.fixture(scope="module")
def received(whole) -> dict[str, Document]:
    """What a webhook receives, by type of event."""
    callbacks = whole["paths"]["/api/webhooks"]["post"]["callbacks"]
    return {kind: item["{$request.body#/url}"]["post"] for kind, item in callbacks.items()}


@pytest.fixture(scope="module")
def documented(service) -> list[Route]:
    return list(routes(service))
