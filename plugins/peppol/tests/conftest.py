"""One throw-away PKI for each network, made once in a run."""

from __future__ import annotations

import pytest
from throwaway_pki import Pki

from einvoice.domain.environments import Environment
from einvoice_peppol.identity import Identity
from einvoice_peppol.revocation import RevocationLists, given_lists
from einvoice_peppol.trust import Anchors, Trust


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


@pytest.fixture(scope="session")
def trusted(pki) -> Trust:
    """Trust in the throw-away network, with its revocation list."""
    roots = (pki.root.certificate,)
    lists = given_lists([pki.revocation_list])
    return Trust(
        Anchors((pki.access_points.certificate,), roots),
        Anchors((pki.publishers.certificate,), roots),
        Environment.TEST,
        RevocationLists(given=lists),
    )
