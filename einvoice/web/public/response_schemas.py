"""Schemas of the public API's responses: the contract, the source of /openapi.json, the writers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from marshmallow import Schema

from einvoice.domain.delivery import NetworkStatus
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import (
    ArtefactSummary,
    InvoiceDetail,
    InvoiceRecord,
    ReportRecord,
)
from einvoice.services.participants.lookup import LookupResult
from einvoice.web import headers
from einvoice.web.finding_language import language_of_findings
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.runtime import runtime
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.bill_members import (
    gl_account_field,
    of_bill,
    processed_at_field,
    processed_by_field,
    response_field,
)
from einvoice.web.shared.invoice_schemas import (
    ATTENTION,
    DELIVERED_MEANS,
    ArtefactRecord,
    BillResponse,
    HistoryEntry,
    WarningRecord,
)
from einvoice.web.shared.metadata import returned_metadata
from einvoice.web.shared.network_finding_schemas import network_findings
from einvoice.web.shared.warning_members import truncated_field, warnings_field


class SendResponse(Schema):
    """The first answer to a send; later changes are reported by webhook and GET."""

    invoiceId = a.an_id("The invoice; null in a dry run", or_null=True)
    transactionId = a.text("The transmission, opaque; null in a dry run", "txn_5f0c", or_null=True)
    status = a.text("Always success", "success")
    networkStatus = a.text(
        "Processing in the first answer; null in a dry run", "Processing", or_null=True
    )
    idempotencyKeyEcho = a.text(
        "The given Idempotency-Key, or null", "invoice-2026-001", or_null=True
    )
    provider = a.provider()
    warnings = optional.things(
        WarningRecord(), "Assumptions and warnings of rules; absent if there are none"
    )
    truncated = optional.truncated()
    dryRun = optional.flag("true if nothing was stored; absent otherwise", example=True)
    document = optional.text(
        "The XML document that would be sent; only with options.includeDocument", "<?xml …"
    )


class LookupResponse(ResponseSchema[LookupResult]):
    participantId = a.text(
        "The participant that was looked up",
        "0088:9520000000004",
        source=lambda found: str(found.participant),
    )
    isRegistered = a.flag(
        "Whether it is in the directory of the network", example=True, source="registered"
    )
    accessPointRef = optional.uuid("Pass it to a send; present if registered", source="reference")
    supportedDocTypes = a.texts(
        "Document type identifiers with their scheme",
        "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
        source="document_types",
    )
    provider = a.provider()
    reachableBy = optional.texts(
        "The networks without a directory that reach a participant which is not registered: name "
        "one as `routing.network` of a send, without accessPointRef; absent if there is none",
        "ro-efactura",
        source=lambda found: found.reachable_by or None,
    )
    registeredAs = optional.text(
        "Another id of the same company that is registered, where this one is not; else absent",
        "9925:be0123456749",
        source=lambda found: found.registered_as and str(found.registered_as),
    )


@dataclass(frozen=True, slots=True)
class ListedArtefacts:
    """The artefacts of an invoice."""

    invoice_id: str
    items: list[ArtefactSummary]


class ArtefactList(ResponseSchema[ListedArtefacts]):
    invoiceId = a.an_id("The invoice")
    items = a.things(ArtefactRecord(), "All artefacts")
    provider = a.provider()


class BillResponseAccepted(BillResponse):
    """The response that was accepted; its status changes later."""

    invoiceId = a.an_id("The bill")
    idempotencyKeyEcho = a.text(
        "The given Idempotency-Key, or null",
        "bill-7-paid",
        or_null=True,
        source=lambda _: headers.idempotency_key(),
    )
    provider = a.provider()


class InvoiceTotals(ResponseSchema[InvoiceRecord]):
    subtotal = a.amount("Without VAT, in the invoice's currency", 100.00)
    taxAmount = a.amount("VAT", 21.00)
    grandTotal = a.amount("With VAT", 121.00)
    amountDue = a.amount("With VAT, less prepayments", 121.00, source="payable")
    taxAmountInTaxCurrency = a.amount("VAT in taxCurrency; null without one", 242.55)


def _if_failed(attribute: str) -> Callable[[InvoiceDetail], object]:
    def read(shown: InvoiceDetail) -> object:
        failed = shown.record.status == NetworkStatus.FAILED
        return getattr(shown.record, attribute) if failed else None

    return read


def _warnings(shown: InvoiceDetail) -> Sequence[Mapping[str, object]]:
    return shown.record.warnings


class ReportEntry(ResponseSchema[ReportRecord]):
    """A report of an invoice to a tax authority, beside its delivery."""

    reportId = a.text("The report", "msg_5f0c", source="id")
    reportsTo = a.text("Country of the authority, ISO 3166-1 alpha-2", "AE", source="reports_to")
    kind = a.text("Its document: the artefact of this type, once it is Delivered", "TDD")
    status = a.text("Processing, Delivered (the authority has it) or Failed", "Delivered")
    attention = a.flag("Whether a person has to decide what follows", example=False)
    reason = a.text("Why it failed; null otherwise", "The authority refused it.", or_null=True)
    dueAt = a.moment(
        "Until when the authority has to have it", "2026-11-22T10:00:00.000Z", source="due_at"
    )
    settledAt = a.moment(
        "When its outcome was known; null before",
        "2026-11-21T10:00:04.000Z",
        or_null=True,
        source="settled_at",
    )
    createdAt = a.moment("When it was made", "2026-11-21T10:00:02.000Z", source="created_at")


class BillArrival(ResponseSchema[detail.ArrivalRecord]):
    """A further arrival of a bill: one bill, two networks."""

    accessPoint = a.text("By which it came", "mail-in")
    messageId = a.text("The id of its message", "0199a1b2", source="instance_id")
    receivedAt = a.moment("When it came", source="created_at")
    replacedInvoiceId = a.an_id("The bill that it was before", or_null=True, source="replaced_id")


class InvoiceResponse(ResponseSchema[InvoiceDetail]):
    """An invoice, its status and its history."""

    inside = "record"

    invoiceId = a.an_id("The invoice", source="id")
    transactionId = a.text("The newest transmission", "txn_5f0c", source="transmission_id")
    direction = a.text("sent or received", "sent")
    type = a.text(a.KINDS_OF_DOCUMENT, "invoice", source="kind")
    number = a.text(
        "Invoice number; null if a received document has none", "2026-001", or_null=True
    )
    issueDate = a.day("Date of issue", "2026-11-21", or_null=True)
    dueDate = a.day("Date payment is due", "2026-12-21", or_null=True)
    currency = a.text("ISO 4217", "EUR", or_null=True)
    taxCurrency = a.text(
        "Currency in which VAT is accounted for; null if it is the invoice's", "SEK", or_null=True
    )
    grandTotal = a.amount("Total with tax, in the invoice's currency", 121.00)
    totals = a.part(InvoiceTotals(), "Its totals")
    supplierName = a.text("Seller", "Acme NV", or_null=True)
    buyerName = a.text("Buyer", "Buyer BV", or_null=True)
    senderParticipantId = a.text("ISO 6523 id of the sender", "0208:0123456749", source="sender")
    receiverParticipantId = a.text(
        "ISO 6523 id of the receiver; null if it has none",
        "0088:9520000000004",
        or_null=True,
        source="receiver",
    )
    environment = a.text("test or live", "test")
    networkStatus = a.text(
        "Processing, Delivered or Failed; Received for a received one",
        "Delivered",
        source="status",
    )
    deliveredMeans = a.text(
        DELIVERED_MEANS,
        "receiver",
        or_null=True,
        source=lambda found: detail.delivered_means(found.record, runtime().access_points),
    )
    attention = a.flag(ATTENTION, example=False, source="needs_person")
    waitingReason = a.text(
        "Why it is not sent now: its connection cannot be used, another document is sent before "
        "it, or the network did not take it at the last attempt; null otherwise",
        "The connection RO123456 is needs-person.",
        or_null=True,
        source=".waiting_reason",
    )
    shared = a.flag("Whether a link for the buyer exists", example=False)
    failureReason = a.text(
        "Why it failed; null unless Failed",
        "The receiver is unreachable.",
        or_null=True,
        source=_if_failed("reason"),
    )
    reasonCode = a.text(
        "Stable code of the failure",
        "receiver-ap-unreachable",
        or_null=True,
        source=_if_failed("reason_code"),
    )
    retryable = a.flag(
        "Whether sending it again may help",
        example=True,
        or_null=True,
        source=_if_failed("retryable"),
    )
    networkFindings = network_findings(
        lambda found: detail.worded_findings(found.network_findings, language_of_findings())
    )
    supplierId = a.an_id(
        "The supplier of your directory that a bill is from",
        or_null=True,
        source=of_bill("supplier_id"),
    )
    customerId = a.an_id(
        "The customer of your directory that sent a self-billed invoice",
        or_null=True,
        source=of_bill("customer_id"),
    )
    arrivals = a.things(
        BillArrival(),
        "Further messages with the same document, by other networks; empty for a sent invoice",
        source=".arrivals",
    )
    glAccountCode = gl_account_field()
    processedAt = processed_at_field()
    processedBy = processed_by_field()
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
    response = response_field()
    documentTypeId = a.text(
        "A bill's document type in the network",
        "busdox-docid-qns::…",
        or_null=True,
        source=of_bill("document_type"),
    )
    trafficLight = a.text("Result of the validation: green, amber or red", "green", source=".light")
    history = a.things(HistoryEntry(), "Its history, oldest first", source=".history")
    reports = a.things(
        ReportEntry(),
        "Its reports to tax authorities, oldest first; empty where the law asks for none",
        source=".reports",
    )
    warnings = warnings_field("Assumptions and warnings of rules", _warnings)
    truncated = truncated_field(_warnings)
    metadata = returned_metadata(
        "Metadata of the send; empty if it had none",
        required=True,
        source=lambda found: found.record.metadata or {},
    )
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = a.moment(
        "When its status last changed", "2026-11-21T10:00:02.000Z", source=".updated_at"
    )
    provider = a.provider()
