"""The contract of an access point, as tests: inherit the class, supply two fixtures.

    class TestKsef(AccessPointContract):
        @pytest.fixture
        def access_point(self):
            return Ksef(base_url=..., token=...)

        @pytest.fixture
        def an_envelope(self):
            return partial(samples.envelope, receiver=...)  # fresh ids at each call

Three more fixtures widen it where they can be supplied: `refused_envelope`, `offline` and
`stranger`. A plugin that takes documents in keeps `InboundContract` too, which needs one fixture.
Only tests import this module; it needs pytest.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network import registry
from einvoice.network.reasons import REASONS
from einvoice.network.types import (
    AccessPoint,
    Busy,
    ClosedInbox,
    Delivered,
    DirectoryUnavailable,
    Duplicate,
    Envelope,
    Evidence,
    Found,
    Inbound,
    InboundVerdict,
    Inbox,
    NeverSeen,
    NotRegistered,
    NotSent,
    NotServiced,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    Repeat,
    Stored,
    Unknown,
)

MakeEnvelope = Callable[[], Envelope]
Exchange = tuple[Envelope, Prepared]


class AccessPointContract:
    """What every access point keeps to. `patience`: seconds a sample may take to its end."""

    patience = 30.0

    # -- what the author supplies ----------------------------------------------------------------

    @pytest.fixture
    def access_point(self) -> AccessPoint:
        """The access point, ready to send."""
        raise NotImplementedError("supply the fixture access_point")

    @pytest.fixture
    def an_envelope(self) -> MakeEnvelope:
        """A function that makes a fresh envelope, one the network takes and delivers."""
        raise NotImplementedError("supply the fixture an_envelope")

    @pytest.fixture
    def refused_envelope(self) -> Envelope | None:
        """An envelope the network refuses in its answer to the submit."""
        return None

    @pytest.fixture
    def offline(self) -> AccessPoint | None:
        """The same access point with nobody at the other end."""
        return None

    @pytest.fixture
    def stranger(self) -> ParticipantId | None:
        """A participant the directory does not know."""
        return None

    def wait_until(self, moment: datetime) -> None:
        """Let time pass. Override it where the tests own the clock."""
        time.sleep(max(0.0, (moment - clock.now()).total_seconds()))

    # -- what it is ------------------------------------------------------------------------------

    def test_it_is_an_access_point_the_registry_takes(self, access_point: AccessPoint) -> None:
        """Every operation is there, and name, environment and capabilities make sense."""
        assert isinstance(access_point, AccessPoint), "an operation is missing"
        assert list(registry.faults(access_point)) == []
        registry.AccessPoints([access_point])

    def test_it_serves_one_environment_only(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Test documents never reach a live network, nor the reverse."""
        assert isinstance(access_point.environment, Environment), "it names no environment"
        points, receiver = registry.AccessPoints([access_point]), an_envelope().receiver

        for environment in Environment:
            serving = points.serving(receiver, environment)
            expected = access_point if environment is access_point.environment else None
            assert serving is expected, f"{environment}: {serving!r} would serve {receiver}"

    def test_it_serves_the_receiver_of_its_samples(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """`serves` is a plain yes or no, and does not ask the network."""
        with _no_network():
            assert access_point.serves(an_envelope().receiver) is True

    # -- lookup ----------------------------------------------------------------------------------

    def test_lookup_tells_what_the_receiver_takes(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A registration lists typed document types, the sample's among them."""
        if not access_point.capabilities.needs_lookup:
            pytest.skip("this network has no lookup")
        envelope = an_envelope()
        registration = access_point.lookup(envelope.receiver)

        assert isinstance(registration, Registration), f"answered {registration!r}"
        assert all(isinstance(kind, DocumentTypeId) for kind in registration.document_types)
        assert envelope.document_type in registration.document_types

    def test_lookup_of_a_stranger_is_sure(
        self, access_point: AccessPoint, stranger: ParticipantId | None
    ) -> None:
        """Not registered is an answer, not an exception."""
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

        assert isinstance(prepared, Prepared), f"answered {prepared!r}"
        assert 0 < len(prepared.message_id) <= 255, "a message id has 1 to 255 characters"
        assert prepared.content is None or isinstance(prepared.content, bytes)
        assert _stored(prepared.state) == prepared.state, "state is text by text"

    def test_prepare_gives_one_message_id_for_all_attempts(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A crash before the commit repeats it; the network must recognise the message."""
        envelope = an_envelope()
        ids = {
            access_point.prepare(replace(envelope, attempt=attempt)).message_id
            for attempt in (1, 1, 2)
        }

        assert len(ids) == 1, f"message ids differ: {ids}"

    def test_prepare_gives_each_transmission_its_own_message_id(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Even where number and document are the same: a resend is another message."""
        envelope = an_envelope()
        resent = replace(envelope, transmission_id=an_envelope().transmission_id)

        assert access_point.prepare(envelope).message_id != access_point.prepare(resent).message_id

    # -- submit, poll ----------------------------------------------------------------------------

    def test_a_document_is_delivered_with_evidence(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The sample goes all the way, through states that were stored and read back."""
        exchange = prepared_exchange(access_point, an_envelope())
        outcome = self._end(access_point, exchange, access_point.submit(*exchange))

        assert isinstance(outcome, Delivered), f"ended as {outcome!r}"
        assert outcome.evidence, "a delivery without evidence proves nothing"

    def test_a_submit_keeps_to_its_time(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The lease of a job is made from `capabilities.timeout`.

        One of three tries is enough: a busy machine may hold up a process that keeps its time.
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
        """A worker may die between the answer and the commit: the same question, once more."""
        exchange = prepared_exchange(access_point, an_envelope())
        pending = access_point.submit(*exchange)
        if not isinstance(pending, Pending):
            pytest.skip("the sample is answered at once")
        self._wait_for(pending)
        first, second = (access_point.poll(exchange[0], stored(pending)) for _ in range(2))

        assert type(first) is type(second), f"{first!r}, then {second!r}"
        assert _evidence(first) == _evidence(second), "evidence differs between two polls"

    def test_later_evidence_leaves_the_delivery_as_it_is(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Polls of a follow-up answer Delivered or Pending."""
        exchange = prepared_exchange(access_point, an_envelope())
        outcome = self._end(access_point, exchange, access_point.submit(*exchange))
        if not isinstance(outcome, Delivered) or outcome.follow_up is None:
            pytest.skip("nothing follows the sample")
        self._wait_for(outcome.follow_up)

        later = access_point.poll(exchange[0], stored(outcome.follow_up))

        check_outcome(later)
        assert isinstance(later, Delivered | Pending), f"answered {later!r}"

    def test_a_refusal_says_why(
        self, access_point: AccessPoint, refused_envelope: Envelope | None
    ) -> None:
        """`errorCode` and words of the network's own, a reason code of our catalogue."""
        if refused_envelope is None:
            pytest.skip("the fixture refused_envelope is not supplied")
        outcome = access_point.submit(*prepared_exchange(access_point, refused_envelope))

        check_outcome(outcome)
        assert isinstance(outcome, Rejected), f"answered {outcome!r}"

    # -- many at once ----------------------------------------------------------------------------

    def test_a_batch_is_answered_one_by_one_and_in_order(
        self,
        access_point: AccessPoint,
        an_envelope: MakeEnvelope,
        refused_envelope: Envelope | None,
    ) -> None:
        """As many outcomes as envelopes; one that is refused stands where it was put."""
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

    def test_an_empty_batch_is_nothing(self, access_point: AccessPoint) -> None:
        """No outcome, no fault, and no request to anybody."""
        with _no_network():
            assert list(access_point.submit_many([])) == []

    def test_it_is_called_from_several_threads(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """Each submit gets its own outcome, as many at a time as it says it can bear."""
        at_once = min(access_point.capabilities.concurrency, 8)
        batch = [prepared_exchange(access_point, an_envelope()) for _ in range(3 * at_once)]
        with ThreadPoolExecutor(at_once) as threads:
            outcomes = list(threads.map(lambda exchange: access_point.submit(*exchange), batch))

        for outcome in outcomes:
            check_outcome(outcome)
            assert not isinstance(outcome, Rejected | NotSent), f"answered {outcome!r}"
        references = [outcome.reference for outcome in outcomes if isinstance(outcome, Pending)]
        assert len(set(references)) == len(references), "two messages share a reference"

    # -- after an unknown outcome ----------------------------------------------------------------

    def test_find_knows_what_was_submitted(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """The worst an access point can do is deny a message that it took."""
        if not access_point.capabilities.has_status:
            pytest.skip("this network cannot tell")
        exchange = prepared_exchange(access_point, an_envelope())
        access_point.submit(*exchange)

        found = access_point.find(*exchange)

        check_found(found)
        assert not isinstance(found, NeverSeen | Rejected), f"answered {found!r}"

    def test_find_does_not_invent_a_delivery(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """A message that was never submitted has no end; only a network where repeating is safe
        may take being asked for being given it."""
        found = access_point.find(*prepared_exchange(access_point, an_envelope()))
        may_be_taken_now = access_point.capabilities.repeat is Repeat.IDEMPOTENT

        check_found(found)
        assert not isinstance(found, Delivered | Rejected), f"answered {found!r}"
        assert may_be_taken_now or not isinstance(found, Pending), f"answered {found!r}"

    def test_a_repeat_is_recognised_where_it_is_promised(
        self, access_point: AccessPoint, an_envelope: MakeEnvelope
    ) -> None:
        """`repeat = IDEMPOTENT`: the second submit of the same bytes is not refused."""
        if access_point.capabilities.repeat is not Repeat.IDEMPOTENT:
            pytest.skip("this network does not recognise repeats")
        envelope, prepared = prepared_exchange(access_point, an_envelope())
        first = access_point.submit(envelope, prepared)
        second = access_point.submit(replace(envelope, attempt=2), prepared)

        check_outcome(second)
        assert not isinstance(second, Rejected | NotSent), f"{first!r}, then {second!r}"

    # -- nobody there ----------------------------------------------------------------------------

    def test_an_absent_network_refuses_nothing(
        self, offline: AccessPoint | None, an_envelope: MakeEnvelope
    ) -> None:
        """Nobody there is NotSent or Unknown: never a refusal, never a delivery."""
        if offline is None:
            pytest.skip("the fixture offline is not supplied")
        exchange = prepared_exchange(offline, an_envelope())

        assert isinstance(offline.submit(*exchange), NotSent | Unknown)
        assert isinstance(offline.find(*exchange), Unknown)

    def test_an_absent_directory_denies_nobody(
        self, offline: AccessPoint | None, an_envelope: MakeEnvelope
    ) -> None:
        """Silence must never be read as "not registered"."""
        if offline is None or not offline.capabilities.needs_lookup:
            pytest.skip("the fixture offline is not supplied, or there is no lookup")

        with pytest.raises(DirectoryUnavailable):
            offline.lookup(an_envelope().receiver)

    # --------------------------------------------------------------------------------------------

    def _end(self, access_point: AccessPoint, exchange: Exchange, outcome: Outcome) -> Outcome:
        """Poll, or find, as the service would, until there is an end or no patience."""
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


# -- documents that arrive -------------------------------------------------------------------------


class MemoryInbox(ClosedInbox):
    """An inbox that remembers while the test lasts, or answers (or raises) what it is told."""

    def __init__(self, always: InboundVerdict | Exception | None = None) -> None:
        self.always = always
        self.arrived: list[Inbound] = []
        self._first: dict[str, Inbound] = {}

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        self.arrived.append(inbound)
        if isinstance(self.always, Exception):
            raise self.always
        if self.always is not None:
            return self.always
        first = self._first.setdefault(inbound.instance_id, inbound)
        verdict = Stored if first is inbound else Duplicate
        return verdict(inbound.instance_id, first.receipt)


HandOver = Callable[[Inbox, str], bytes | None]


class InboundContract:
    """What every plugin keeps to that takes documents in."""

    @pytest.fixture
    def hand_over(self) -> HandOver:
        """Let the network hand over the message of this id, through the plugin, to the inbox.

        Returns what the network was answered; None where that was no acknowledgement.
        """
        raise NotImplementedError("supply the fixture hand_over")

    def test_a_message_is_handed_over_and_acknowledged(self, hand_over: HandOver) -> None:
        """The document as it came, with all that its envelope says."""
        inbox = MemoryInbox()
        answer = hand_over(inbox, "one")

        assert answer is not None, "what was stored is not acknowledged"
        assert len(inbox.arrived) == 1, f"handed over {len(inbox.arrived)} times"
        (inbound,) = inbox.arrived
        assert isinstance(inbound, Inbound)
        assert isinstance(inbound.document, bytes), "a document is bytes"
        assert isinstance(inbound.environment, Environment)
        assert isinstance(inbound.document_type, DocumentTypeId)
        assert isinstance(inbound.receiver, ParticipantId)
        assert inbound.access_point, "it does not say through which access point"

    def test_a_message_that_comes_again_is_the_same(self, hand_over: HandOver) -> None:
        """Its id is the sender's; ours would make two documents of one."""
        inbox = MemoryInbox()
        first, second = hand_over(inbox, "one"), hand_over(inbox, "one")

        assert len({inbound.instance_id for inbound in inbox.arrived}) == 1
        assert first == second, "the second answer is not the first one's receipt"

    def test_two_messages_are_two(self, hand_over: HandOver) -> None:
        inbox = MemoryInbox()
        for message in ("one", "other"):
            hand_over(inbox, message)

        assert len({inbound.instance_id for inbound in inbox.arrived}) == 2

    @pytest.mark.parametrize(
        "verdict",
        [NotServiced("nobody of this id"), Busy(), OSError("the disk is full")],
        ids=["not serviced", "busy", "raises"],
    )
    def test_what_is_not_stored_is_not_acknowledged(
        self, hand_over: HandOver, verdict: InboundVerdict | Exception
    ) -> None:
        """The sender forgets what was acknowledged."""
        assert hand_over(MemoryInbox(verdict), "one") is None


# --------------------------------------------------------------------------------------------------


def prepared_exchange(access_point: AccessPoint, envelope: Envelope) -> Exchange:
    """The envelope with what was prepared for it, as it comes back from the database."""
    prepared = access_point.prepare(envelope)
    return envelope, replace(prepared, state=_stored(prepared.state))


def stored(pending: Pending) -> Pending:
    """The same Pending after a way through the database; evidence is not part of that."""
    return replace(pending, state=_stored(pending.state), evidence=())


def check_outcome(outcome: Outcome) -> None:
    """One of the five, well formed."""
    assert isinstance(outcome, Delivered | Rejected | Pending | NotSent | Unknown), (
        f"{outcome!r} is none of the five outcomes"
    )
    for evidence in _evidence(outcome):
        assert isinstance(evidence, Evidence), f"{evidence!r} is no Evidence"
        assert isinstance(evidence.content, bytes), "evidence is bytes"
        assert evidence.content, "evidence is empty"
    for pending in _pendings(outcome):
        _check_pending(pending)
    if isinstance(outcome, Rejected):
        _check_refusal(outcome)
    if isinstance(outcome, NotSent | Unknown):
        assert outcome.reason, "no reason is given"


def check_found(found: Found) -> None:
    """An outcome, or NeverSeen; NotSent is no answer to `find`."""
    assert not isinstance(found, NotSent), "find answers NeverSeen, not NotSent"
    if not isinstance(found, NeverSeen):
        check_outcome(found)


def _check_pending(pending: Pending) -> None:
    assert pending.reference, "a Pending without reference cannot be asked about"
    for moment in (pending.next_poll_at, pending.deadline):
        assert moment is None or moment.utcoffset() is not None, "moments carry their zone"
    assert _stored(pending.state) == pending.state, "state is text by text"


def _check_refusal(refusal: Rejected) -> None:
    assert refusal.code, "a refusal has a code"
    assert refusal.reason, "a refusal has words"
    if refusal.reason_code is not None:
        assert refusal.reason_code in REASONS, f"{refusal.reason_code!r} is not in the catalogue"
    status = refusal.upstream_status
    assert status is None or 100 <= status <= 599, f"{status} is no HTTP status"


def _pendings(outcome: Outcome) -> Iterator[Pending]:
    if isinstance(outcome, Pending):
        yield outcome
    if isinstance(outcome, Delivered) and outcome.follow_up is not None:
        yield outcome.follow_up


def _evidence(outcome: Outcome) -> tuple[Evidence, ...]:
    return () if isinstance(outcome, NotSent | Unknown) else outcome.evidence


def _stored(state: Any) -> dict[str, str]:
    read = json.loads(json.dumps(dict(state)))
    return {str(name): str(value) for name, value in read.items()}


@contextmanager
def _no_network() -> Iterator[None]:
    """Any attempt to resolve a name or to connect fails the test."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the network was used")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket.socket, "connect_ex", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield
