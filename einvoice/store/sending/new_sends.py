"""A checked document as it is accepted, and the results that accepting it can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.trace import Trace
from einvoice.store.account.audit import NewAuditEntry
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.account.plan_counts import CountedMonth
from einvoice.store.invoices.drafts import DraftMark
from einvoice.store.sending.new_documents import (
    Addressing,
    DocumentContent,
    columns,
    columns_of,
)
from einvoice.store.webhooks.events import NewEvent


@dataclass(frozen=True, slots=True)
class NewSubmission:
    """The values of a document that was XML already: its syntax and network, milliseconds of
    validation, and the event that reports its verdict."""

    form: str
    network: str
    took_ms: int
    event: NewEvent


# Tenant, environment, number, sender, kind of document and year of issue: numbers start again each
# year, and those of credit notes are a range of their own (decisions 32.4).
NumberAndSender = tuple[str, str, str | None, str, str, int | None]


@dataclass(frozen=True, slots=True)
class PlanOfSend:
    """The documents that the tenant may send in the month; `is_cap`: more are not accepted."""

    month: CountedMonth
    limit: int
    is_cap: bool


@dataclass(frozen=True, slots=True)
class NewSend:
    """Everything that accepting one document writes. All ids and times are given.

    duplicate_warning  added to the warnings where its number was sent before
    answered           how the request is answered, where it does not wait; else NULL
    answer_by          until when an open answer may become `network_failed`
    sequence_key       documents of one key of the connection are sent one after the other
    trace              of the request that sends it
    draft              that it was written in, which is deleted with it
    audit              the entry of the audit log for a person's send
    plan               the limit of the tenant's month, in which the document counts
    """

    invoice_id: str
    transmission_id: str
    tenant_id: str
    environment: str
    head: InvoiceHead
    addressing: Addressing
    content: DocumentContent
    duplicate_warning: Mapping[str, object]
    answered: str | None
    answer_by: datetime | None
    retry_until: datetime
    lane: str
    created_at: datetime
    key: KeyScope | None = None
    fingerprint: str = ""
    reject_duplicates: bool = False
    embed_pdf: str | None = None  # due
    metadata: Mapping[str, str | None] | None = None
    searchable: Mapping[str, str] | None = None
    submission: NewSubmission | None = None
    sequence_key: str | None = None
    trace: Trace | None = None
    draft: DraftMark | None = None
    audit: NewAuditEntry | None = None
    plan: PlanOfSend | None = None

    @property
    def number_and_sender(self) -> NumberAndSender:
        """The common values of two sends of one invoice."""
        head, issued = self.head, self.head.issue_date
        year = issued.year if issued else None
        sender = self.addressing.sender
        return self.tenant_id, self.environment, head.number, sender, head.kind, year

    def columns(self) -> dict[str, Any]:
        """The values of all its columns by name, and `space` and `key` of its key (or None)."""
        own = {name: getattr(self, name) for name in _OWN}
        key = {"space": self.key.space, "key": self.key.key} if self.key else _NO_KEY
        parts = columns(self.head, self.addressing, self.content)
        return parts | own | key | {"sender_metadata": self.metadata}


_OWN = (
    "invoice_id", "transmission_id", "tenant_id", "environment", "answered", "answer_by",
    "retry_until", "lane", "created_at", "embed_pdf", "sequence_key", "trace", "fingerprint",
    "reject_duplicates", "searchable",
)  # fmt: skip
_NO_KEY = {"space": None, "key": None}
_PARTS = (InvoiceHead, Addressing, DocumentContent)
# The names of the values of `NewSend.columns`.
COLUMNS = frozenset(
    {*_OWN, *_NO_KEY, "sender_metadata", *(name for part in _PARTS for name in columns_of(part))}
)


def key_order(send: NewSend) -> tuple[str, ...]:
    """The order in which the keys of several documents are taken: one for all processes."""
    scope = send.key
    return (scope.tenant_id, scope.environment, scope.space, scope.key) if scope else ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """Stored. `duplicate_of`: an earlier invoice of this number and sender that has not failed."""

    duplicate_of: str | None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The tenant refuses numbers that it has sent before; nothing was stored."""

    invoice_id: str


@dataclass(frozen=True, slots=True)
class Superseded:
    """The draft was changed or deleted since the page of the sender read it; nothing was stored."""


@dataclass(frozen=True, slots=True)
class AbovePlan:
    """The tenant has sent the documents of its month; nothing was stored."""

    limit: int


# AcceptedKey: the key was accepted before, for the invoice it names.
Acceptance = Accepted | AcceptedKey | Duplicate | Superseded | AbovePlan
