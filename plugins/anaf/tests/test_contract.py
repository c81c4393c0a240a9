"""The access point keeps the contracts, against the stand-in."""

from __future__ import annotations

import pytest

from einvoice.network.connection_testing import GuardsAddressContract, SharedConsentContract
from einvoice.network.testing import AccessPointContract
from plugins.anaf.tests import company
from tests.networks.anaf import Service


class Accounts(SharedConsentContract):
    """The contract with the accounts that a consent covers, and another one."""

    @pytest.fixture
    def further_account(self, authority):
        authority.rights[f"person of {company.SELLER}"].add(company.BUYER)
        return f"RO{company.BUYER}"

    @pytest.fixture
    def foreign_account(self):
        return "RO4221306"


class TestAccounts(GuardsAddressContract, Accounts):
    @pytest.fixture
    def refuse(self, service):
        return lambda: setattr(service, "faults", lambda _: "refused-page")

    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, connection):
        return connection

    @pytest.fixture
    def an_envelope(self):
        return company.envelope


class TestDocuments(AccessPointContract):
    @pytest.fixture
    def access_point(self, bound):
        return bound

    @pytest.fixture
    def an_envelope(self):
        return company.envelope

    @pytest.fixture
    def refused_envelope(self):
        one = company.envelope()
        return company.envelope(document=one.document.replace(b"cbc:ID>", b"cbc:Id>"))

    @pytest.fixture
    def offline(self, authority, connection):
        with_nobody = Service(authority)
        with_nobody.server_close()
        return company.bound(company.point_at(with_nobody), connection)
