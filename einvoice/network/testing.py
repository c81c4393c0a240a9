"""The contract of an access point, as tests: inherit the class and supply two fixtures.

    class TestKsef(AccessPointContract):
        @pytest.fixture
        def access_point(self):
            return Ksef(base_url=..., token=...)

        @pytest.fixture
        def an_envelope(self):
            return partial(samples.envelope, receiver=...)  # fresh ids at each call

Three optional fixtures enable further tests: `refused_envelope`, `offline` and `stranger`. A plugin
that searches participants also inherits `SearchContract`, one that receives documents
`InboundContract`: each needs one fixture more. Only tests import this module; it needs pytest.
"""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network import access_points
from einvoice.network.reasons import REASONS
from einvoice.network.types import (
    AccessPoint,
    Blocked,
    Busy,
    ClosedInbox,
    ConfirmsParticipants,
    Delivered,
    DirectoryUnavailable,
    Duplicate,
    Envelope,
    Evidence,
    Found,
    Inbound,
    InboundVerdict,
    Inbox,
    ListedParticipant,
    NetworkFinding,
    NeverSeen,
    NotRegistered,
    NotSent,
    NotServiced,
    Outcome,
    Pending,
    PollsMany,
    Prepared,
    Registration,
    Rejected,
    Repeat,
    SearchesParticipants,
    Stored,
    SubmitsAsCompleted,
    Unknown,
)

MakeEnvelope = Callable[[], Envelope]
Exchange = tuple[Envelope, Prepared]

_OTHER_RECEIVER = (
    "where the network has other participants, let the fixture an_envelope return "
    "lambda: samples.envelope(receiver=ParticipantId(…))"
)


class AccessPointContract:
    """The tests of every access point. `patience`: seconds until a sample must be delivered."""

    patience = 30.0

    # -- what the author supplies ----------------------------------------------------------------

    @pytest.fixture
    def access_point(self) -> AccessPoint:
        """The access point, ready to send."""
        raise NotImplementedError("supply the fixture access_point")

    @pytest.fixture
    def an_envelope(self) -> MakeEnvelope:
        """A function that makes a new envelope, which the network takes and delivers."""
        raise NotImplementedError("supply the fixture an_envelope")

    @pytest.fixture
    def refused_envelope(self) -> Envelope | None:
        """An envelope that the network refuses in its response to the submit."""
        return None

    @pytest.fixture
    def offline(self) -> AccessPoint | None:
        """The access point under test, with a network that cannot be reached."""
        return None

    @pytest.fixture
    def stranger(self) -> ParticipantId | None:
        """A participant that is not registered."""
        return None

    def wait_until(self, moment: datetime) -> None:
        """Sleep until then. Override it if the tests control the clock."""
        time.sleep(max(0.0, (moment - clock.now()).total_seconds()))

    # -- name, environment, capabilities ---------------------------------------------------------

    def test_it_is_an_access_point_the_registry_takes(self, access_point: AccessPoint) -> None:
        """Every operation exists; name, environment and capabilities are valid."""
        assert isinstance(access_point, AccessPoint), "an operation is missing"
        assert list(access_points.faults(access_point)) == []
        access_points.AccessPoints([access_point])

    def test_it_serves_one_environment_only(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Test documents never reach a live network, and live ones no test network."""
        assert isinstance(access_point.environment, Environment), "it has no environment"
        points = access_points.AccessPoints([access_point])
        receiver = _receiver(access_point, an_envelope())

        for environment in Environment:
            serving = points.serving(receiver, environment, access_point.network)
            expected = [access_point] if environment is access_point.environment else []
            assert serving == expected, (
                f"{environment}: {serving!r} would serve {receiver}: {_OTHER_RECEIVER}"
            )

    def test_it_serves_the_receiver_of_its_samples(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """`serves` returns a bool, and does not use the network."""
        receiver = _receiver(access_point, an_envelope())
        with _no_network():
            serves = access_point.serves(receiver)

        assert serves is True, f"serves({receiver}) is {serves!r}: {_OTHER_RECEIVER}"

    # -- lookup ----------------------------------------------------------------------------------

    def test_lookup_returns_what_the_receiver_takes(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A registration lists document type ids, including the sample's."""
        if not access_point.capabilities.needs_lookup:
            pytest.skip("this network has no lookup")
        envelope = an_envelope()
        registration = access_point.lookup(envelope.named_receiver)

        assert isinstance(registration, Registration), (
            f"lookup({envelope.receiver}) returned {registration!r}: {_OTHER_RECEIVER}"
        )
        assert all(isinstance(kind, DocumentTypeId) for kind in registration.document_types)
        registered = [str(kind) for kind in registration.document_types]
        assert envelope.document_type.registered_as(registered)

    def test_lookup_of_an_unregistered_participant_returns_not_registered(
        self, access_point: AccessPoint, stranger: ParticipantId | None
    ) -> None:
        """It is a result, not an exception."""
        if stranger is None:
            pytest.skip("the fixture stranger is not supplied")

        assert isinstance(access_point.lookup(stranger), NotRegistered)

    # -- prepare ---------------------------------------------------------------------------------

    def test_prepare_needs_no_network(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """It runs before anything is committed: nothing may leave the machine."""
        with _no_network():
            prepared = access_point.prepare(an_envelope())

        assert isinstance(prepared, Prepared), f"returned {prepared!r}"
        assert 0 < len(prepared.message_id) <= 255, "a message id has 1 to 255 characters"
        assert prepared.content is None or isinstance(prepared.content, bytes)
        assert _stored(prepared.state) == prepared.state, "state maps text to text"

    def test_prepare_gives_one_message_id_for_all_attempts(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A crash before the commit repeats the call; the network must recognise the message."""
        envelope = an_envelope()
        ids = {
            prepared_exchange(access_point, replace(envelope, attempt=attempt))[1].message_id
            for attempt in (1, 1, 2)
        }

        assert len(ids) == 1, f"message ids differ: {ids}"

    def test_prepare_gives_each_transmission_its_own_message_id(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Even with the same number and document: a resend is another message."""
        envelope = an_envelope()
        resent = replace(envelope, transmission_id=an_envelope().transmission_id)

        (_, first), (_, second) = (
            prepared_exchange(access_point, each) for each in (envelope, resent)
        )
        assert first.message_id != second.message_id

    # -- submit, poll ----------------------------------------------------------------------------

    def test_a_document_is_delivered_with_evidence(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The sample is delivered, with every state stored and read back in between."""
        exchange = prepared_exchange(access_point, an_envelope())
        outcome = self._end(access_point, exchange, access_point.submit(*exchange))

        assert isinstance(outcome, Delivered), f"ended as {outcome!r}"
        assert outcome.evidence, "a delivery without evidence proves nothing"

    def test_a_consumer_without_a_participant_id_is_reached(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The sample without receiver is delivered, where `reaches_without_id` promises it."""
        if not access_point.capabilities.reaches_without_id:
            pytest.skip("this network needs the participant id of a receiver")
        envelope = replace(an_envelope(), receiver=None)
        exchange = prepared_exchange(access_point, envelope)
        outcome = self._end(access_point, exchange, access_point.submit(*exchange))

        assert isinstance(outcome, Delivered), f"ended as {outcome!r}"

    def test_a_submit_takes_no_longer_than_its_timeout(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The lease of a job is derived from `capabilities.timeout`.

        One of three tries is enough, because the machine may be busy.
        """
        took: list[float] = []
        while len(took) < 3 and not any(t <= access_point.capabilities.timeout for t in took):
            exchange = prepared_exchange(access_point, an_envelope())
            begun = time.monotonic()
            check_outcome(access_point.submit(*exchange))
            took.append(time.monotonic() - begun)

        assert min(took) <= access_point.capabilities.timeout, f"took {min(took):.1f} s"

    def test_a_poll_can_be_repeated(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A worker may be killed between the response and the commit; the poll is repeated."""
        exchange = prepared_exchange(access_point, an_envelope())
        pending = access_point.submit(*exchange)
        if not isinstance(pending, Pending):
            pytest.skip("the sample has its outcome at once")
        self._wait_for(pending)
        first, second = (access_point.poll(exchange[0], stored(pending)) for _ in range(2))

        assert type(first) is type(second), f"{first!r}, then {second!r}"
        assert _evidence(first) == _evidence(second), "evidence differs between two polls"

    def test_later_evidence_does_not_change_the_delivery(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Polls of a follow-up return Delivered or Pending."""
        exchange = prepared_exchange(access_point, an_envelope())
        outcome = self._end(access_point, exchange, access_point.submit(*exchange))
        if not isinstance(outcome, Delivered) or outcome.follow_up is None:
            pytest.skip("the sample has no follow-up")
        self._wait_for(outcome.follow_up)

        later = access_point.poll(exchange[0], stored(outcome.follow_up))

        check_outcome(later)
        assert isinstance(later, Delivered | Pending), f"returned {later!r}"

    def test_a_refusal_has_a_code_and_a_reason(
        self, access_point: AccessPoint, refused_envelope: Envelope | None
    ) -> None:
        """The network's own code and words; a reason code, if any, is in the catalogue."""
        if refused_envelope is None:
            pytest.skip("the fixture refused_envelope is not supplied")
        outcome = access_point.submit(*prepared_exchange(access_point, refused_envelope))

        check_outcome(outcome)
        assert isinstance(outcome, Rejected), f"returned {outcome!r}"

    # -- batches and threads ---------------------------------------------------------------------

    def test_a_batch_has_one_outcome_for_each_document_in_order(
        self,
        access_point: AccessPoint,
        an_envelope: MakeEnvelope,
        refused_envelope: Envelope | None,
    ) -> None:
        """As many outcomes as envelopes; a refusal is at the position of its envelope."""
        envelopes = [an_envelope() for _ in range(min(access_point.capabilities.bulk, 10))]
        refused_at = len(envelopes) // 2
        if refused_envelope is not None:
            envelopes[refused_at] = refused_envelope
        batch = [prepared_exchange(access_point, envelope) for envelope in envelopes]

        outcomes = list(access_point.submit_many(batch))

        for outcome in outcomes:
            check_outcome(outcome)
        expected = [
            refused_envelope is not None and place == refused_at for place in range(len(batch))
        ]
        assert [isinstance(outcome, Rejected) for outcome in outcomes] == expected

    def test_the_outcomes_of_a_batch_may_come_in_groups(
        self,
        access_point: AccessPoint,
        an_envelope: MakeEnvelope,
        refused_envelope: Envelope | None,
    ) -> None:
        """Each position once, also of a batch as large as `capabilities.bulk`."""
        envelopes = [an_envelope() for _ in range(min(access_point.capabilities.bulk, 100))]
        if refused_envelope is not None:
            envelopes[0] = refused_envelope
        batch = [prepared_exchange(access_point, envelope) for envelope in envelopes]

        outcomes = dict(check_groups(submitted_in_groups(access_point, batch), len(batch)))

        refused = {place for place, one in outcomes.items() if isinstance(one, Rejected)}
        assert refused == (set() if refused_envelope is None else {0})

    def test_a_bulk_poll_has_one_outcome_for_each_document_in_order(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The outcomes of `poll`, for a batch as large as `capabilities.poll_bulk`."""
        if access_point.capabilities.poll_bulk == 1 or not isinstance(access_point, PollsMany):
            pytest.skip("this access point polls one by one")
        batch: list[tuple[Envelope, Pending]] = []
        for _ in range(min(access_point.capabilities.poll_bulk, 5)):
            exchange = prepared_exchange(access_point, an_envelope())
            outcome = access_point.submit(*exchange)
            if isinstance(outcome, Pending):
                batch.append((exchange[0], stored(outcome)))
        for _, pending in batch:
            self._wait_for(pending)

        outcomes = list(access_point.poll_many(batch))

        assert len(outcomes) == len(batch), f"{len(outcomes)} outcomes for {len(batch)} documents"
        for outcome, (envelope, pending) in zip(outcomes, batch, strict=True):
            check_outcome(outcome)
            alone = access_point.poll(envelope, pending)
            assert type(outcome) is type(alone), f"{outcome!r}, and alone {alone!r}"

    def test_an_empty_batch_has_no_outcomes(self, access_point: AccessPoint) -> None:
        """No exception, and no request to the network."""
        with _no_network():
            assert list(access_point.submit_many([])) == []
            assert check_groups(submitted_in_groups(access_point, []), 0) == []

    def test_it_can_be_called_from_several_threads(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Each submit gets its own outcome, with as many threads as `capabilities.concurrency`."""
        count = min(access_point.capabilities.concurrency, 8)
        batch = [prepared_exchange(access_point, an_envelope()) for _ in range(3 * count)]
        with ThreadPoolExecutor(count) as threads:
            outcomes = list(threads.map(lambda exchange: access_point.submit(*exchange), batch))

        for outcome in outcomes:
            check_outcome(outcome)
            assert not isinstance(outcome, Rejected | NotSent), f"returned {outcome!r}"
        references = [outcome.reference for outcome in outcomes if isinstance(outcome, Pending)]
        assert len(set(references)) == len(references), "two messages share a reference"

    # -- after an unknown outcome ----------------------------------------------------------------

    def test_find_knows_what_was_submitted(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """NeverSeen for a message that the network took would send the document twice."""
        if not access_point.capabilities.has_status:
            pytest.skip("this access point has no status query")
        exchange = prepared_exchange(access_point, an_envelope())
        access_point.submit(*exchange)

        found = access_point.find(*exchange)

        check_found(found)
        assert not isinstance(found, NeverSeen | Rejected), f"returned {found!r}"

    def test_find_does_not_report_an_outcome_of_what_was_never_submitted(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Only where repeating is safe may `find` itself submit the message, and return Pending."""
        found = access_point.find(*prepared_exchange(access_point, an_envelope()))
        may_be_taken_now = access_point.capabilities.repeat is Repeat.IDEMPOTENT

        check_found(found)
        assert not isinstance(found, Delivered | Rejected), f"returned {found!r}"
        assert may_be_taken_now or not isinstance(found, Pending), f"returned {found!r}"

    def test_a_repeat_is_recognised_if_it_is_declared_idempotent(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The second submit of the same bytes is not refused."""
        if access_point.capabilities.repeat is not Repeat.IDEMPOTENT:
            pytest.skip("this network does not recognise repeats")
        envelope, prepared = prepared_exchange(access_point, an_envelope())
        first = access_point.submit(envelope, prepared)
        second = access_point.submit(replace(envelope, attempt=2), prepared)

        check_outcome(second)
        assert not isinstance(second, Rejected | NotSent), f"{first!r}, then {second!r}"

    # -- network or directory unreachable --------------------------------------------------------

    def test_an_unreachable_network_refuses_nothing(
        self, offline: AccessPoint | None, an_envelope: MakeEnvelope
    ) -> None:
        """The outcome is NotSent or Unknown: never a refusal, never a delivery."""
        if offline is None:
            pytest.skip("the fixture offline is not supplied")
        exchange = prepared_exchange(offline, an_envelope())

        assert isinstance(offline.submit(*exchange), NotSent | Unknown)
        assert isinstance(offline.find(*exchange), Unknown)

    def test_an_unreachable_directory_is_unavailable(
        self, offline: AccessPoint | None, an_envelope: MakeEnvelope
    ) -> None:
        """No response never means "not registered"."""
        if offline is None or not offline.capabilities.needs_lookup:
            pytest.skip("the fixture offline is not supplied, or there is no lookup")

        with pytest.raises(DirectoryUnavailable):
            offline.lookup(an_envelope().named_receiver)

    # --------------------------------------------------------------------------------------------

    def _end(self, access_point: AccessPoint, exchange: Exchange, outcome: Outcome) -> Outcome:
        """Poll or find, as the service does, until the outcome is final or `patience` is over."""
        give_up = clock.now() + timedelta(seconds=self.patience)
        while clock.now() < give_up:
            check_outcome(outcome)
            if isinstance(outcome, Pending):
                self._wait_for(outcome)
                outcome = access_point.poll(exchange[0], stored(outcome))
            elif isinstance(outcome, Unknown) and access_point.capabilities.has_status:
                self.wait_until(clock.now() + timedelta(seconds=outcome.ask_after or 0.5))
                found = access_point.find(*exchange)
                outcome = NotSent("never seen") if isinstance(found, NeverSeen) else found
            else:
                return outcome
        return outcome

    def _wait_for(self, pending: Pending) -> None:
        if pending.next_poll_at is None:
            pytest.skip("the network pushes the outcome")
        self.wait_until(pending.next_poll_at)


# -- search ----------------------------------------------------------------------------------------


class SearchContract:
    """The tests of an access point that searches participants, for its class of tests."""

    @pytest.fixture
    def listed_name(self) -> str:
        """A part of the name of a participant that the search finds."""
        raise NotImplementedError("supply the fixture listed_name")

    @pytest.fixture
    def offline(self) -> SearchesParticipants | None:
        """The access point under test, with a network that cannot be reached."""
        return None

    def test_a_search_lists_participants_by_name(
        self, access_point: SearchesParticipants, listed_name: str
    ) -> None:
        """In any case, with well-formed ids and countries, and one more than wanted at most."""
        search, name = access_point.search_participants, listed_name
        found = list(search(name, None, 3))

        assert isinstance(access_point, SearchesParticipants), "an operation is missing"
        assert found, f"nothing is listed for {name!r}"
        assert len(found) <= 4, "one more than wanted says that there are more"
        for one in found:
            assert isinstance(one, ListedParticipant), f"listed {one!r}"
            assert isinstance(one.participant, ParticipantId), f"listed {one!r}"
            assert name.casefold() in one.name.casefold(), f"{one.name!r} for {name!r}"
            assert one.country is None or re.fullmatch("[A-Z]{2}", one.country), f"{one!r}"
        assert list(search(name.swapcase(), None, 3)) == found

    def test_a_search_keeps_to_the_country(
        self, access_point: SearchesParticipants, listed_name: str
    ) -> None:
        """A participant whose country is not known is not listed for a country."""
        search = access_point.search_participants
        known = {one.country for one in search(listed_name, None, 10)} - {None}

        for country in {*known, "ZZ"}:
            found = {one.country for one in search(listed_name, country, 10)}
            assert found == {country} & known, f"{found} for {country}"

    def test_a_search_of_an_unreachable_directory_is_unavailable(
        self, offline: SearchesParticipants | None, listed_name: str
    ) -> None:
        """No response never means that no participant is listed."""
        if offline is None:
            pytest.skip("the fixture offline is not supplied")

        with pytest.raises(DirectoryUnavailable):
            list(offline.search_participants(listed_name, None, 3))


# -- claims of participants ------------------------------------------------------------------------


class ConfirmsContract:
    """The tests of an access point that confirms claims of participants, for its class of tests."""

    @pytest.fixture
    def registered_participant(self) -> ParticipantId:
        """A participant whose registration names this access point."""
        raise NotImplementedError("supply the fixture registered_participant")

    @pytest.fixture
    def elsewhere(self) -> ParticipantId:
        """A participant that is registered with another access point."""
        raise NotImplementedError("supply the fixture elsewhere")

    @pytest.fixture
    def offline(self) -> ConfirmsParticipants | None:
        """The access point under test, with a network that cannot be reached."""
        return None

    def test_a_registration_with_this_access_point_is_confirmed(
        self, access_point: ConfirmsParticipants, registered_participant: ParticipantId
    ) -> None:
        """Any tenant that claims the participant gets it then."""
        assert isinstance(access_point, ConfirmsParticipants), "an operation is missing"
        assert access_point.registered_here(registered_participant) is True

    def test_a_registration_elsewhere_is_not_confirmed(
        self, access_point: ConfirmsParticipants, elsewhere: ParticipantId
    ) -> None:
        assert access_point.registered_here(elsewhere) is False

    def test_an_unregistered_participant_is_not_confirmed(
        self, access_point: ConfirmsParticipants
    ) -> None:
        unknown = ParticipantId("0088", "0000000000000")

        assert access_point.registered_here(unknown) is False

    def test_an_unreachable_register_is_unavailable(
        self, offline: ConfirmsParticipants | None, elsewhere: ParticipantId
    ) -> None:
        """No response never means that the participant is registered elsewhere."""
        if offline is None:
            pytest.skip("the fixture offline is not supplied")

        with pytest.raises(DirectoryUnavailable):
            offline.registered_here(elsewhere)


# -- received documents ----------------------------------------------------------------------------


class MemoryInbox(ClosedInbox):
    """An inbox in memory; with `always`, one that returns or raises that.

    As in the store, a message is known by its access point, instance id, sender and receiver.
    """

    def __init__(self, always: InboundVerdict | Exception | None = None) -> None:
        self.always = always
        self.arrived: list[Inbound] = []
        self._first: dict[tuple[str, str, str, str], Inbound] = {}

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        self.arrived.append(inbound)
        if isinstance(self.always, Exception):
            raise self.always
        if self.always is not None:
            return self.always
        first = self._first.setdefault(_identity(inbound), inbound)
        verdict = Stored if first is inbound else Duplicate
        return verdict(inbound.instance_id, first.receipt)


def _identity(inbound: Inbound) -> tuple[str, str, str, str]:
    parties = (inbound.sender.canonical, inbound.receiver.canonical)
    return (inbound.access_point, inbound.instance_id, *parties)


HandOver = Callable[[Inbox, str], bytes | None]


class InboundContract:
    """The tests of every plugin that receives documents."""

    @pytest.fixture
    def hand_over(self) -> HandOver:
        """A function that lets the network send the message of this id to the plugin.

        The plugin passes it to the inbox. The function returns the response to the network, or
        None if that was not an acknowledgement.
        """
        raise NotImplementedError("supply the fixture hand_over")

    def test_a_message_is_handed_over_and_acknowledged(self, hand_over: HandOver) -> None:
        """The unchanged document, with everything that its envelope says."""
        inbox = MemoryInbox()
        response = hand_over(inbox, "one")

        assert response is not None, "a stored document is not acknowledged"
        assert len(inbox.arrived) == 1, f"handed over {len(inbox.arrived)} times"
        (inbound,) = inbox.arrived
        assert isinstance(inbound, Inbound)
        assert isinstance(inbound.document, bytes), "a document must be bytes"
        assert isinstance(inbound.environment, Environment)
        assert isinstance(inbound.document_type, DocumentTypeId)
        assert isinstance(inbound.receiver, ParticipantId)
        assert inbound.access_point, "it does not name its access point"

    def test_a_repeated_message_has_the_same_id_and_receipt(self, hand_over: HandOver) -> None:
        """The id must be the sender's: an id of our own would store the document twice."""
        inbox = MemoryInbox()
        first, second = hand_over(inbox, "one"), hand_over(inbox, "one")

        assert len({inbound.instance_id for inbound in inbox.arrived}) == 1
        assert first == second, "the second response differs from the receipt of the first"

    def test_two_messages_have_different_ids(self, hand_over: HandOver) -> None:
        inbox = MemoryInbox()
        for message in ("one", "other"):
            hand_over(inbox, message)

        assert len({inbound.instance_id for inbound in inbox.arrived}) == 2

    @pytest.mark.parametrize(
        "verdict",
        [NotServiced("unknown receiver"), Busy(), OSError("the disk is full")],
        ids=["not serviced", "busy", "raises"],
    )
    def test_what_is_not_stored_is_not_acknowledged(
        self, hand_over: HandOver, verdict: InboundVerdict | Exception
    ) -> None:
        """After an acknowledgement the sender would not send it again."""
        assert hand_over(MemoryInbox(verdict), "one") is None


# --------------------------------------------------------------------------------------------------


def prepared_exchange(access_point: AccessPoint, envelope: Envelope) -> Exchange:
    """The envelope and what was prepared for it, as read back from the database."""
    prepared = access_point.prepare(envelope)
    assert isinstance(prepared, Prepared), f"prepare returned {prepared!r}"
    return envelope, replace(prepared, state=_stored(prepared.state))


def stored(pending: Pending) -> Pending:
    """The Pending as read back from the database, which holds no evidence."""
    return replace(pending, state=_stored(pending.state), evidence=())


def check_outcome(outcome: Outcome) -> None:
    """Assert that it is one of the five outcomes, and well formed."""
    assert isinstance(outcome, Delivered | Rejected | Pending | NotSent | Unknown), (
        f"{outcome!r} is not one of the five outcomes"
    )
    for evidence in _evidence(outcome):
        assert isinstance(evidence, Evidence), f"{evidence!r} is not an Evidence"
        assert isinstance(evidence.content, bytes), "evidence must be bytes"
        assert evidence.content, "evidence is empty"
    for pending in _pendings(outcome):
        _check_pending(pending)
    if isinstance(outcome, Rejected):
        _check_refusal(outcome)
    if isinstance(outcome, NotSent | Unknown):
        assert outcome.reason, "it has no reason"


Groups = Iterable[Sequence[tuple[int, Outcome]]]


def submitted_in_groups(access_point: AccessPoint, batch: Sequence[Exchange]) -> Groups:
    """The outcomes of a batch as the service takes them: groups of (position, outcome)."""
    if isinstance(access_point, SubmitsAsCompleted):
        return access_point.submit_as_completed(batch)
    return [list(enumerate(access_point.submit_many(batch)))]


def check_groups(groups: Groups, count: int) -> list[tuple[int, Outcome]]:
    """Assert that every position of the batch has one outcome, and each is well formed."""
    outcomes = [outcome for group in groups for outcome in group]
    for _, outcome in outcomes:
        check_outcome(outcome)
    assert sorted(place for place, _ in outcomes) == list(range(count)), (
        f"positions {sorted(place for place, _ in outcomes)} of a batch of {count}"
    )
    return outcomes


def check_found(found: Found) -> None:
    """Assert that `find` may return it: an outcome except NotSent, or NeverSeen."""
    assert not isinstance(found, NotSent), "find must return NeverSeen, not NotSent"
    if not isinstance(found, NeverSeen):
        check_outcome(found)


def _check_pending(pending: Pending) -> None:
    assert pending.reference, "a Pending must have a reference"
    for moment in (pending.next_poll_at, pending.deadline):
        assert moment is None or moment.utcoffset() is not None, "a moment must have a time zone"
    assert _stored(pending.state) == pending.state, "state maps text to text"


def _check_refusal(refusal: Rejected) -> None:
    assert refusal.code, "a refusal must have a code"
    assert refusal.reason, "a refusal must have a reason"
    if refusal.reason_code is not None:
        assert refusal.reason_code in REASONS, f"{refusal.reason_code!r} is not in the catalogue"
    status = refusal.upstream_status
    assert status is None or 100 <= status <= 599, f"{status} is not an HTTP status"
    for finding in refusal.findings:
        assert isinstance(finding, NetworkFinding), f"{finding!r} is not a NetworkFinding"
        assert finding.text, "a finding must have the text of the network"


def _pendings(outcome: Outcome) -> Iterator[Pending]:
    if isinstance(outcome, Pending):
        yield outcome
    if isinstance(outcome, Delivered) and outcome.follow_up is not None:
        yield outcome.follow_up


def _evidence(outcome: Outcome) -> tuple[Evidence, ...]:
    return () if isinstance(outcome, NotSent | Blocked | Unknown) else outcome.evidence


def _stored(state: Any) -> dict[str, str]:
    read = json.loads(json.dumps(dict(state)))
    return {str(name): str(value) for name, value in read.items()}


def _receiver(access_point: AccessPoint, envelope: Envelope) -> ParticipantId:
    """The receiver; skips the test of a network that has no participant ids at all."""
    if access_point.capabilities.reaches_without_id and envelope.receiver is None:
        pytest.skip("no participant id is of this network")
    return envelope.named_receiver


@contextmanager
def _no_network() -> Iterator[None]:
    """Fail the test if it resolves a name or connects."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the network was used")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield
