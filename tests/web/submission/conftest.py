"""What the tests of submitted documents share."""

from __future__ import annotations

import pytest

from tests.computing import InProcess


@pytest.fixture
def computations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were called in computing processes."""
    called: list[str] = []
    real = InProcess._compute

    def compute(self, function, arguments):
        called.append(function.__name__)
        return real(self, function, arguments)

    monkeypatch.setattr(InProcess, "_compute", compute)
    return called
