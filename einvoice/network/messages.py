"""Messages without an invoice, and the outcomes of documents that an access point handed over.

An access point that answers its network (a Message Level Status, a buyer's message) implements
`FollowsDocuments`: it is called with each step of a document that it handed over, and returns the
messages to send. They are stored in the transaction that records the call, and then delivered as
documents are: by `prepare`, `submit`, `poll` and `find`, stored before the first attempt, and never
repeated blindly. Reports are queued by `Inbox.queue_message`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol, runtime_checkable

from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.responses import ResponseContent

MAX_MESSAGE_BYTES = 5 * 1024 * 1024
MAX_REPORT_BYTES = 100 * 1024 * 1024  # of a report, which may hold its document
MAX_KEY_LENGTH = 200
MAX_KIND_LENGTH = 22  # of its code, so that its receipts have one too
MAX_RETRY = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send through the access point that made it.

    key        the plugin's own id of the message. Of several with one key at one access point the
               first is sent, and the others change nothing
    kind       what it is. Delivered, it is an artefact of the document that it answers
    answers    the document that it answers or reports: `ReceivedOutcome.document_id`, or
               `invoice_id` of the envelope of a `SentOutcome`; None: none
    connection_id  the connection by which it is sent, where the network needs one; None: the one of
                   the mailbox from which the document that it answers was fetched
    retry_for  how long the submission is repeated after NotSent
    reports_to  country of the tax authority to which it reports the document (ISO 3166-1 alpha-2);
               the document shows what became of it. None: it is no report
    due_in     time from now until the authority has to have a report. One that is not delivered by
               then is overdue, and operators see it
    period_report  whether it is the report of a period (network/period_reports), which may be as
                   large as the report of a document
    """

    key: str
    kind: ArtefactKind
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes = field(repr=False)
    answers: str | None = None
    sender_country: str | None = None
    receiver_country: str | None = None
    retry_for: timedelta = timedelta(days=1)
    connection_id: str | None = None
    reports_to: str | None = None
    due_in: timedelta = timedelta(days=1)
    period_report: bool = False

    def __post_init__(self) -> None:
        if not (0 < len(self.key) <= MAX_KEY_LENGTH and self.key.isprintable()):
            raise ValueError(f"a key has 1 to {MAX_KEY_LENGTH} printable characters")
        is_report = self.reports_to is not None or self.period_report
        most = MAX_REPORT_BYTES if is_report else MAX_MESSAGE_BYTES
        if not 0 < len(self.document) <= most:
            raise ValueError(f"a message has 1 to {most:,} bytes")
        if len(self.kind.code) > MAX_KIND_LENGTH:
            raise ValueError(f"the kind of a message has at most {MAX_KIND_LENGTH} characters")
        if not timedelta(0) < self.retry_for <= MAX_RETRY:
            raise ValueError("a message is retried for more than 0 and at most 30 days")
        if not timedelta(0) < self.due_in <= MAX_RETRY:
            raise ValueError("a report is due in more than 0 and at most 30 days")
        if self.reports_to is not None and self.answers is None:
            raise ValueError("a report names the document that it reports (answers)")


class Step(StrEnum):
    """How far a received document has got. `judged` comes first, and each step once."""

    JUDGED = "judged"  # stored and validated
    FORWARDED = "forwarded"  # a webhook of its tenant about it was answered with 2xx
    PROCESSED = "processed"  # its tenant has marked it as processed


@dataclass(frozen=True, slots=True)
class ReceivedFinding:
    """A finding of the rules. `severity` is error, warning or information; `location` an XPath."""

    severity: str
    source: str
    rule_id: str
    message: str
    location: str | None = None


@dataclass(frozen=True, slots=True)
class ReceivedOutcome:
    """The outcome of a document that the access point handed over.

    document_id  its id in the service, for `Outgoing.answers`
    receiver     None in a document of a mailbox whose network has no participant ids
    step         how far it has got; `at` is when
    valid        whether the rules found no error; also of a document that was not judged, which has
                 a warning that says so. An invalid document is stored and shown as well
    receiver_country  country of the buyer, of a self-billed document the supplier's, as the
                      document names it (ISO 3166-1 alpha-2)
    state        the `state` of its Inbound
    connection_id  of the mailbox from which it was fetched
    read_ubl     reads the document as UBL, within the call; b"" if it has no such form
    """

    document_id: str
    access_point: str
    instance_id: str
    environment: Environment
    tenant_id: str
    sender: ParticipantId
    receiver: ParticipantId | None
    document_type: DocumentTypeId
    process: ProcessId
    step: Step
    at: datetime
    received_at: datetime
    valid: bool
    findings: tuple[ReceivedFinding, ...] = ()
    receiver_country: str | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    connection_id: str | None = None
    read_ubl: Callable[[], bytes] = field(default=bytes, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class MessageResult:
    """The final outcome of a message: delivered, or failed for this reason."""

    message_id: str
    key: str
    access_point: str
    environment: Environment
    answers: str | None
    delivered: bool
    at: datetime
    reason: str | None = None
    error_code: str | None = None


@runtime_checkable
class FollowsDocuments(Protocol):
    """An access point that is called with what becomes of the documents it handed over."""

    def received_outcome(self, outcome: ReceivedOutcome) -> Iterable[Outgoing]:
        """The messages with which the network is answered, if any.

        Called in a worker, in a thread that is given up after 30 seconds, outside of transactions,
        at least once for each step and for one step of a document at a time. The messages are
        stored together with the end of the call. After an exception it is repeated for a day; of an
        access point that `ReportsReceived`, until it succeeds.
        """
        ...


@runtime_checkable
class ReportsReceived(Protocol):
    """An access point that reports documents which it handed over to an authority."""

    def reports_received(self) -> bool:
        """Whether it does so now: then no call about a judged document is given up, since what the
        law wants reported may not be."""
        ...


@runtime_checkable
class FollowsManyDocuments(FollowsDocuments, Protocol):
    """An access point that is called with the outcomes of several documents at once."""

    def received_outcomes(
        self, outcomes: Sequence[ReceivedOutcome]
    ) -> Iterable[Iterable[Outgoing]]:
        """The results of `received_outcome`, in the order of the outcomes.

        Called as `received_outcome` is, with at most one outcome of a document and up to as many
        as a job has. After an exception each outcome is passed by itself.
        """
        ...


@runtime_checkable
class FollowsMessages(Protocol):
    """An access point that is called with the final outcomes of its messages."""

    def message_settled(self, result: MessageResult) -> Iterable[Outgoing]:
        """Further messages, if any. Called as `received_outcome` is."""
        ...


@dataclass(frozen=True, slots=True)
class InvoiceAnswer:
    """The response of a tenant to an invoice that the access point handed over.

    response_id  its id in the service
    document_id  of the invoice, for `Outgoing.answers`
    sender       who responds: the receiver of the invoice
    receiver     who gets the response: the sender of the invoice
    type_code    type of the invoice (BT-3): 380, 381, …
    instance_id  of the `Inbound` or `MailboxDocument` with which the invoice came
    receiver_tax_id  the tax number of the sender of the invoice, as the invoice names it
    """

    response_id: str
    document_id: str
    environment: Environment
    tenant_id: str
    sender: ParticipantId
    receiver: ParticipantId
    sender_name: str
    receiver_name: str
    number: str
    type_code: str
    issue_date: date | None
    at: datetime
    content: ResponseContent
    sender_country: str | None = None
    receiver_country: str | None = None
    instance_id: str = ""
    receiver_tax_id: str | None = None


@runtime_checkable
class RespondsToInvoices(Protocol):
    """An access point whose network carries the responses of buyers to invoices."""

    def takes_responses(self, receiver: ParticipantId) -> bool:
        """Whether the sender of an invoice takes responses.

        Called in a web process, in a thread that is given up after ten seconds. Raises
        DirectoryUnavailable.
        """
        ...

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        """The message of a response. Its key is derived from `response_id`. Does not use the
        network. Raises ValueError for a response that no message can be made of."""
        ...


@dataclass(frozen=True, slots=True)
class PaymentNotice:
    """A payment that a tenant has got for an invoice that the access point was given to send, or
    for one that its buyer has issued (self-billing) and the access point has handed over.

    payment_id  its id in the service
    sender      who sold, and got the payment; receiver: who bought, None without a participant id
    amount      in the currency of the invoice; a correction is negative
    paid_on     the day of the payment; `at` is when the tenant has said so
    document    the invoice as UBL; b"" if it is not kept any more
    """

    payment_id: str
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId | None
    sender_name: str
    receiver_name: str
    number: str
    issue_date: date | None
    amount: Decimal
    currency: str
    paid_on: date
    at: datetime
    document: bytes = field(repr=False)
    sender_country: str | None = None
    receiver_country: str | None = None


@runtime_checkable
class ReportsPayments(Protocol):
    """An access point whose network gets the payments of delivered invoices."""

    def payment_message(self, notice: PaymentNotice) -> Outgoing | None:
        """The message of a payment; None where the law asks for none. Its key is derived from
        `payment_id`. Does not use the network. Raises ValueError for a payment of which no message
        can be made.

        Called in the request that states the payment, unless the invoice is Failed. If it is not
        Delivered yet, that message is not sent, and a worker asks for it again when it is."""
        ...
