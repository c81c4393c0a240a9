"""The contract of access points that confirm claims of participants, kept by a test network."""

from __future__ import annotations

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.network.testing import ConfirmsContract
from einvoice.network.types import ClosedInbox
from tests.networks.registrar import ELSEWHERE, Registrar

OURS = ParticipantId.parse("0208:0123456749")


class TestRegister(ConfirmsContract):
    @pytest.fixture
    def access_point(self) -> Registrar:
        point = Registrar(ClosedInbox())
        point.here.add(OURS.canonical)
        return point

    @pytest.fixture
    def registered_participant(self) -> ParticipantId:
        return OURS

    @pytest.fixture
    def elsewhere(self) -> ParticipantId:
        return ParticipantId.parse(ELSEWHERE)

    @pytest.fixture
    def offline(self) -> Registrar:
        point = Registrar(ClosedInbox())
        point.away = True
        return point


def test_an_access_point_that_confirms_everything_fails_the_contract():
    class Credulous(Registrar):
        def registered_here(self, participant: ParticipantId) -> bool:
            return True

    with pytest.raises(AssertionError):
        ConfirmsContract().test_a_registration_elsewhere_is_not_confirmed(
            Credulous(ClosedInbox()), ParticipantId.parse(ELSEWHERE)
        )
