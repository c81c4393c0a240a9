"""Pages decide nothing: daily they run on SQLite, with PostgreSQL in `make test-all`."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and "postgresql" in item.name:
            item.add_marker(pytest.mark.long)
