"""Contract tests of an access point that publishes participants.

class TestSmp(PublishesContract, AccessPointContract):
    @pytest.fixture
    def access_point(self): ...

    @pytest.fixture
    def own_participant(self): ...  # that may be published, and is not yet

    @pytest.fixture
    def foreign_participant(self): ...  # another provider has it

    @pytest.fixture
    def migration_key(self): ...  # by which the foreign one may be taken over; None: not testable

    @pytest.fixture
    def away(self): ...  # a function after which the directory does not answer
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.publishing import (
    MAX_FORM_LENGTH,
    MAX_KEY_LENGTH,
    BusinessCard,
    EntryRefused,
    EntryStatus,
    Listed,
    MigrationKey,
    NotYet,
    PublishesParticipants,
    Withdrawn,
)
from einvoice.network.types import DirectoryUnavailable

CARD = BusinessCard("Acme NV", "BE")
COMPLETE, ABSENT = EntryStatus(True, True), EntryStatus(False)


class PublishesContract:
    """The tests of an access point that is `PublishesParticipants`, for its class of tests."""

    @pytest.fixture
    def own_participant(self) -> ParticipantId:
        """A participant that may be published, and is not yet."""
        raise NotImplementedError("supply the fixture own_participant")

    @pytest.fixture
    def foreign_participant(self) -> ParticipantId:
        """A participant that another provider has published."""
        pytest.skip("there is no participant of another provider")

    @pytest.fixture
    def migration_key(self, foreign_participant: ParticipantId) -> str:
        """A key by which the foreign participant may be taken over."""
        pytest.skip("there is no migration key")

    @pytest.fixture
    def away(self) -> Callable[[], None]:
        """A function after which the directory does not answer."""
        pytest.skip("the directory cannot be taken away")

    def types(self, access_point: PublishesParticipants) -> tuple[DocumentTypeId, ...]:
        """The document types to publish."""
        return access_point.receivable

    def test_it_offers_every_operation(self, access_point: PublishesParticipants) -> None:
        assert isinstance(access_point, PublishesParticipants), "an operation is missing"
        assert access_point.receivable, "it can receive nothing"
        assert access_point.entry_form() == access_point.entry_form()
        assert 0 < len(access_point.entry_form()) <= MAX_FORM_LENGTH

    def test_an_entry_is_published_any_number_of_times(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        """A worker that is killed after the network's answer publishes again."""
        types = self.types(access_point)
        assert access_point.status(own_participant, types) == ABSENT
        for _ in range(2):
            assert access_point.publish(own_participant, types, CARD) == Listed()
            assert access_point.status(own_participant, types) == COMPLETE

    def test_an_entry_without_one_of_the_types_is_not_complete(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        types = self.types(access_point)
        assert access_point.publish(own_participant, types[:1], None) == Listed()
        assert access_point.status(own_participant, types[:1]) == COMPLETE
        if len(types) > 1:
            assert access_point.status(own_participant, types) == EntryStatus(True, False)

    def test_types_that_are_not_given_again_are_taken_away(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        types = self.types(access_point)
        access_point.publish(own_participant, types, CARD)
        assert access_point.publish(own_participant, types[:1], None) == Listed()
        assert access_point.status(own_participant, types[:1]) == COMPLETE

    def test_an_entry_is_withdrawn_any_number_of_times(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        types = self.types(access_point)
        access_point.publish(own_participant, types, CARD)
        for _ in range(2):
            assert access_point.withdraw(own_participant) == Withdrawn()
            assert access_point.status(own_participant, types) == ABSENT
        assert access_point.publish(own_participant, types, None) == Listed()

    def test_a_participant_of_another_provider_is_refused(
        self, access_point: PublishesParticipants, foreign_participant: ParticipantId
    ) -> None:
        refusal = access_point.publish(foreign_participant, self.types(access_point), CARD)
        assert isinstance(refusal, EntryRefused), f"publish returned {refusal!r}"
        assert refusal.elsewhere, "the refusal does not say that a migration key is needed"
        assert refusal.reason, "a refusal must have a reason"
        assert access_point.withdraw(foreign_participant) == Withdrawn()

    def test_a_participant_moves_in_by_its_key(
        self,
        access_point: PublishesParticipants,
        foreign_participant: ParticipantId,
        migration_key: str,
    ) -> None:
        types = self.types(access_point)
        for _ in range(2):
            moved = access_point.move_in(foreign_participant, migration_key, types, CARD)
            assert moved == Listed()
            assert access_point.status(foreign_participant, types) == COMPLETE

    def test_a_wrong_key_moves_nothing(
        self, access_point: PublishesParticipants, foreign_participant: ParticipantId
    ) -> None:
        types = self.types(access_point)
        refusal = access_point.move_in(foreign_participant, "Wr0ng#Key!77", types, CARD)
        assert isinstance(refusal, EntryRefused), f"move_in returned {refusal!r}"
        assert access_point.status(foreign_participant, types) == ABSENT

    def test_a_participant_gets_a_key_to_move_out(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        """The caller may lose the first key: a second call gives one that works, too."""
        types = self.types(access_point)
        access_point.publish(own_participant, types, CARD)
        for _ in range(2):
            given = access_point.move_out(own_participant)
            assert isinstance(given, MigrationKey), f"move_out returned {given!r}"
            assert 0 < len(given.key) <= MAX_KEY_LENGTH
            assert given.key not in repr(given), "the key is a secret"
        assert access_point.status(own_participant, types) == COMPLETE

    def test_nothing_moves_out_that_is_not_published(
        self, access_point: PublishesParticipants, own_participant: ParticipantId
    ) -> None:
        assert isinstance(access_point.move_out(own_participant), EntryRefused)

    def test_while_the_directory_is_away_nothing_is_final(
        self,
        access_point: PublishesParticipants,
        own_participant: ParticipantId,
        away: Callable[[], None],
    ) -> None:
        types = self.types(access_point)
        assert access_point.publish(own_participant, types, CARD) == Listed()
        away()
        outcomes = (
            access_point.publish(own_participant, types, CARD),
            access_point.withdraw(own_participant),
            access_point.move_out(own_participant),
            access_point.move_in(own_participant, "Ab12#$cdEf34", types, CARD),
        )
        assert [type(outcome) for outcome in outcomes] == [NotYet] * 4
        with pytest.raises(DirectoryUnavailable):
            access_point.status(own_participant, types)
