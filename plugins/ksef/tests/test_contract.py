"""The access point keeps the contracts, against the stand-in."""

from __future__ import annotations

import pytest

from einvoice.network.connection_testing import ConnectedContract, GuardsAddressContract
from einvoice.network.testing import AccessPointContract
from plugins.ksef.tests import company


class TestAccounts(GuardsAddressContract, ConnectedContract):
    @pytest.fixture
    def refuse(self, service):
        return lambda: setattr(service, "faults", lambda _: "refused-json")

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
    def offline(self, connection):
        return company.bound(company.point_at("http://127.0.0.1:9/v2"), connection)
