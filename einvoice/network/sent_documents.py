"""The outcomes of sent documents, for access points that send something because of them.

The mirror of `FollowsDocuments` (network/messages): the access point is called with the final
outcome of each document that it was given to send, and returns what the law has it send because of
that, such as a tax data document. A message that reports the document to an authority says to which
(`Outgoing.reports_to`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.network.messages import Outgoing, ReceivedOutcome
from einvoice.network.types import Envelope


@dataclass(frozen=True, slots=True)
class SentDocument:
    """The parts of a sent document by which an access point decides whether it follows it.

    sender_country, receiver_country  as the document names them (ISO 3166-1 alpha-2); None if it
                                      names none
    """

    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId | None
    document_type: DocumentTypeId
    process: ProcessId
    sender_country: str | None = None
    receiver_country: str | None = None


@dataclass(frozen=True, slots=True)
class SentOutcome:
    """The final outcome of a document that the access point was given to send.

    envelope   as `prepare` and `submit` got it; its `invoice_id` is for `Outgoing.answers`. An
               invoice that is sent again after it failed has another `transmission_id`
    submitted  whether bytes of it may have left
    delivered  False: it failed, for this `reason`
    means      who has it, if it is delivered
    at         when the outcome was stored
    refused    whether the receiver's access point refused the document after it had acknowledged it
               (a Message Level Status RE): a second call about a delivered document
    state      that of `Prepared`
    """

    access_point: str
    envelope: Envelope
    submitted: bool
    delivered: bool
    means: DeliveredMeans | None
    at: datetime
    reason: str | None = None
    error_code: str | None = None
    refused: bool = False
    state: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class FollowsSentDocuments(Protocol):
    """An access point that is called with the final outcomes of the documents of senders."""

    def follows_sent(self, document: SentDocument) -> bool:
        """Whether `sent_outcome` is called for a document.

        Asked about each final outcome, in the transaction that stores it: decides by what it is
        given, without the network, within microseconds. After an exception it is called.
        """
        ...

    def sent_outcome(self, outcome: SentOutcome) -> Iterable[Outgoing]:
        """The messages that are due because of the outcome, if any.

        Called as `received_outcome` is, at least once for each transmission, and once more if the
        document is `refused` later. After an exception it
        is repeated until it succeeds, since what the law wants reported may not be given up.
        """
        ...


class Amendment(StrEnum):
    """A later message of a person to an authority, after a report."""

    RESUBMIT = "resubmit"  # in place of a report that was refused
    WITHDRAW = "withdraw"  # what the authority has


@runtime_checkable
class AmendsReports(Protocol):
    """An access point whose reports can be repeated and withdrawn."""

    def amended_report(
        self, about: SentOutcome | ReceivedOutcome, how: Amendment, number: int
    ) -> Outgoing:
        """The report of a document that it was given to send, or handed over.

        number  counts the reports of the document, so that each has a key of its own

        Uses no network. Raises ValueError with what speaks against it.
        """
        ...


@dataclass(frozen=True, slots=True)
class PartyFault:
    """Why a document cannot be sent for the sake of one of its parties.

    is_receiver  whether it is the receiver; else the sender
    code         stable, for programs; `message` is for people
    """

    is_receiver: bool
    code: str
    message: str


@runtime_checkable
class ChecksParties(Protocol):
    """An access point of a network in which some countries prescribe the ids of their parties."""

    def party_faults(self, document: SentDocument) -> Iterable[PartyFault]:
        """The faults of the parties of a document; with one, the send is refused.

        Called in a web process: decides by what it is given, without the network. After an
        exception the document is sent, and its network judges.
        """
        ...
