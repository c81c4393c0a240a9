"""The store on SQLite, on PostgreSQL, and on PostgreSQL without what exists only for speed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from einvoice.store.core import postgresql
from einvoice.store.core.postgresql import Optimisations
from tests import databases

PLAIN = "postgresql, plain"


@pytest.fixture(params=[*databases.KINDS, PLAIN])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A migrated database of its own."""
    with databases.fresh(request, request.param.partition(",")[0], tmp_path) as url:
        yield url


@pytest.fixture
def store_optimisations(request: pytest.FixtureRequest) -> Optimisations:
    is_plain = request.node.callspec.params.get("database_url") == PLAIN
    return postgresql.NONE if is_plain else postgresql.ALL
