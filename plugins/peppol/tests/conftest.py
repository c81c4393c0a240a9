"""One throw-away PKI for each network, made once in a run."""

from __future__ import annotations

import pytest
from throwaway_pki import Pki

from einvoice_peppol.identity import Identity


@pytest.fixture(scope="session")
def pki() -> Pki:
    return Pki("TEST")


@pytest.fixture(scope="session")
def live_pki() -> Pki:
    return Pki("LIVE")


@pytest.fixture(scope="session")
def c2(pki) -> Identity:
    """The access point that sends."""
    return Identity(pki.c2.certificate, pki.c2.key)


@pytest.fixture(scope="session")
def c3(pki) -> Identity:
    """The access point that receives."""
    return Identity(pki.c3.certificate, pki.c3.key)


@pytest.fixture(scope="session")
def other(pki) -> Identity:
    """A third access point of the same network."""
    return Identity(pki.other.certificate, pki.other.key)
