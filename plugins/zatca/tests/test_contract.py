"""The access point keeps the contracts, at the stand-in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.network.connection_testing import GuardsAddressContract, SerialContract
from einvoice.network.testing import AccessPointContract
from plugins.zatca.tests import saudi, unit
from tests.networks.zatca import Service


class Units:
    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, connection):
        return connection

    @pytest.fixture
    def an_envelope(self):
        return unit.envelope


class TestUnits(Units, SerialContract):
    @pytest.fixture
    def serial_envelopes(self):
        return lambda count: [unit.envelope() for _ in range(count)]


class TestRefusedAddress(Units, GuardsAddressContract):
    @pytest.fixture
    def refuse(self, service):
        return lambda: setattr(service, "faults", lambda _: "refused-page")

    @pytest.fixture
    def unregistered(self, authority):
        return unit.new(authority.otp())

    def test_a_refused_address_blames_no_account(self, access_point, unregistered, refuse):
        """A registered unit makes no calls when it is checked."""
        super().test_a_refused_address_blames_no_account(access_point, unregistered, refuse)


class TestDocuments(AccessPointContract):
    """Its documents are not stored one after the other, so the stand-in follows no chain."""

    @pytest.fixture
    def access_point(self, bound, authority):
        authority.orders = False
        return bound

    @pytest.fixture
    def an_envelope(self):
        return unit.envelope

    @pytest.fixture
    def refused_envelope(self):
        other = replace(saudi.SELLER, vat_id="SA311111111111113")
        return unit.envelope(saudi.an_invoice(seller=other))

    @pytest.fixture
    def offline(self, authority, connection):
        with_nobody = Service(authority)
        with_nobody.server_close()
        return unit.bound(unit.point_at(with_nobody), connection)
