"""One application and one database of each kind for a module; each test has its own tenant."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

import einvoice_loopback
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services.computing.pool import Computing
from einvoice.store.core import budgets
from einvoice.web.runtime import runtime_of
from tests import applications, databases, unbound_statements
from tests.computing import InProcess
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.tenant_bindings import Watch
from tests.web.caller import Caller

# Tests whose statements are watched: those that reach every route, and those of what people and
# programs administer.
_WATCHED = (
    "buyer", "pages", "test_directory.py", "test_ending_access.py", "test_events.py",
    "test_isolation.py", "test_isolation_of_fields.py", "test_keys.py", "test_oauth.py",
    "test_participant_claims.py", "test_participant_search.py", "test_session.py",
    "test_sharing.py", "test_tenant.py", "test_webhooks.py",
)  # fmt: skip
_HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _statements_are_of_one_tenant(request: pytest.FixtureRequest) -> Iterator[None]:
    """Requests read and change rows of their tenant only, as far as the statements tell."""
    if not any(request.path.is_relative_to(_HERE / each) for each in _WATCHED):
        yield
        return
    with Watch(unbound_statements.allowed) as watch:
        yield
    found = "\n".join(watch.taken())
    assert not found, f"bind these to a tenant, or list them in unbound_statements:\n{found}"


@pytest.fixture(scope="module")
def toll() -> TollAccountsPlugin:
    """Networks that need accounts, for modules whose application has them."""
    return TollAccountsPlugin()


@pytest.fixture(scope="module", params=databases.KINDS)
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Flask]]:
    """`build(plugins, **settings)`: applications on the module's database."""
    directory = tmp_path_factory.mktemp("web")
    made: list[Flask] = []
    with databases.fresh(request, request.param, directory) as url:

        def _build(
            plugins: list[Any] | None = None, computing: Computing | None = None, **changed: Any
        ) -> Flask:
            given = {"data_dir": str(directory)} | databases.ALONE
            settings = Settings(database_url=url, **(given | changed))
            app = create_app(
                settings,
                plugins=plugins or [einvoice_loopback],
                computing=computing or InProcess(),
            )
            applications.share_statements(app)
            applications.write_without_sync(app)
            made.append(app)
            return app

        yield _build
        for app in made:
            databases.let_go(app)


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    """The service with the simulator; a send waits only where it says so."""
    return build()


@pytest.fixture(autouse=True)
def _empty_caches(request: pytest.FixtureRequest) -> None:
    """Tests that share a service share no cached answers."""
    if "service" in request.fixturenames:
        runtime_of(request.getfixturevalue("service")).caches.clear()


@pytest.fixture
def caller(service: Flask) -> Caller:
    """A tenant's test key."""
    return Caller(service)


@pytest.fixture
def own_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names in Redis that no other test uses: all tests of a session share one server."""
    run = uuid.uuid4().hex
    monkeypatch.setattr(budgets, "_name", lambda key_id, what: f"{run}:{{{key_id}}}:{what}")
