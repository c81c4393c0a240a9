"""The types exchanged between the service and an access point: envelopes in, outcomes out.

Everything is a frozen value. An operation returns one of several types, so that the type checker
finds a forgotten case. An uncaught exception counts as Unknown: never as a failure, and the
document is not sent again unless that is safe.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Protocol, runtime_checkable

from einvoice.domain.artefacts import RECEIPT, ArtefactKind
from einvoice.domain.buyers import Buyer
from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.responses import ReceiverResponse as ReceiverResponse
from einvoice.domain.responses import ResponseStatus as ResponseStatus
from einvoice.mail.invoice_mails import InvoiceMail
from einvoice.network.messages import Outgoing

# Since interface 1.
INTERFACE_VERSION = 2
# Plugins of interface 1 are never given an envelope without a receiver.
# Since interface 2.
SUPPORTED_INTERFACES = (1, 2)


# -- what an access point receives ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Envelope:
    """A document to transmit, with everything that a network needs to know about it.

    `transmission_id` is the same in all attempts and never used again: derive message ids from it.
    `attempt` counts from 1.

    receiver          None if the receiver has no participant id, which only a network with
                      `Capabilities.reaches_without_id` is given
    receiver_country  the country of the party who receives
    buyer             who the document names as buyer; of a message without an invoice it is empty
    profile           the name of the profile that the document follows; empty for such a message
    accepted_at       when the service accepted the document: it was not submitted before. None only
                      in tests of plugins
    receiver_email    the address of the receiver, for a network of `Capabilities.by_email`
    mail              what its mail to the receiver says; in `prepare` of such a network only
    source            the invoice as UBL, where `document` is another form of it; None otherwise,
                      and of an invoice in the archive

    Since interface 1; `accepted_at`, `buyer`, `mail`, `named_receiver`, `profile`,
    `receiver_email`, `source`: interface 2.
    """

    transmission_id: str
    invoice_id: str
    tenant_id: str
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId | None
    sender_country: str | None
    receiver_country: str | None
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes
    number: str
    instance_id: str
    buyer: Buyer
    profile: str
    attempt: int = 1
    correlation_id: str | None = None
    accepted_at: datetime | None = None
    source: bytes | None = field(default=None, repr=False)
    receiver_email: str | None = None
    mail: InvoiceMail | None = field(default=None, repr=False)

    @property
    def named_receiver(self) -> ParticipantId:
        """The receiver, for networks that need one. Raises ValueError without one."""
        if self.receiver is None:
            raise ValueError("the receiver has no participant id")
        return self.receiver


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """The state of a connection after a document was prepared: it replaces the stored one.

    Since interface 2.
    """

    connection_id: str
    values: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The bytes to submit, stored before the first attempt. Retries submit exactly these.

    content           None: the envelope's document unchanged, which saves a copy in the database
    connection_state  stored together with the bytes, or neither is; the next document of the
                      connection is prepared with it

    Since interface 1; `connection_state`: interface 2.
    """

    message_id: str
    content: bytes | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    connection_state: ConnectionState | None = None


# -- outcomes of submit, poll and find -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """A proof, stored as an artefact. It may also arrive after the final status.

    Since interface 1; `response`: interface 2.
    """

    kind: ArtefactKind
    content: bytes
    content_type: str | None = None
    authority_reference: str | None = None
    legal_original: bool = False
    retention_years: int | None = None
    # For INVOICE_RESPONSE and MLS: the code and reasons in the event invoice.responded.
    response_code: str | None = None
    reasons: tuple[str, ...] = ()
    # What the receiver said, where the code does not tell it all, or the network has no codes.
    response: ReceiverResponse | None = None


def receipt(content: bytes, content_type: str = "application/xml") -> Evidence:
    """The usual evidence of a delivery.

    Since interface 1.
    """
    return Evidence(RECEIPT, content, content_type)


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver's side has the document: final. At least one evidence is expected.

    `follow_up` announces evidence that comes later (an Invoice Response, an MLS, a sealed
    original). It is polled like any Pending, but the status stays Delivered. Its polls return
    Delivered with the new evidence (and a further `follow_up` while more is expected) or Pending.
    After NotSent, Unknown or an exception it is polled again later; Rejected ends the polling and
    is logged as a fault of the access point.

    `means` says who has this document, where that is not `Capabilities.delivered_means`.
    `warnings` are shown with the document; those of a later answer are not.

    Since interface 1; `means`, `warnings`: interface 2.
    """

    evidence: tuple[Evidence, ...] = ()
    follow_up: Pending | None = None
    means: DeliveredMeans | None = None
    warnings: tuple[NetworkFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class NetworkFinding:
    """An error that the network names for a refusal, or a warning with which it takes a document.

    text    the network's own words
    rule    the id of the rule, if it names one: those of EN 16931 and of installed rule sets are
            shown in the language of the reader
    place   path of the element in the document that was sent: `/Invoice[1]/cbc:ID[1]`
    field   the field of a send (`invoice.buyer.taxId`), where neither rule nor place lead to it
    advice  what to do, where the rule has no advice

    Since interface 2.
    """

    text: str
    rule: str = ""
    place: str = ""
    field: str | None = None
    advice: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The network will never deliver this document: final, whatever the upstream status.

    `code` is the network's own code (`errorCode`), `upstream_status` its HTTP status if there is
    one. `retryable` means that sending the document again later may succeed (decisions 19.9).
    `reason_code` is one of the catalogue in `reasons`. `findings` are the errors one by one, of
    which the first 100 are kept.

    Since interface 1; `findings`: interface 2.
    """

    code: str
    reason: str
    upstream_status: int | None = None
    retryable: bool = False
    reason_code: str | None = None
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[NetworkFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """The network has the document and the outcome is open: poll at `next_poll_at`.

    `next_poll_at` None: the outcome is pushed. After `deadline` the transmission needs an operator.
    `state` is stored and passed to the next poll, which may run in another process.
    `untaken`: why the network has not taken the document yet, where it only has it. People see it,
    and after an hour the tenant gets the event `transaction.delayed`.

    Since interface 1; `untaken`: interface 2.
    """

    reference: str
    next_poll_at: datetime | None = None
    deadline: datetime | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    untaken: str | None = None


@dataclass(frozen=True, slots=True)
class NotSent:
    """Certainly nothing reached the network: submit again, after `retry_after` seconds if given.

    `evidence` is stored although the document waits: what it is handed out with meanwhile.
    `retry_until`: the document is submitted again until then, if that is later than usual, and at
    most 30 days after it was accepted; for documents that a law lets wait.
    `due_by`: when a law wants the document handed over. The tenant gets it with the event of a
    document that waits (`transaction.delayed`).

    Since interface 1; `evidence`, `retry_until`, `due_by`: interface 2.
    """

    reason: str
    retry_after: float | None = None
    code: str = "not-sent"
    evidence: tuple[Evidence, ...] = ()
    retry_until: datetime | None = None
    due_by: datetime | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    """The tenant's account cannot be used until somebody at the tenant acts. Nothing was sent.

    The documents of the connection wait, and their time does not count, until a check of the
    connection succeeds. Without a connection it counts as NotSent.

    Since interface 2.
    """

    reason: str
    code: str = "connection-blocked"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Bytes may have reached the network, and there was no response.

    `ask_after`: seconds until `find` is likely to know, for access points with `has_status`.
    `evidence` is stored, and `retry_until` and `due_by` count, as in NotSent.

    Since interface 1; `evidence`, `retry_until`, `due_by`: interface 2.
    """

    reason: str
    ask_after: float | None = None
    evidence: tuple[Evidence, ...] = ()
    retry_until: datetime | None = None
    due_by: datetime | None = None


@dataclass(frozen=True, slots=True)
class NeverSeen:
    """Result of `find` only: the network is certain that it never got this message.

    Since interface 1.
    """


# Since interface 1.
Outcome = Delivered | Rejected | Pending | NotSent | Blocked | Unknown
# Since interface 1.
Found = Delivered | Rejected | Pending | NeverSeen | Blocked | Unknown


# -- lookup --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Registration:
    """A participant that the network can reach, and the documents it takes.

    endpoint                address of the access point that receives them
    certificate_subject     the subject of its certificate, for example `CN=POP000001,O=…,C=BE`
    certificate_expires_at  when that certificate expires

    Since interface 1.
    """

    document_types: tuple[DocumentTypeId, ...]
    endpoint: str | None = None
    certificate_subject: str | None = None
    certificate_expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """The directory is certain that it has no participant with this id.

    registered_as  another id of the same company, with which it is registered
    may_return     it was registered a short time ago: documents for it are tried again

    Since interface 1; `may_return`, `registered_as`: interface 2.
    """

    registered_as: ParticipantId | None = None
    may_return: bool = False


class DirectoryUnavailable(Exception):
    """The directory does not answer now. This never means "not registered".

    Since interface 1.
    """


# -- the access point ----------------------------------------------------------------------------


class Repeat(StrEnum):
    """The effect of a second, byte-identical submit at this network.

    Since interface 1.
    """

    IDEMPOTENT = "idempotent"  # recognised there: repeating an unknown outcome is safe
    NEVER = "never"  # could deliver twice: unknown outcomes wait for find() or an operator


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities on which the service relies. Shown by `einvoice plugins`.

    has_status   `find` knows what became of a message
    concurrency  submits that may run at once in one worker
    bulk         envelopes per `submit_many`; 1 = submit one by one
    poll_bulk    documents per `poll_many`; 1 = poll one by one
    timeout      seconds one submit may take at most; the lease is derived from it
    timeout_per_mebibyte  further seconds for each MiB of the largest document of a submit
    needs_lookup a send needs an accessPointRef of an earlier lookup
    reaches_without_id  receivers need no participant id: consumers, or buyers that are known by
                 their tax number only (interface 2)
    named_only   it carries documents only where the send names the network or the access point
    by_email     the receiver is an e-mail address: routing.email, else the buyer's e-mail
    formats      document syntaxes the network takes: ubl, cii, or formats of its profiles; hybrid:
                 also PDFs with the invoice attached, for receivers that list their document type
    max_bytes    the largest document, before `prepare`; a larger one is refused at the send and
                 never submitted. None: no limit
    delivered_means  who has a document that is Delivered: the receiver, the receiver's platform, or
                 an authority only. Shown to senders and buyers
    clearance    whether the network has to clear an invoice before it is handed out. MARKED: until
                 then its PDF says so; WITHHELD: until then there is no PDF. No PDF is embedded in
                 the documents of such a network
    reserved     participants that exist here only (a sandbox's magic ones): no other access
                 point is asked about them, and live keys may not send to them (decisions 14)

    Since interface 1; `by_email`, `clearance`, `delivered_means`, `named_only`, `poll_bulk`,
    `reaches_without_id`, `timeout_of`, `timeout_per_mebibyte`: interface 2.
    """

    has_status: bool = False
    repeat: Repeat = Repeat.NEVER
    concurrency: int = 1
    bulk: int = 1
    timeout: float = 60.0
    formats: tuple[str, ...] = ("ubl",)
    max_bytes: int | None = None
    needs_lookup: bool = True
    reaches_without_id: bool = False
    reserved: frozenset[ParticipantId] = frozenset()
    delivered_means: DeliveredMeans = DeliveredMeans.RECEIVER
    clearance: Clearance = Clearance.NONE
    poll_bulk: int = 1
    named_only: bool = False
    timeout_per_mebibyte: float = 0.0
    by_email: bool = False

    def timeout_of(self, size: int) -> float:
        """Seconds that one submit of documents of up to `size` bytes may take."""
        return self.timeout + self.timeout_per_mebibyte * size / (1 << 20)


@runtime_checkable
class AccessPoint(Protocol):
    """The connection to one network in one environment. Called from several threads at once.

    No operation is called inside a database transaction.

    Since interface 1.
    """

    name: str  # unique, for example "peppol-test"; stored with each transmission
    network: str  # "peppol", "ro-efactura", "ksef", "zatca", "fr-ctc", "simulator"
    environment: Environment
    capabilities: Capabilities

    def serves(self, participant: ParticipantId) -> bool:
        """Whether this access point can reach the participant. Does not use the network.

        Of several networks that serve one, the sender chooses (decisions 20.13). Simulators are
        used for participants that no other serves, and for those they reserve.
        """
        ...

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        """Query the directory. Raises DirectoryUnavailable when it does not answer."""
        ...

    def prepare(self, envelope: Envelope) -> Prepared | Rejected | NotSent | Blocked:
        """Make the bytes to submit. Does not use the network.

        The same envelope gives the same message id: a crash before the commit repeats the call.
        Rejected: no such message can be made of the document, which is final. NotSent: not yet, so
        it is called again; an exception counts as that.
        """
        ...

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        """Submit the document. An exception counts as Unknown."""
        ...

    def submit_many(self, batch: Sequence[tuple[Envelope, Prepared]]) -> Sequence[Outcome]:
        """Submit up to `capabilities.bulk` documents; one outcome for each, in order."""
        ...

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        """Query the outcome of a Pending document. NotSent or an exception: it is polled again."""
        ...

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        """Query what the network knows of a message whose outcome is unknown.

        Called only if `capabilities.has_status`.
        """
        ...


@runtime_checkable
class BatchesByKey(Protocol):
    """An access point whose network takes only documents of one kind together.

    Since interface 2.
    """

    def batch_key(self, envelope: Envelope) -> str | None:
        """Documents with different keys are not in one `submit_many`. Does not use the network."""
        ...


@runtime_checkable
class PollsMany(Protocol):
    """An access point that queries the outcomes of many Pending documents with one call.

    It is used in place of `poll` if `capabilities.poll_bulk` is more than 1.

    Since interface 2.
    """

    def poll_many(self, batch: Sequence[tuple[Envelope, Pending]]) -> Sequence[Outcome]:
        """Query up to `capabilities.poll_bulk` documents; one outcome for each, in order.

        It has `capabilities.timeout` for all. After an exception each is polled again later.
        """
        ...


@dataclass(frozen=True, slots=True)
class SentDocument:
    """A document that a network got from this service, as it lists it.

    reference  that of its Pending, that of its evidence (`authority_reference`), or the
               transmission id
    receiver   as the network names it, where it does

    Since interface 2.
    """

    reference: str
    receiver: str | None = None


@runtime_checkable
class ListsSent(Protocol):
    """An access point whose network lists the documents that it got.

    Since interface 2.
    """

    def sent_since(self, moment: datetime) -> Iterable[SentDocument]:
        """The documents that the network has got since the moment, with others or without.

        It is called by an operator's command, after a restore of the database; of an access point
        that sends by connections, on what `bound` returns. Raises an exception if the network does
        not list all of them now; its text is shown.
        """
        ...


@runtime_checkable
class SubmitsAsCompleted(Protocol):
    """An access point that returns the outcomes of a batch as they become known.

    It is used in place of `submit_many`: a slow document does not hold back the outcomes of the
    others.

    Since interface 1.
    """

    def submit_as_completed(
        self, batch: Sequence[tuple[Envelope, Prepared]]
    ) -> Iterable[Sequence[tuple[int, Outcome]]]:
        """Submit up to `capabilities.bulk` documents; groups of (position in the batch, outcome).

        Each group is stored in one commit before the next one is taken. What has no outcome at the
        end, or at an exception, is Unknown; of two outcomes for a position the first counts.
        """
        ...


@dataclass(frozen=True, slots=True)
class ListedParticipant:
    """A participant as a network's directory lists it; `country` is ISO 3166-1 alpha-2.

    Since interface 1.
    """

    participant: ParticipantId
    name: str
    country: str | None = None


@runtime_checkable
class SearchesParticipants(Protocol):
    """An access point whose network has a directory that can be searched by name.

    Since interface 1.
    """

    def search_participants(
        self, name: str, country: str | None, limit: int
    ) -> Iterable[ListedParticipant]:
        """Participants with this text in their name, in any case; the best ones first.

        country  only participants of this country; None: of any
        limit    how many are shown; one more says that there are more, further ones are not taken

        Called in a web process, in a thread that is given up after five seconds. Raises
        DirectoryUnavailable.
        """
        ...


@runtime_checkable
class ConfirmsParticipants(AccessPoint, Protocol):
    """An access point that can see by whom a participant is registered in its network.

    Since interface 1.
    """

    def registered_here(self, participant: ParticipantId) -> bool:
        """Whether the participant's own registration names this access point.

        True verifies the claim of a tenant to the participant id (decisions 20.1): say it only for
        what the participant, or its register, has published itself. Uses the network, in a worker,
        in a thread that is given up after ten seconds. Raises DirectoryUnavailable.
        """
        ...


@runtime_checkable
class Advanceable(Protocol):
    """A simulator whose Pending outcomes can be advanced by a person (decisions 14).

    Since interface 1.
    """

    def advance(self, envelope: Envelope, pending: Pending) -> Pending:
        """The Pending to store instead, due now; its next poll returns the next step.

        Pure, called in a web process. The worker that polls sees only its `state`.
        """
        ...


@runtime_checkable
class SimulatesTime(Protocol):
    """A simulator whose times the test clock of a sandbox pulls nearer.

    Since interface 2.
    """

    def earlier(self, state: Mapping[str, str], by: timedelta) -> Mapping[str, str]:
        """The state of a Prepared or Pending, with its times so much earlier. Pure."""
        ...


@runtime_checkable
class SimulatesArrivals(Protocol):
    """A simulator whose network hands over documents that a tenant of the sandbox gives it.

    Since interface 2.
    """

    def handed_over(self, inbound: Inbound) -> Inbound:
        """The message as the network delivers it: with the name of the access point and its
        receipt. Pure, called in a web process."""
        ...


class AccessPointBase:
    """Defaults for the optional operations. Inheriting from it is optional.

    Since interface 1; `poll_many`: interface 2.
    """

    capabilities = Capabilities()

    def serves(self, participant: ParticipantId) -> bool:
        return True

    def prepare(self, envelope: Envelope) -> Prepared:
        return Prepared(message_id=f"{envelope.transmission_id}@einvoice")

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        raise NotImplementedError

    def submit_many(self, batch: Sequence[tuple[Envelope, Prepared]]) -> Sequence[Outcome]:
        return [self.submit(envelope, prepared) for envelope, prepared in batch]

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return pending

    def poll_many(self, batch: Sequence[tuple[Envelope, Pending]]) -> Sequence[Outcome]:
        return [self.poll(envelope, pending) for envelope, pending in batch]

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return Unknown("this access point cannot query messages")


# -- inbound -------------------------------------------------------------------------------------

# Since interface 1.
MAX_INSTANCE_ID_LENGTH = 255
# Since interface 1.
MAX_STATE_LENGTH = 16_000  # characters of names and values of Inbound.state


@dataclass(frozen=True, slots=True)
class Inbound:
    """A document received from a network.

    access_point  name of the access point that received it
    instance_id   the sender's unique id of the message; a second one with the same access point,
                  sender, receiver, id and bytes of the document is a Duplicate. Another document
                  under a used id is stored, with a warning
    receipt       the bytes of the response to the network, stored to answer a repeat the same way
    state         what the access point needs to answer the network later; it is passed to
                  `received_outcome` (network/messages)
    in_reply_to   for simulators: the transmission that caused the document. If no tenant owns the
                  receiver, which the sandbox does not require, its sender gets the document

    Since interface 1.
    """

    access_point: str
    instance_id: str
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes
    receipt: bytes | None = None
    receipt_type: str = "application/xml"
    in_reply_to: str | None = None
    state: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (
            0 < len(self.instance_id) <= MAX_INSTANCE_ID_LENGTH and self.instance_id.isprintable()
        ):
            raise ValueError(
                f"an instance id has 1 to {MAX_INSTANCE_ID_LENGTH} printable characters"
            )
        if sum(len(name) + len(value) for name, value in self.state.items()) > MAX_STATE_LENGTH:
            raise ValueError(f"a state has at most {MAX_STATE_LENGTH:,} characters")


@dataclass(frozen=True, slots=True)
class Stored:
    """The document is stored: acknowledge it.

    Since interface 1.
    """

    document_id: str
    receipt: bytes | None = None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """It was stored before: acknowledge it again, with the receipt of the first time.

    Since interface 1.
    """

    document_id: str
    receipt: bytes | None = None


@dataclass(frozen=True, slots=True)
class NotServiced:
    """No tenant has this receiver, or takes such documents: refuse it. Nothing was stored.

    Since interface 1.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Busy:
    """It could not be stored now: never acknowledge it, so that the network repeats it.

    Since interface 1.
    """

    retry_after: float = 5.0


# Since interface 1.
InboundVerdict = Stored | Duplicate | NotServiced | Busy


@dataclass(frozen=True, slots=True)
class Settled:
    """A pushed outcome or evidence is stored. `changed`: this push decided the outcome.

    tenant_id       whose document it is about; "" if that is not known
    sender_country  the country of the document's sender (ISO 3166-1 alpha-2), if it is known

    Since interface 1; `sender_country`, `tenant_id`: interface 2.
    """

    transmission_id: str
    changed: bool
    tenant_id: str = field(default="", compare=False)
    sender_country: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """The kept parts of a document or message that the access point has sent.

    receipts  the artefacts RECEIPT, oldest first; of a message, of all that answer its document

    Since interface 2.
    """

    receiver: ParticipantId | None
    document_type: DocumentTypeId
    process: ProcessId
    receipts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class KeptFile:
    """Evidence of a document that was sent by a connection.

    number  of the invoice

    Since interface 2.
    """

    number: str
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class InvoiceReference:
    """A sent invoice, as a response of its receiver refers to it.

    sender      who sent the invoice; its tenant is the one that has this participant id
    receiver    who received it, and responds
    number      its number (BT-1)
    issue_date  if it is known. Of several invoices with the number the one of this date is taken,
                else the newest

    Since interface 2.
    """

    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId
    number: str
    issue_date: date | None = None


# Since interface 1.
PushVerdict = Settled | NotServiced | Busy


class Inbox(Protocol):
    """Takes received documents. Passed to the hooks that name `inbox` as an argument.

    Call it from any thread of any process. Acknowledge a document after Stored or Duplicate and
    never before; an exception means the same as Busy.

    Since interface 1; `kept_document`, `kept_files`, `wake_mailbox`: interface 2.
    """

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        """Store a document, once."""
        ...

    def settle(
        self, access_point: str, reference: str, outcome: Delivered | Rejected | Pending
    ) -> PushVerdict:
        """Settle a document of the access point by a call-back of the network, once.

        `reference` of the Pending, or the transmission id. A repeat, and an outcome of a
        document that is final, keep new evidence only. NotServiced: no such transmission.
        """
        ...

    def deliver_evidence(
        self, access_point: str, reference: str | InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        """Keep evidence that arrives by itself, also after the final status; each once.

        `reference` as for `settle`, or the instance id of the envelope (also of a message that
        answers a document), or an InvoiceReference where the network names the invoice only.
        """
        ...

    def kept_document(self, access_point: str, reference: str) -> KeptDocument | Busy | None:
        """The kept parts of a document, to compare a push with; None: there is no such document.

        `reference` as for `deliver_evidence`, without an InvoiceReference.
        """
        ...

    def kept_files(
        self, access_point: str, connection_id: str, kinds: Collection[str]
    ) -> Iterator[KeptFile]:
        """The evidence of these kinds of all documents of a connection, the oldest document first.

        It is read in parts. Raises ValueError if the access point has no such connection.
        """
        ...

    def queue_message(self, access_point: str, message: Outgoing) -> str:
        """Queue a message without an invoice; its id. Repeating it with its key changes nothing.

        Raises ValueError if it answers a document that the access point has not handed over.
        """
        ...

    def wake_mailbox(self, access_point: str, connection_id: str) -> bool:
        """Let the mailbox of a connection be fetched from now, because its network says that there
        is something new; whether it waited. While a fetch runs, nothing changes.
        """
        ...

    def serves(
        self,
        environment: Environment,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> bool:
        """Whether a document of this type for this participant would be stored."""
        ...


class ClosedInbox:
    """Refuses everything: for plugins that are loaded without a service.

    Since interface 1; `kept_document`, `kept_files`, `wake_mailbox`: interface 2.
    """

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        return NotServiced("this inbox takes no documents")

    def settle(
        self, access_point: str, reference: str, outcome: Delivered | Rejected | Pending
    ) -> PushVerdict:
        return NotServiced("this inbox takes no outcomes")

    def deliver_evidence(
        self, access_point: str, reference: str | InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        return NotServiced("this inbox takes no evidence")

    def kept_document(self, access_point: str, reference: str) -> KeptDocument | Busy | None:
        return None

    def kept_files(
        self, access_point: str, connection_id: str, kinds: Collection[str]
    ) -> Iterator[KeptFile]:
        raise ValueError("this inbox has no connections")

    def queue_message(self, access_point: str, message: Outgoing) -> str:
        raise ValueError("this inbox takes no messages")

    def wake_mailbox(self, access_point: str, connection_id: str) -> bool:
        return False

    def serves(
        self,
        environment: Environment,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> bool:
        return False
