"""The certificates of a run, as our side and the counterparts have them."""

from __future__ import annotations

import pytest
from throwaway_pki import Pki

from einvoice.domain.environments import Environment
from einvoice_peppol.identity import Identity
from einvoice_peppol.revocation import RevocationLists, given_lists
from einvoice_peppol.trust import Anchors, Trust
from tests.interop.peppol import foreign


@pytest.fixture(scope="session")
def pki():
    return Pki("TEST")


@pytest.fixture(scope="session")
def folder(pki, tmp_path_factory):
    """The certificates and keys as the counterparts read them."""
    made = tmp_path_factory.mktemp("pki")
    foreign.write_pki(pki, made)
    return made


@pytest.fixture(scope="session")
def trusted(pki):
    roots = (pki.root.certificate,)
    lists = RevocationLists(given=given_lists([pki.revocation_list]))
    issuers = [Anchors((one.certificate,), roots) for one in (pki.access_points, pki.publishers)]
    return Trust(*issuers, Environment.TEST, lists)


@pytest.fixture(scope="session")
def identity(pki):
    """A function from the name of a leaf to the identity of an access point."""

    def _identity(name: str) -> Identity:
        leaf = getattr(pki, name)
        return Identity(leaf.certificate, leaf.key)

    return _identity
