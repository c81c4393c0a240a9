"""An access point of the toll authority that acknowledges the documents it hands over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from einvoice import clock
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.hookspec import hookimpl
from einvoice.network.messages import MessageResult, Outgoing, ReceivedOutcome
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Found,
    Inbox,
    NeverSeen,
    NotRegistered,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    receipt,
)

ACKNOWLEDGEMENT = ArtefactKind("TOLL_ACK", "application/xml", "ack-{number}.xml")
DOCUMENT_TYPE = DocumentTypeId("toll", "urn:toll:acknowledgement")
PROCESS = ProcessId("toll", "urn:toll:answers")
AUTHORITY = ParticipantId("0190", "00000000000000000001")


def acknowledgement(key: str, answers: str | None = None, **changes: object) -> Outgoing:
    """A message of ours to the authority."""
    fields = {
        "key": key,
        "kind": ACKNOWLEDGEMENT,
        "environment": Environment.TEST,
        "sender": ParticipantId("0190", "00000000000000000002"),
        "receiver": AUTHORITY,
        "document_type": DOCUMENT_TYPE,
        "process": PROCESS,
        "document": f"<Ack>{key}</Ack>".encode(),
        "answers": answers,
    } | changes
    return Outgoing(**fields)


class TollPost(AccessPointBase):
    """Acknowledges each step of a document; the authority's books are the attributes.

    outcomes  what the next submissions return; Delivered without one
    book      the messages that the authority has got, and how often
    asked     the steps with which the access point was called
    faults    exceptions of the next calls
    """

    name = "toll-post-test"
    network = "toll-post"
    environment = Environment.TEST
    capabilities = Capabilities(has_status=True, needs_lookup=False)

    def __init__(self) -> None:
        self.inbox: Inbox | None = None
        self.outcomes: list[Outcome | Exception] = []
        self.book: Counter[str] = Counter()
        self.envelopes: list[Envelope] = []
        self.asked: list[ReceivedOutcome] = []
        self.results: list[MessageResult] = []
        self.faults: list[BaseException] = []

    def serves(self, participant: ParticipantId) -> bool:
        return False

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return NotRegistered()

    def received_outcome(self, outcome: ReceivedOutcome) -> Iterable[Outgoing]:
        self.asked.append(outcome)
        if self.faults:
            raise self.faults.pop()
        yield acknowledgement(f"{outcome.document_id}-{outcome.step}", outcome.document_id)

    def message_settled(self, result: MessageResult) -> Iterable[Outgoing]:
        self.results.append(result)
        return ()

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        self.envelopes.append(envelope)
        outcome = self.outcomes.pop(0) if self.outcomes else Delivered((receipt(b"<Taken/>"),))
        if isinstance(outcome, Delivered | Pending | Rejected | Exception):
            self.book[prepared.message_id] += 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        return self.outcomes.pop(0) if self.outcomes else Delivered((receipt(b"<Taken/>"),))

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        known = prepared.message_id in self.book
        return Delivered((receipt(b"<Taken/>"),)) if known else NeverSeen()


def pending() -> Pending:
    return Pending("ref", next_poll_at=clock.now())


class TollPostPlugin:
    """The plugin of the access point."""

    EINVOICE_INTERFACE = 1

    def __init__(self) -> None:
        self.post = TollPost()

    @hookimpl
    def einvoice_access_points(self, inbox: Inbox) -> Iterator[AccessPointBase]:
        self.post.inbox = inbox
        yield self.post
