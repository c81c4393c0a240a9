"""The list of invoices: query and response (decisions 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from einvoice.domain.artefacts import CODE, KINDS
from einvoice.domain.delivery import NetworkStatus
from einvoice.services.invoices import lists
from einvoice.services.invoices.lists import BillRecord, InvoiceListItem, ReceiverResponseRecord
from einvoice.services.invoices.status import ListedDocument
from einvoice.web.contract import Contract
from einvoice.web.fields import NETWORK, PARTICIPANT_ID, Text
from einvoice.web.paging import Page
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.bill_members import (
    gl_account_field,
    of_bill,
    processed_at_field,
    processed_by_field,
    response_field,
)
from einvoice.web.shared.invoice_schemas import PartyOfDocument
from einvoice.web.shared.metadata import returned_metadata


class LookupQuery(Contract):
    """Documents the query of a lookup, whose refusals have slugs of their own."""

    participantId = Text(
        "The participant, as <4-digit scheme>:<identifier> (ISO 6523).",
        max_length=140,
        form=PARTICIPANT_ID,
        required=True,
        example="0088:9520000000004",
    )
    network = Text(
        "The network to ask; needed only where several reach the participant.",
        max_length=40,
        form=NETWORK,
        example="peppol",
    )


class ArtefactQuery(Contract):
    type = Text(
        f"Only artefacts of this type: {', '.join(KINDS)}, or one of a network's own.",
        max_length=40,
        form=(CODE.pattern, "a type of artefacts, such as RECEIPT"),
        example="RECEIPT",
    )


@dataclass(frozen=True, slots=True)
class ListedInvoice:
    """An invoice of a list; `response`: the newest of the receiver of a sent one."""

    item: InvoiceListItem
    bill: BillRecord | None
    response: ReceiverResponseRecord | None


@dataclass(frozen=True, slots=True)
class ListedDocumentInvoice(ListedInvoice):
    """An invoice of a list in the form of /v1."""

    document: ListedDocument


def _failure_reason(listed: ListedInvoice) -> str | None:
    return listed.item.reason if listed.item.status == NetworkStatus.FAILED else None


class InvoiceSummary(ResponseSchema[ListedInvoice]):
    """One invoice of a list; GET /api/invoices/{invoiceId} has the rest."""

    inside = "item"

    invoiceId = a.an_id("The invoice", source="id")
    environment = a.text("test or live", "test")
    transactionId = a.text("Its newest transmission", "txn_5f0c…", source="transmission_id")
    direction = a.text("sent or received", "sent")
    type = a.text(a.KINDS_OF_DOCUMENT, "invoice", source="kind")
    number = a.text(
        "Invoice number; null if a received document has none", "2026-001", or_null=True
    )
    issueDate = a.day("Date of issue", "2026-11-21", or_null=True)
    dueDate = a.day("Date payment is due", "2026-12-21", or_null=True)
    currency = a.text("ISO 4217", "EUR", or_null=True)
    grandTotal = a.amount("Total with tax, in its currency", 121.00)
    supplierName = a.text("Who invoices", "Acme NV", or_null=True)
    buyerName = a.text("Name of the buyer", "Buyer BV", or_null=True)
    senderParticipantId = a.text("ISO 6523 id of the sender", "0208:0123456749", source="sender")
    receiverParticipantId = a.text(
        "ISO 6523 id of the receiver; null if it has none",
        "0088:9520000000004",
        or_null=True,
        source="receiver",
    )
    networkStatus = a.text(
        "Processing, Delivered or Failed; Received for a received one",
        "Delivered",
        source="status",
    )
    failureReason = a.text(
        "Why it failed; null unless Failed",
        "The receiver is unreachable.",
        or_null=True,
        source=_failure_reason,
    )
    shared = a.flag("Whether a link for the buyer exists", example=False)
    supplierId = a.an_id(
        "The supplier that a bill is from", or_null=True, source=of_bill("supplier_id")
    )
    customerId = a.an_id(
        "The customer that sent a received self-billed invoice",
        or_null=True,
        source=of_bill("customer_id"),
    )
    glAccountCode = gl_account_field()
    processedAt = processed_at_field()
    processedBy = processed_by_field()
    response = response_field()
    amountPaid = a.amount(
        "What you have said was paid of what you sold; null before, and of a bill",
        121.00,
        source="amount_paid",
    )
    paid = a.flag(
        "Whether that reaches the amount due; null for a bill",
        example=True,
        or_null=True,
        source="is_paid",
    )
    metadata = returned_metadata(
        "Metadata of the send; empty if it had none",
        required=True,
        source=lambda listed: listed.item.metadata or {},
    )
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = a.moment(
        "When its status last changed",
        "2026-11-21T10:00:02.000Z",
        source=lambda listed: lists.updated_at(listed.item),
    )


class DocumentParty(ResponseSchema[PartyOfDocument]):
    """The sender or receiver of a listed invoice."""

    peppolId = a.text(
        "ISO 6523 id; null for a receiver without one", "0088:9520000000004", or_null=True
    )
    country = a.text("ISO 3166-1 alpha-2, from the document", "BE", or_null=True)


class _DocumentHead(ResponseSchema[ListedInvoice]):
    """The members by which the form of /v1 begins."""

    inside = "item"

    id = a.an_id("The invoice", source="id")
    status = a.text(
        "queued, processing, delivered, failed; acknowledged or rejected by an authority; received",
        "delivered",
        source=".document.status",
    )
    format = a.text(
        "ubl or cii; null for a received document of another kind",
        "ubl",
        or_null=True,
        source=".document.form",
    )
    network = a.text("The network", "peppol", source=".document.network")
    documentType = a.text(a.KINDS_OF_DOCUMENT, "invoice", source=".document.kind")
    sender = a.one(
        DocumentParty(),
        "Who sends",
        source=lambda each: PartyOfDocument(each.item.sender, each.document.sender_country),
    )
    receiver = a.one(
        DocumentParty(),
        "Who receives",
        source=lambda each: PartyOfDocument(each.item.receiver, each.document.receiver_country),
    )


class DocumentSummary(InvoiceSummary, _DocumentHead):
    """One invoice of a list in the form of /v1; GET /v1/invoices/{invoiceId} has the rest."""

    class Meta:
        exclude = ("invoiceId", "type", "senderParticipantId", "receiverParticipantId")


class InvoiceList(ResponseSchema[Page[Any]]):
    """A page. Continue with nextCursor while hasMore is true.

    A page with a filter on q, currency or issue dates, or with several filters, examines 5,000
    invoices: it may be short, even empty, and still not be the last.
    """

    items = a.things(InvoiceSummary(), "The invoices")
    nextCursor = a.text(
        "Pass it as cursor for the next page; null on the last page", "c2VhbGVk", or_null=True
    )
    hasMore = a.flag("Whether there may be another page", example=True)
    provider = a.provider()
    total = optional.number("Number of items on all pages; only with include=total", 118)


class DocumentList(InvoiceList):
    """A page of invoices in the form of /v1. Continue with nextCursor while hasMore is true."""

    items = a.things(DocumentSummary(), "The invoices")
