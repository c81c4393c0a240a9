"""The access point of one Peppol network: lookup, sending, outcomes.

Documents of a batch are looked up side by side, and sent side by side over connections that are
kept: many documents for the customers of one receiving access point share a connection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from cryptography import x509

from einvoice import clock
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.reported_parties import is_reported_only
from einvoice.http import ConcurrentClient, HttpFault, Limits, Request, Response
from einvoice.network import reasons
from einvoice.network.messages import InvoiceAnswer, Outgoing, ReceivedOutcome, Step
from einvoice.network.sent_documents import (
    Amendment,
    PartyFault,
    SentDocument,
    SentOutcome,
)
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    DirectoryUnavailable,
    Envelope,
    ListedParticipant,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    Repeat,
)
from einvoice_peppol import (
    known,
    outcomes,
    responses,
    sending,
    statuses,
    tax_reports,
    trust,
)
from einvoice_peppol.as4.errors import FAILED_AUTHENTICATION, Refused
from einvoice_peppol.configuration import Network
from einvoice_peppol.exchanges import Exchanges
from einvoice_peppol.hosts import Hosts
from einvoice_peppol.identity import KeyUnavailable
from einvoice_peppol.outcomes import Sent
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.tax_authorities import REPORTED_TYPES, is_report

TIMEOUT_SECONDS: Final = 90.0
LOOKUP_SECONDS: Final = 20.0
SEND_SECONDS: Final = 60.0
# A receiver decrypts, unpacks, validates and stores before it answers: 29 MB took one 68 s.
SEND_SECONDS_PER_MEBIBYTE: Final = 3.0
LOOKUPS_AT_ONCE: Final = 8
BATCH: Final = 50
CONNECTIONS_PER_HOST: Final = 8
# For how long the answers after a first one are waited for, to be recorded and stored with it.
GATHER_SECONDS: Final = 0.05
# For how long the authority's answer to a report is waited for; then an operator decides.
ANSWER_TIME: Final = timedelta(days=3)
_LIMITS: Final = Limits(
    connect=10.0, read=SEND_SECONDS, total=SEND_SECONDS, answer_bytes=outcomes.MAX_ANSWER_BYTES
)

Exchange = tuple[Envelope, Prepared]
Group = list[tuple[int, Outcome]]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A document with its message and the receiver's endpoint."""

    position: int
    envelope: Envelope
    endpoint: Endpoint
    request: Request
    sent: Sent


class Peppol(AccessPointBase):
    """One network of Peppol, for the documents of one environment."""

    network = "peppol"
    capabilities = Capabilities(
        repeat=Repeat.IDEMPOTENT,  # receivers recognise the message id (AS4: duplicate detection)
        bulk=BATCH,
        timeout=TIMEOUT_SECONDS,
        timeout_per_mebibyte=SEND_SECONDS_PER_MEBIBYTE,
        formats=("ubl", "cii", "hybrid"),
    )

    def __init__(self, own: Network, exchanges: Exchanges | None = None) -> None:
        self.name = own.stage.name
        self.environment = own.stage.environment
        self._own = own
        self._exchanges = exchanges
        self._hosts = Hosts()
        self._http = ConcurrentClient(
            own.policy, limits=_LIMITS, per_host=CONNECTIONS_PER_HOST, ca_file=own.tls_roots
        )

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        if is_reported_only(participant):
            return Registration(REPORTED_TYPES)
        return self._own.directory.registration(participant)

    def registered_here(self, participant: ParticipantId) -> bool:
        """Whether the SMP of a participant names an access point of our seat for its invoices."""
        return self._own.directory.receiving_seat(participant) == self._own.seat

    def search_participants(
        self, name: str, country: str | None, limit: int
    ) -> Iterator[ListedParticipant]:
        """Participants by name, in the Peppol Directory. Raises DirectoryUnavailable."""
        if self._own.search is None:
            raise DirectoryUnavailable("this network has no directory by name")
        return self._own.search.participants(name, country, limit)

    def received_outcome(self, outcome: ReceivedOutcome) -> Iterable[Outgoing]:
        """The Message Level Status about a received document, if one is due."""
        [found] = self.received_outcomes([outcome])
        return found

    def received_outcomes(self, outcomes: Sequence[ReceivedOutcome]) -> list[Iterable[Outgoing]]:
        """`received_outcome` of several documents, whose exchanges are recorded together."""
        if self._exchanges is not None:
            self._exchanges.received([one for one in outcomes if one.step is Step.JUDGED])
        own = self._own
        return [
            [*statuses.answers(one, own), *tax_reports.of_received(one, own)] for one in outcomes
        ]

    def reports_received(self) -> bool:
        """Whether documents are reported to a tax authority."""
        return bool(self._own.authorities)

    def follows_sent(self, document: SentDocument) -> bool:
        """Whether a sent document may have to be reported to a tax authority."""
        return tax_reports.follows_sent(document, self._own)

    def sent_outcome(self, outcome: SentOutcome) -> Iterable[Outgoing]:
        """The tax data document about a sent document, if one is due."""
        return tax_reports.of_sent(outcome, self._own)

    def amended_report(
        self, about: SentOutcome | ReceivedOutcome, how: Amendment, number: int
    ) -> Outgoing:
        """The tax data document of a document again, or its withdrawal."""
        return tax_reports.amended(about, self._own, how, number)

    def party_faults(self, document: SentDocument) -> Iterable[PartyFault]:
        """Parties with other ids than those that their country prescribes."""
        return tax_reports.party_faults(document, self._own)

    def takes_responses(self, receiver: ParticipantId) -> bool:
        """Whether a participant is registered for Invoice Responses."""
        return responses.are_taken(receiver, self._own.directory)

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        """The Invoice Response of a tenant."""
        return responses.message(answer, statuses.country_of(self._own.identity))

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        return sending.prepared(envelope, self._own.seat, self._own.mls_type)

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        (outcome,) = self.submit_many([(envelope, prepared)])
        return outcome

    def submit_many(self, batch: Sequence[Exchange]) -> Sequence[Outcome]:
        found: dict[int, Outcome] = {}
        for group in self.submit_as_completed(batch):
            found.update(group)
        return [found[position] for position in range(len(batch))]

    def submit_as_completed(self, batch: Sequence[Exchange]) -> Iterator[Group]:
        """Submit a batch; each message is made while those before it are being sent.

        Documents without an endpoint come first, the others as they are answered. Messages that
        cannot be made, and answers after which the receiver is looked up again, come last, so that
        they hold back none.
        """
        if not batch:
            return
        end = clock.monotonic() + LOOKUP_SECONDS + SEND_SECONDS
        end += max(_more_seconds(envelope) for envelope, _ in batch)
        endpoints = self._endpoints(batch)
        unsent = [
            (place, found)
            for place, found in enumerate(endpoints)
            if not isinstance(found, Endpoint)
        ]
        if unsent:
            yield unsent
        attempts: list[_Attempt] = []
        unmade: Group = []
        requests = self._requests(batch, endpoints, attempts, unmade)
        left = max(0.0, end - clock.monotonic())
        doubtful: list[tuple[_Attempt, Response]] = []
        for group in self._http.send_all(requests, seconds=left, gather=GATHER_SECONDS):
            found: list[tuple[_Attempt, Outcome]] = []
            for place, result in group:
                outcome = self._noted(attempts[place], result)
                if isinstance(result, Response) and _is_doubtful(outcome, result):
                    doubtful.append((attempts[place], result))
                else:
                    found.append((attempts[place], outcome))
            self._record(found)
            if found:
                yield [(attempt.position, outcome) for attempt, outcome in found]
        if unmade:
            yield unmade
        for attempt, result in doubtful:
            changed = self._is_changed(attempt, end)
            yield [(attempt.position, self._outcome(attempt, result, is_changed=changed))]

    def _noted(self, attempt: _Attempt, result: Response | HttpFault) -> Outcome:
        """The outcome of an attempt, with what it says about the host noted."""
        outcome = self._outcome(attempt, result)
        if outcomes.is_silent(result, outcome):
            self._hosts.failed(attempt.endpoint.address)
        else:
            self._hosts.answered(attempt.endpoint.address)
        return outcome

    def _record(self, found: Sequence[tuple[_Attempt, Outcome]]) -> None:
        """Record what was delivered, for the monthly reports."""
        if self._exchanges is not None:
            self._exchanges.sent(
                (attempt.envelope, attempt.sent.message_id, attempt.endpoint.certificate)
                for attempt, outcome in found
                if isinstance(outcome, Delivered) or _has_receipt(attempt, outcome)
            )

    # -- before sending ----------------------------------------------------------------------------

    def _requests(
        self,
        batch: Sequence[Exchange],
        endpoints: Sequence[Endpoint | Outcome],
        attempts: list[_Attempt],
        unmade: Group,
    ) -> Iterator[Request]:
        """The messages of the documents that have an endpoint, each made when it is asked for.

        Each is added to `attempts`, or to `unmade` with its outcome if it cannot be made, or is not
        tried because its host does not answer.
        """
        for position, endpoint in enumerate(endpoints):
            if not isinstance(endpoint, Endpoint):
                continue
            seconds = SEND_SECONDS + _more_seconds(batch[position][0])
            wait_for = self._hosts.wait_for(endpoint.address, seconds)
            if wait_for is not None:
                unmade.append((position, outcomes.postponed(wait_for)))
                continue
            made = self._attempt(position, batch[position], endpoint)
            if isinstance(made, _Attempt):
                attempts.append(made)
                yield made.request
            else:
                unmade.append((position, made))

    def _endpoints(self, batch: Sequence[Exchange]) -> list[Endpoint | Outcome]:
        """Where each document is sent, or why not; looked up once for each receiver and type."""
        keys = [_key(envelope) for envelope, _ in batch]
        first = {
            key: envelope for key, (envelope, _) in reversed(list(zip(keys, batch, strict=True)))
        }
        if len(first) == 1:
            found = {keys[0]: self._endpoint(first[keys[0]])}
        else:
            found = self._side_by_side(first)
        return [found[key] for key in keys]

    def _side_by_side(self, wanted: dict[_Key, Envelope]) -> dict[_Key, Endpoint | Outcome]:
        pool = ThreadPoolExecutor(LOOKUPS_AT_ONCE, thread_name_prefix="peppol-lookup")
        running = {key: pool.submit(self._endpoint, one) for key, one in wanted.items()}
        wait(running.values(), timeout=LOOKUP_SECONDS)
        pool.shutdown(wait=False, cancel_futures=True)
        late = NotSent("the lookup of the receiver took too long", code="lookup")
        return {
            key: each.result() if each.done() and not each.cancelled() else late
            for key, each in running.items()
        }

    def _endpoint(self, envelope: Envelope) -> Endpoint | Outcome:
        if envelope.receiver is None:
            return _unknown_receiver("the receiver has no participant id")
        if is_reported_only(envelope.receiver):
            return tax_reports.without_receiver(envelope, self._own)
        try:
            found = self._own.directory.endpoint(
                envelope.receiver, envelope.document_type, envelope.process
            )
        except DirectoryUnavailable as fault:
            return NotSent(f"the receiver cannot be looked up: {fault}", code="lookup")
        match found:
            case NotRegistered() | NotOffered() if is_report(envelope.document_type):
                words = f"the tax authority {envelope.receiver} is not found as a receiver"
                return NotSent(words, code="lookup")
            case NotRegistered():
                return _absent(_not_registered(envelope.receiver, found), found.may_return)
            case NotOffered(reason):
                return _absent(reason, found.may_return)
            case _:
                return found

    def _attempt(self, position: int, exchange: Exchange, endpoint: Endpoint) -> _Attempt | NotSent:
        """The message of one document; one that cannot be made does not hold back the others."""
        envelope, prepared = exchange
        try:
            made = sending.message(envelope, prepared, self._own.identity, endpoint.certificate)
        except (KeyError, ValueError, KeyUnavailable) as fault:
            return NotSent(f"the message cannot be made: {fault}", code="message")
        headers = {"content-type": made.content.content_type}
        more = _more_seconds(envelope)
        request = Request("POST", endpoint.address, headers, made.content.body, more)
        sent = Sent(prepared.message_id, made.references, envelope.attempt)
        return _Attempt(position, envelope, endpoint, request, sent)

    # -- after sending -----------------------------------------------------------------------------

    def _outcome(
        self, attempt: _Attempt, result: Response | HttpFault, *, is_changed: bool = False
    ) -> Outcome:
        if isinstance(result, HttpFault):
            return outcomes.not_answered(result, attempt.sent.attempt)
        found = outcomes.of(
            result,
            attempt.sent,
            lambda signer: self._check(signer, attempt),
            is_changed=is_changed,
        )
        if isinstance(found, Delivered) and is_report(attempt.envelope.document_type):
            return _until_answered(attempt.envelope, found)
        return found

    def _is_changed(self, attempt: _Attempt, end: float) -> bool:
        """Whether a new lookup gives another endpoint than the one that refused the message.

        True also if there is no time left to look up: the document is then submitted again.
        """
        if clock.monotonic() >= end:
            return True
        if attempt.envelope.receiver is not None:
            self._own.directory.forget(attempt.envelope.receiver)
        found = self._endpoint(attempt.envelope)
        return isinstance(found, Endpoint) and found != attempt.endpoint

    def _check(self, signer: x509.Certificate, attempt: _Attempt) -> None:
        """Check that the receiving access point signed: with the certificate that the SMP names,
        or with a renewed one of the same seat and authority.
        """
        expected = attempt.endpoint.certificate
        if signer == expected:
            return
        if trust.seat_id(signer) != trust.seat_id(expected):
            raise Refused(FAILED_AUTHENTICATION, "another access point signed it")
        try:
            self._own.trust.check_access_point(signer, clock.now())
        except trust.Untrusted as fault:
            raise Refused(FAILED_AUTHENTICATION, str(fault)) from None


def _until_answered(report: Envelope, received: Delivered) -> Pending:
    """A report that the authority's access point has: open until its status comes."""
    deadline = clock.now() + ANSWER_TIME
    return Pending(report.instance_id, deadline=deadline, evidence=received.evidence)


def _has_receipt(attempt: _Attempt, outcome: Outcome) -> bool:
    """Whether it is a report that the authority's access point has, and has not answered."""
    is_open = isinstance(outcome, Pending) and outcome.reference == attempt.envelope.instance_id
    return is_open and is_report(attempt.envelope.document_type)


def _more_seconds(envelope: Envelope) -> float:
    """How much longer than SEND_SECONDS the receiver may take for a document of this size."""
    return SEND_SECONDS_PER_MEBIBYTE * len(envelope.document) / (1 << 20)


def _is_doubtful(outcome: Outcome, response: Response) -> bool:
    """Whether the receiver is looked up again before the refusal is final."""
    return isinstance(outcome, Rejected) and outcomes.may_be_outdated(response)


_Key = tuple[str, DocumentTypeId, ProcessId]


def _key(envelope: Envelope) -> _Key:
    receiver = envelope.receiver
    named = receiver.canonical if receiver is not None else ""
    return named, envelope.document_type, envelope.process


def _not_registered(receiver: ParticipantId, found: NotRegistered) -> str:
    words = "the receiver is not registered in Peppol"
    if found.registered_as is None:
        return words
    return f"{words} as {receiver}, but as {found.registered_as}: send it to that id"


def _absent(words: str, may_return: bool) -> Rejected | NotSent:
    if may_return:
        return NotSent(known.absent_words(words), code="lookup")
    return _unknown_receiver(words)


def _unknown_receiver(words: str) -> Rejected:
    reason = reasons.RECEIVER_UNKNOWN
    return Rejected("lookup", words, retryable=reason.retryable, reason_code=reason.code)
