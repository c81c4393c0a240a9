"""What passes between the service and an access point: envelopes in, outcomes out.

Everything is a frozen value. An operation answers with a type, so that forgetting a case shows in
the type checker; an exception nobody planned counts as Unknown, never as a failure, and is never
blindly repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

from einvoice.domain.artefacts import RECEIPT, ArtefactKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId

INTERFACE_VERSION = 1


# -- what an access point is told ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Envelope:
    """One document on its way, with all that a network wants to know about it.

    `transmission_id` is stable over all attempts and unique for ever: derive message ids from it.
    `attempt` counts from 1.
    """

    transmission_id: str
    invoice_id: str
    tenant_id: str
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId
    sender_country: str | None
    receiver_country: str | None
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes
    number: str
    instance_id: str
    attempt: int = 1
    correlation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What will be on the wire, written down before the first attempt; retries send exactly this.

    `content` None means the envelope's document unchanged (spares the database a copy).
    """

    message_id: str
    content: bytes | None = None
    state: Mapping[str, str] = field(default_factory=dict)


# -- outcomes of submit, poll and find -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """A proof to keep as an artefact; may also arrive after the final status."""

    kind: ArtefactKind
    content: bytes
    content_type: str | None = None
    authority_reference: str | None = None
    legal_original: bool = False
    retention_years: int | None = None
    # For INVOICE_RESPONSE and MLS: the code and reasons that the event invoice.responded carries.
    response_code: str | None = None
    reasons: tuple[str, ...] = ()


def receipt(content: bytes, content_type: str = "application/xml") -> Evidence:
    """The usual evidence of a delivery."""
    return Evidence(RECEIPT, content, content_type)


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver's side has it: final. At least one evidence is expected.

    `follow_up` promises evidence that comes later (an Invoice Response, an MLS, a sealed
    original): it is polled like any Pending, but the status never leaves Delivered. Its polls
    answer Delivered with the new evidence (and a next `follow_up` while more is to come) or
    Pending; NotSent, Unknown and exceptions mean: ask again later; Rejected ends the following
    and is logged as the access point's fault.
    """

    evidence: tuple[Evidence, ...] = ()
    follow_up: Pending | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """The network will never deliver this document: final, whatever the upstream status.

    `code` is the network's own (`errorCode`), `upstream_status` its HTTP status where there is
    one. `retryable` says that sending it anew later may succeed (decisions 19.9). `reason_code`
    is ours, of the catalogue in `reasons`.
    """

    code: str
    reason: str
    upstream_status: int | None = None
    retryable: bool = False
    reason_code: str | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """The network has it; ask again at `next_poll_at`, or it will be pushed (None).

    After `deadline` the transmission needs a person. `state` is stored and comes back in each
    poll: whatever must be remembered goes there, for the next poll runs in another process.
    """

    reference: str
    next_poll_at: datetime | None = None
    deadline: datetime | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class NotSent:
    """Surely nothing reached the network: may be tried again, after `retry_after` seconds."""

    reason: str
    retry_after: float | None = None
    code: str = "not-sent"


@dataclass(frozen=True, slots=True)
class Unknown:
    """Bytes may have reached the network and no answer came back.

    `ask_after`: seconds until `find` is likely to know, where the access point can tell.
    """

    reason: str
    ask_after: float | None = None


@dataclass(frozen=True, slots=True)
class NeverSeen:
    """Answer of `find` only: the network is sure that it never got this message."""


Outcome = Delivered | Rejected | Pending | NotSent | Unknown
Found = Delivered | Rejected | Pending | NeverSeen | Unknown


# -- lookup --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Registration:
    """A participant the network can reach, and the documents it takes."""

    document_types: tuple[DocumentTypeId, ...]


@dataclass(frozen=True, slots=True)
class NotRegistered:
    """The directory is sure: nobody of this id."""


class DirectoryUnavailable(Exception):
    """The directory does not answer now. Never to be read as "not registered"."""


# -- the access point ----------------------------------------------------------------------------


class Repeat(StrEnum):
    """What a byte-identical second submit does at this network."""

    IDEMPOTENT = "idempotent"  # recognised there: repeating an unknown outcome is safe
    NEVER = "never"  # could deliver twice: unknown outcomes wait for find() or a person


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the service may rely on. Quoted by `einvoice plugins`.

    has_status   `find` can tell what became of a message
    concurrency  submits that may run at once in one worker
    bulk         envelopes that one `submit_many` takes; 1 = submit one by one
    timeout      seconds one submit may take at most; the lease is made from it
    needs_lookup a send needs an accessPointRef of an earlier lookup
    formats      document syntaxes the network takes
    max_bytes    the largest document, before `prepare`; a larger one is refused at the send and
                 never submitted. None: no limit
    reserved     participants that exist here only (a sandbox's magic ones): no other access
                 point is asked about them, and live keys are refused them (decisions 14)
    """

    has_status: bool = False
    repeat: Repeat = Repeat.NEVER
    concurrency: int = 1
    bulk: int = 1
    timeout: float = 60.0
    formats: tuple[Literal["ubl", "cii"], ...] = ("ubl",)
    max_bytes: int | None = None
    needs_lookup: bool = True
    reserved: frozenset[ParticipantId] = frozenset()


@runtime_checkable
class AccessPoint(Protocol):
    """A way into one network in one environment. Called from several threads at once.

    None of the operations is called inside a database transaction.
    """

    name: str  # unique, for example "peppol-test"; stored with each transmission
    network: str  # "peppol", "ro-efactura", "ksef", "zatca", "fr-ctc", "simulator"
    environment: Environment
    capabilities: Capabilities

    def serves(self, participant: ParticipantId) -> bool:
        """Whether this access point is the one to ask about the participant.

        Where several are, the first in the order of names is taken; simulators come last, except
        for the participants they reserve.
        """
        ...

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        """Ask the directory. Raises DirectoryUnavailable when it does not answer."""
        ...

    def prepare(self, envelope: Envelope) -> Prepared:
        """Make the bytes for the wire. No network.

        The same envelope gives the same message id: a crash before the commit repeats the call.
        """
        ...

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        """Hand over. An exception counts as Unknown."""
        ...

    def submit_many(self, batch: Sequence[tuple[Envelope, Prepared]]) -> Sequence[Outcome]:
        """Hand over up to `capabilities.bulk` at once; one outcome for each, in order."""
        ...

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        """Ask what became of a Pending one. NotSent and exceptions mean: ask again later."""
        ...

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        """After an unknown outcome: what does the network know of this message?

        Called only where `capabilities.has_status`.
        """
        ...


@runtime_checkable
class Advanceable(Protocol):
    """An access point of rehearsals, whose Pending waits for a person's word (decisions 14)."""

    def advance(self, envelope: Envelope, pending: Pending) -> Pending:
        """The Pending to store in its place: due now, and its next poll goes on.

        Pure, called in a web process; the worker that polls learns of it from `state` alone.
        """
        ...


class AccessPointBase:
    """Fair defaults for the optional operations; plugins may inherit or not."""

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

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        return Unknown("this access point cannot tell")


# -- inbound -------------------------------------------------------------------------------------

MAX_INSTANCE_ID_LENGTH = 255
LONGEST_INSTANCE_ID = MAX_INSTANCE_ID_LENGTH  # its former name, for plugins


@dataclass(frozen=True, slots=True)
class Inbound:
    """A document that arrived for one of our participants.

    `access_point` names the one it came through. `instance_id` is the sender's unique id of the
    message; a second one of the same sender, receiver and id is a Duplicate. `receipt` are the
    bytes that the network is answered with: kept, so that a repeat is answered with the same.
    `in_reply_to`: for simulators, the transmission that provoked the document. Where nobody owns
    the receiver (in the sandbox nobody has to), it goes to whoever sent that one.
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

    def __post_init__(self) -> None:
        if not (
            0 < len(self.instance_id) <= MAX_INSTANCE_ID_LENGTH and self.instance_id.isprintable()
        ):
            raise ValueError(
                f"an instance id has 1 to {MAX_INSTANCE_ID_LENGTH} printable characters"
            )


@dataclass(frozen=True, slots=True)
class Stored:
    """It is on disk, and ours to answer for: acknowledge it."""

    document_id: str
    receipt: bytes | None = None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """It was stored before: acknowledge it as then, with the receipt of then."""

    document_id: str
    receipt: bytes | None = None


@dataclass(frozen=True, slots=True)
class NotServiced:
    """Nobody here has this receiver, or takes such documents: refuse it. Nothing was stored."""

    reason: str


@dataclass(frozen=True, slots=True)
class Busy:
    """It could not be stored now: let the network come again. Never acknowledge it."""

    retry_after: float = 5.0


InboundVerdict = Stored | Duplicate | NotServiced | Busy


class Inbox(Protocol):
    """The service's way in, handed to the hooks that name `inbox` as an argument.

    Called from any thread of any process. Acknowledge a document after Stored or Duplicate and
    never before; an exception means the same as Busy.
    """

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        """Store a document, once."""
        ...

    def serves(
        self,
        environment: Environment,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> bool:
        """Whether a document of this kind for this participant would be taken."""
        ...


class ClosedInbox:
    """Takes nothing: for plugins that are loaded without a service behind them."""

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        return NotServiced("nothing is taken in here")

    def serves(
        self,
        environment: Environment,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> bool:
        return False
