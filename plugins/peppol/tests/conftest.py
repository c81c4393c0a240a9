"""One throw-away PKI for each network, made once in a run."""

from __future__ import annotations

import pytest
from throwaway_pki import Pki


@pytest.fixture(scope="session")
def pki() -> Pki:
    return Pki("TEST")


@pytest.fixture(scope="session")
def live_pki() -> Pki:
    return Pki("LIVE")
