"""Mailboxes: documents that an access point fetches for a tenant's account.

An access point whose network keeps documents until they are fetched implements `Mailbox` beside
`Connected`. The service stores the documents of a fetch and the cursor in one transaction, so a
fetch that is repeated after a crash begins at the same cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Protocol, runtime_checkable

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.request import SendWarning
from einvoice.network.connections import Broken, Connected, Connection, NeedsPerson
from einvoice.network.types import (
    MAX_INSTANCE_ID_LENGTH,
    MAX_STATE_LENGTH,
    Delivered,
    Evidence,
    Pending,
    Rejected,
)

# Of one fetch. A single document may have more bytes than all together, up to MAX_DOCUMENT_BYTES.
MAX_DOCUMENTS = 100
MAX_BYTES = 64 * 1024 * 1024
MAX_DOCUMENT_BYTES = 100 * 1024 * 1024
MAX_NEWS = 500
MAX_CURSOR_LENGTH = 100_000

MIN_INTERVAL, MAX_INTERVAL = timedelta(seconds=1), timedelta(days=7)
MAX_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class FetchTerms:
    """How often a mailbox may be fetched from; counted for each connection.

    every     the interval of fetches, from the end of one
    at_least  the shortest time from the beginning of a fetch to the next, also where there is more
              and after a crash
    seconds   how long a fetch may take, at most 60
    kept      how long the network keeps a document; None: until it is fetched. After half of it
              without a successful fetch `einvoice doctor` reports an error
    """

    every: timedelta = timedelta(minutes=15)
    at_least: timedelta = timedelta(seconds=1)
    seconds: float = MAX_SECONDS
    kept: timedelta | None = None


@dataclass(frozen=True, slots=True)
class StatedHead:
    """The values of a document in the network's list; None where the list has none.

    It is stored where the document itself cannot be read.
    """

    number: str | None = None
    issue_date: date | None = None
    currency: str | None = None
    subtotal: Decimal | None = None
    tax_amount: Decimal | None = None
    grand_total: Decimal | None = None
    supplier_name: str | None = None
    supplier_tax_id: str | None = None
    supplier_country: str | None = None


@dataclass(frozen=True, slots=True)
class MailboxDocument:
    """A document for the tenant of the connection, as the network has it.

    instance_id  the network's id of the document, the same in every fetch. Two with one id are one
                 document
    receiver     None where the network has no participant ids
    evidence     proofs of the network, which become artefacts of the document
    state        what the access point needs to answer the network (`received_outcome`)
    stated       its head as the network lists it
    warnings     of the access point, with their messages; shown with the document
    seller_id    the sender by the tax number of the seller, where `sender` stands for one that is
                 known only once the document was read, as of a PDF; it returns None for no such id
    """

    instance_id: str
    sender: ParticipantId
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes = field(repr=False)
    receiver: ParticipantId | None = None
    evidence: tuple[Evidence, ...] = ()
    state: Mapping[str, str] = field(default_factory=dict)
    stated: StatedHead | None = None
    warnings: tuple[SendWarning, ...] = ()
    seller_id: Callable[[str], ParticipantId | None] | None = None

    def __post_init__(self) -> None:
        if not (
            0 < len(self.instance_id) <= MAX_INSTANCE_ID_LENGTH and self.instance_id.isprintable()
        ):
            raise ValueError(
                f"an instance id has 1 to {MAX_INSTANCE_ID_LENGTH} printable characters"
            )
        if len(self.document) > MAX_DOCUMENT_BYTES:
            raise ValueError(f"a document has at most {MAX_DOCUMENT_BYTES:,} bytes")
        if sum(len(name) + len(value) for name, value in self.state.items()) > MAX_STATE_LENGTH:
            raise ValueError(f"a state has at most {MAX_STATE_LENGTH:,} characters")


@dataclass(frozen=True, slots=True)
class SentInvoice:
    """An invoice that was sent by the connection of the mailbox, as its network names it.

    number      its number (BT-1)
    issue_date  of several invoices with the number the one of this date is taken, else the newest
    """

    number: str
    issue_date: date | None = None


@dataclass(frozen=True, slots=True)
class ReceivedInvoice:
    """An invoice that was fetched from the mailbox before, as its network names it.

    seller  a number of its seller, which is part of its id or tax number
    """

    number: str
    issue_date: date | None
    seller: str


@dataclass(frozen=True, slots=True)
class News:
    """A message of a mailbox about a document: the outcome of a sent one, or evidence of either.

    reference  the reference of its Pending, or the transmission id; or a SentInvoice, or a
               ReceivedInvoice, of which `outcome` is None
    """

    reference: str | SentInvoice | ReceivedInvoice
    outcome: Delivered | Rejected | Pending | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusableMessage:
    """A message of a mailbox that holds no document: its tenant gets an event, and nobody else.

    sender   whom it claims to be from
    reasons  what it holds, and why that is no document
    """

    sender: str
    subject: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """Documents and news after a cursor.

    cursor            where the next fetch begins; stored with the documents
    more              whether there are more: fetched again after `at_least`
    unusable          messages without a document, at most MAX_NEWS: one event each, with the cursor
    retry_after       seconds for which the network wants no fetch of this connection
    credentials, connection_state  replace the connection's own as a whole; None leaves them
    """

    cursor: str
    documents: tuple[MailboxDocument, ...] = ()
    news: tuple[News, ...] = ()
    more: bool = False
    retry_after: float | None = None
    credentials: Mapping[str, str] | None = field(default=None, repr=False)
    connection_state: Mapping[str, str] | None = field(default=None, repr=False)
    unusable: tuple[UnusableMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class NotFetched:
    """Nothing could be fetched; it is tried again, after `retry_after` seconds if given."""

    reason: str
    retry_after: float | None = None
    credentials: Mapping[str, str] | None = field(default=None, repr=False)
    connection_state: Mapping[str, str] | None = field(default=None, repr=False)


FetchOutcome = Fetched | NotFetched | NeedsPerson | Broken


@runtime_checkable
class Mailbox(Connected, Protocol):
    """An access point whose network keeps documents until they are fetched."""

    def fetch_terms(self) -> FetchTerms:
        """How often a mailbox may be fetched from. Does not use the network."""
        ...

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        """The documents after the cursor; None: from the beginning.

        At most MAX_DOCUMENTS with MAX_BYTES, and MAX_NEWS. A fetch with the same cursor may be
        repeated, and returns the same documents again. Called in a worker, in a thread that is
        given up after `FetchTerms.seconds`, outside of transactions, and for a connection never at
        the same time as another fetch or check. An exception counts as NotFetched.
        """
        ...


class Known(Protocol):
    """Says which documents of a mailbox are stored already."""

    def __call__(self, instance_ids: Collection[str]) -> Collection[str]:
        """The stored ones among these instance ids. At most MAX_KNOWN of them."""
        ...


MAX_KNOWN = 1000


def nothing_known(instance_ids: Collection[str]) -> Collection[str]:
    """The `Known` of a mailbox without documents."""
    return ()


@runtime_checkable
class ForgetsMailboxes(Protocol):
    """A mailbox that keeps something of its own for each connection, such as its web-hook."""

    def forget(self, connection_id: str) -> None:
        """Delete it: the connection was revoked, and its credentials are gone. Without the network.

        Called by a worker, at least once.
        """
        ...


@runtime_checkable
class ReadsAgain(Mailbox, Protocol):
    """A mailbox that reads parts of its list more than once, because documents appear late in it.

    `fetch_new` is called in place of `fetch`.
    """

    def fetch_new(self, connection: Connection, cursor: str | None, known: Known) -> FetchOutcome:
        """As `fetch`; documents that are `known` need not be returned."""
        ...


@runtime_checkable
class ReceivesMail(Mailbox, Protocol):
    """A mailbox whose accounts are e-mail addresses of this installation."""

    def address_of(self, account: str) -> str:
        """The e-mail address of an account."""
        ...

    def new_account(self) -> str:
        """The account of a new address, which others do not guess."""
        ...

    def close_address(self, connection: Connection) -> int:
        """Take no further mail at the address; how many mails are still to be fetched from it.

        May be repeated. The service ends the connection when there are none.
        """
        ...
