"""What the tests of submitted documents share."""

from __future__ import annotations

import pytest

from einvoice.services.computing.pool import Computing


@pytest.fixture
def computations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were called in computing processes."""
    called: list[str] = []
    real = Computing.run

    def run(self, tenant_id, function, *arguments):
        called.append(function.__name__)
        return real(self, tenant_id, function, *arguments)

    monkeypatch.setattr(Computing, "run", run)
    return called
