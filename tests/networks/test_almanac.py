"""The contract of access points that publish participants, kept by a test network."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.network.publishing_testing import PublishesContract
from tests.networks.almanac import Almanac

OURS = ParticipantId.parse("0208:0123456749")
FOREIGN = ParticipantId.parse("0208:0403019261")


class TestAlmanac(PublishesContract):
    @pytest.fixture
    def access_point(self) -> Almanac:
        point = Almanac(Environment.TEST)
        point.book.entries[str(FOREIGN)] = ("somebody", (BIS_INVOICE,), None)
        point.book.keys[str(FOREIGN)] = "the key"
        return point

    @pytest.fixture
    def own_participant(self) -> ParticipantId:
        return OURS

    @pytest.fixture
    def foreign_participant(self) -> ParticipantId:
        return FOREIGN

    @pytest.fixture
    def migration_key(self) -> str:
        return "the key"

    @pytest.fixture
    def away(self, access_point: Almanac) -> Callable[[], None]:
        def _away() -> None:
            access_point.book.is_away = True

        return _away


def test_an_access_point_that_takes_over_without_a_key_fails_the_contract():
    class Greedy(Almanac):
        def publish(self, participant, types, card):
            self.book.entries.pop(participant.canonical, None)
            return super().publish(participant, types, card)

    point = Greedy(Environment.TEST)
    point.book.entries[str(FOREIGN)] = ("somebody", (BIS_INVOICE,), None)
    with pytest.raises(AssertionError):
        PublishesContract().test_a_participant_of_another_provider_is_refused(point, FOREIGN)
