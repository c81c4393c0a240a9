"""The simulator keeps the contract of access points, for several of its participants."""

from __future__ import annotations

from functools import partial

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.testing import AccessPointContract, SearchContract


class TestSimulator(SearchContract, AccessPointContract):
    @pytest.fixture(
        params=[
            "0192:987654325",
            "0088:9520000000004",
            "0088:9520000000073",
            "0088:9520000000103",
            "0088:9520000000134",
        ]
    )
    def receiver(self, request):
        return ParticipantId.parse(request.param)

    @pytest.fixture
    def access_point(self, simulator, time_passes):
        self.clock = time_passes
        return simulator

    @pytest.fixture
    def an_envelope(self, receiver):
        return partial(samples.envelope, receiver=receiver)

    @pytest.fixture
    def refused_envelope(self):
        return samples.envelope(receiver=ParticipantId("0088", "9520000000059"))

    @pytest.fixture
    def stranger(self):
        return ParticipantId("0088", "9520000000080")

    @pytest.fixture
    def listed_name(self):
        return "sandbox receiver"

    def wait_until(self, moment):
        self.clock.moment = moment
