"""The access point keeps the contracts, against the stand-in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.network.connection_testing import ConnectedContract
from einvoice.network.mailbox_testing import MailboxContract
from einvoice.network.testing import AccessPointContract, SearchContract
from tests.networks.fr import Service, company


class TestAccounts(SearchContract, MailboxContract, ConnectedContract):
    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, connection):
        return connection

    @pytest.fixture
    def an_envelope(self):
        return company.envelope

    @pytest.fixture
    def listed_name(self):
        return "acheteur"

    @pytest.fixture
    def offline(self, service, connection):
        nobody = Service(service.platform)
        nobody.server_close()
        return company.point_at(nobody)

    @pytest.fixture
    def arrive(self, service):
        return lambda count: company.arrive(service, count)

    def wait(self, seconds):
        """The stand-in has no quota."""


class TestDocuments(AccessPointContract):
    @pytest.fixture
    def access_point(self, bound):
        return bound

    @pytest.fixture
    def an_envelope(self):
        return company.envelope

    @pytest.fixture
    def stranger(self):
        return ParticipantId("0225", company.STRANGER)

    @pytest.fixture
    def offline(self, service, connection):
        nobody = Service(service.platform)
        nobody.server_close()
        moved = {**connection.credentials, "url": nobody.url}
        return company.bound(company.point_at(nobody), replace(connection, credentials=moved))


class TestReports(TestDocuments):
    """Sales to consumers are Delivered as soon as the platform has taken them."""

    @pytest.fixture
    def an_envelope(self):
        return company.to_consumer
