"""Schemas of the /v1 responses.

The verdict of a validation is written by the service (`as_json`), as it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from marshmallow import Schema, fields

from einvoice.domain import bounds
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.services.invoices import detail
from einvoice.services.invoices.status import ResponseDocument, TrackedInvoice
from einvoice.services.send.conversion import Conversion, ConversionWarning
from einvoice.services.send.result import SendResult
from einvoice.validation import warnings
from einvoice.web import json
from einvoice.web.finding_language import language_of_findings
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.runtime import runtime
from einvoice.web.shared import optional_fields as optional
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.bill_members import response_field
from einvoice.web.shared.invoice_schemas import (
    ATTENTION,
    DELIVERED_MEANS,
    ArtefactRecord,
    HistoryEntry,
    PartyOfDocument,
    WarningRecord,
)
from einvoice.web.shared.metadata import returned_metadata
from einvoice.web.shared.network_finding_schemas import network_findings
from einvoice.web.shared.warning_members import truncated_field, warnings_field

_SOME_DIGEST = "2e7233714429a9efaa32200da7a18dd36baefb3e9883cc3ea0aa36d785e02e25"


class Finding(Schema):
    """A finding about a document."""

    severity = a.text("error, warning or information", "warning")
    source = a.text(
        "Origin: xsd, en16931, peppol, country, or network for findings about the request",
        "peppol",
    )
    ruleId = a.text("Permanent id of the rule", "PEPPOL-EN16931-R003")
    message = a.text("What the rule requires", "A reference of the buyer must be given.")
    explanation = a.text(
        "The reason, in plain language", "The invoice has neither of the two.", or_null=True
    )
    suggestion = a.text("What to change", "Give invoice.buyerReference.", or_null=True)
    location = a.text("XPath of the place", "/Invoice[1]/BuyerReference[1]", or_null=True)
    line = fields.Integer(
        metadata={"description": "Line in the document", "example": 12}, allow_none=True
    )
    field = a.text("The same place in a send request", "invoice.buyerReference", or_null=True)
    businessTerms = optional.texts("Terms of EN 16931", "BT-10")
    language = optional.other_language()


class ValidationFinding(Finding):
    """A finding about a document that is validated and not sent."""

    value = optional.text("What the document has at the place of the finding", "1,00")


class ValidationRecord(Schema):
    """The traffic light: green is valid, amber valid with warnings, red is not sent."""

    trafficLight = a.text("green, amber or red", "amber")
    outcome = a.text("Pass, Warn or Block", "Warn")
    syntaxErrors = a.number("Errors of XML or its schema", 0)
    semanticErrors = a.number("Violated rules that prevent sending", 0)
    semanticWarnings = a.number("Violated rules that do not", 2)
    processingTimeMs = a.number(
        "Duration of the check; null if it was not measured", 3, or_null=True
    )
    ruleSet = a.text("The rule set", "peppol-bis-billing-3.0.21")
    ruleSetChosenBy = a.text(
        "Why this rule set: `document` (the document says that it is of this kind), `network` (it "
        "is the set of the network), or `request` (it was asked for); null for a report stored "
        "before this was recorded",
        "document",
        or_null=True,
    )
    format = a.text("ubl or cii; null for anything else", "ubl", or_null=True)
    documentType = a.text(a.KINDS_OF_DOCUMENT, "invoice", or_null=True)
    findings = a.things(Finding(), "Errors first")


class ValidateResponse(ValidationRecord):
    """The report on a document; with `Accept: text/html` it is a page."""

    ruleSetRelease = a.text(
        "The published name of the release of the rule set",
        "Peppol BIS Billing 3.0.21 with EN 16931 1.3.16",
    )
    ruleSetSha256 = a.text(
        "SHA-256 of its rules: the same digest means the same rules", _SOME_DIGEST
    )
    documentSha256 = a.text(
        "SHA-256 of the document as given (of a PDF as a whole), or of the body of a send; null "
        "for an empty one",
        _SOME_DIGEST,
        or_null=True,
    )
    findings = a.things(ValidationFinding(), "Errors first")
    warnings = a.things(
        WarningRecord(), "What the service assumed or finds improbable; they change no light"
    )
    truncated = optional.truncated()
    provider = a.provider()


class ConversionWarningRecord(WarningRecord):
    """An assumption of the service, or a term that was lost or filled in."""

    code = a.text("not-carried-over, filled-in, or the code of an assumption", "not-carried-over")
    location = a.text(
        "XPath of the place in the source", "/Invoice[1]/UBLVersionID[1]", or_null=True
    )
    line = a.number("Line in the source", 4, or_null=True)


def _conversion_warning(found: ConversionWarning) -> Mapping[str, object]:
    [warning] = warnings.in_words([found.warning.as_data()], language_of_findings())
    return warning | {"location": found.location, "line": found.line}


def _syntax(found: Conversion) -> str | None:
    return found.verdict.report.form if found.body is None else "json"


def _converted_text(found: Conversion) -> str:
    return (found.content if found.body is None else json.write(found.body)).decode()


class ConvertResponse(ResponseSchema[Conversion]):
    """A document in another syntax."""

    format = a.text("Its syntax: ubl, cii or json", "cii", source=_syntax)
    documentType = a.text(a.KINDS_OF_DOCUMENT, "invoice", source="verdict.report.kind")
    document = a.text(
        "The XML document, or the body of a send as text",
        "<?xml version='1.0' encoding='UTF-8'?>…",
        source=_converted_text,
    )
    validation = a.one(
        ValidationRecord(), "The verdict on it", source=lambda found: found.verdict.as_json()
    )
    warnings = a.things(
        ConversionWarningRecord(),
        "Assumptions, and what was lost or filled in",
        source=lambda found: map(_conversion_warning, bounds.first(found.warnings)),
    )
    truncated = truncated_field(lambda found: found.warnings)
    provider = a.provider()


class PartyRecord(ResponseSchema[PartyOfDocument]):
    """A party of the delivery."""

    peppolId = a.text(
        "ISO 6523 id; null for a receiver without one", "0088:9520000000004", or_null=True
    )
    country = a.text("ISO 3166-1 alpha-2, from the document", "BE", or_null=True)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submission, with the invoice and the idempotency key."""

    result: SendResult
    tracked: TrackedInvoice
    key: str | None

    @property
    def status(self) -> NetworkStatus:
        delivered = self.result.answer is SendAnswer.DELIVERED
        return NetworkStatus.DELIVERED if delivered else NetworkStatus.PROCESSING


def _sender(shown: TrackedInvoice) -> PartyOfDocument:
    return PartyOfDocument(shown.record.sender, shown.submission.sender_country)


def _receiver(shown: TrackedInvoice) -> PartyOfDocument:
    return PartyOfDocument(shown.record.receiver, shown.submission.receiver_country)


class SubmitResponse(ResponseSchema[Submitted]):
    """The first answer to a submission; later changes are reported by webhook and GET."""

    inside = "tracked"

    id = a.text(
        "The invoice; the same as invoiceId at the public API",
        "24e07bed-d077-469b-8d35-ba2042f58716",
        source="record.id",
    )
    transactionId = a.text("The transmission, opaque", "txn_5f0c", source=".result.transaction_id")
    status = a.text(
        "delivered (200) or processing (202); GET has further statuses",
        "delivered",
        source=lambda submitted: submitted.status.lower(),
    )
    networkStatus = a.text("Processing or Delivered", "Delivered", source=".status")
    format = a.text("Submitted format: ubl or cii", "ubl", source="form")
    network = a.text("The network", "peppol")
    documentType = a.text(a.KINDS_OF_DOCUMENT, "invoice", source="record.kind")
    number = a.text("Invoice number", "2026-101", source="record.number")
    sender = a.one(PartyRecord(), "Who sends", source=lambda submitted: _sender(submitted.tracked))
    receiver = a.one(
        PartyRecord(), "Who receives", source=lambda submitted: _receiver(submitted.tracked)
    )
    validation = a.one(ValidationRecord(), "Result of its validation")
    warnings = warnings_field(
        "Warnings of rules, improbable values, and changes of the document",
        lambda submitted: submitted.result.warnings,
    )
    truncated = truncated_field(lambda submitted: submitted.result.warnings)
    createdAt = a.moment(
        "When it was accepted", "2026-11-21T10:00:00.000Z", source="record.created_at"
    )
    idempotencyKeyEcho = a.text(
        "The given Idempotency-Key, or null", "invoice-2026-101", or_null=True, source=".key"
    )
    provider = a.provider()


class ResponseRecord(ResponseSchema[ResponseDocument]):
    """A response of the receiver to the document."""

    type = a.text("INVOICE_RESPONSE or MLS", "INVOICE_RESPONSE", source="kind")
    responseCode = a.text(
        "AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "AP", or_null=True, source="code"
    )
    reasons = optional.texts("The reasons as text", "Paid twice")
    createdAt = a.moment("When it was received", "2026-11-21T10:00:00.000Z", source="at")
    artefactId = a.text("The complete response", a.SOME_ID)


def _if_failed(attribute: str) -> Callable[[TrackedInvoice], object]:
    def read(shown: TrackedInvoice) -> object:
        failed = shown.record.status == NetworkStatus.FAILED
        return getattr(shown.record, attribute) if failed else None

    return read


def _delivered_at(shown: TrackedInvoice) -> datetime | None:
    is_delivered = shown.record.status == NetworkStatus.DELIVERED
    return shown.record.settled_at if is_delivered else None


def _warnings(shown: TrackedInvoice) -> Sequence[Mapping[str, object]]:
    return shown.record.warnings


class DocumentResponse(ResponseSchema[TrackedInvoice]):
    """A sent or received invoice with history, artefacts and responses."""

    inside = "record"

    id = a.text(
        "The invoice; the same as invoiceId at the public API",
        "24e07bed-d077-469b-8d35-ba2042f58716",
    )
    transactionId = a.text("The transmission, opaque", "txn_5f0c", source="transmission_id")
    status = a.text(
        "queued, processing, delivered, failed; acknowledged or rejected by an authority; received",
        "delivered",
        source=".status",
    )
    networkStatus = a.text(
        "Processing, Delivered or Failed; Received for a received one",
        "Delivered",
        source="status",
    )
    format = a.text(
        "ubl or cii; null for a received document of another kind",
        "ubl",
        or_null=True,
        source=".form",
    )
    network = a.text("The network", "peppol", source=".network")
    documentType = a.text(a.KINDS_OF_DOCUMENT, "invoice", source="kind")
    number = a.text(
        "Invoice number; null if a received document has none", "2026-101", or_null=True
    )
    sender = a.one(PartyRecord(), "Who sends", source=_sender)
    receiver = a.one(PartyRecord(), "Who receives", source=_receiver)
    issueDate = a.day("Date of issue", "2026-11-21", or_null=True)
    currency = a.text("ISO 4217", "EUR", or_null=True)
    grandTotal = a.amount("Total with tax", 121.00)
    taxCurrency = a.text(
        "Currency in which VAT is accounted for; null if it is the invoice's", "SEK", or_null=True
    )
    taxAmountInTaxCurrency = a.amount("VAT in taxCurrency; null without one", 242.55)
    deliveredMeans = a.text(
        DELIVERED_MEANS,
        "receiver",
        or_null=True,
        source=lambda shown: detail.delivered_means(shown.record, runtime().access_points),
    )
    attention = a.flag(ATTENTION, example=False, source="needs_person")
    waitingReason = a.text(
        "Why it is not sent now: its connection cannot be used, another document is sent before "
        "it, or the network did not take it at the last attempt; null otherwise",
        "The connection RO123456 is needs-person.",
        or_null=True,
        source=".waiting_reason",
    )
    deliveredAt = a.moment(
        "When it was delivered", "2026-11-21T10:00:02.000Z", or_null=True, source=_delivered_at
    )
    failureReason = a.text(
        "Why it failed", "The receiver does not exist.", or_null=True, source=_if_failed("reason")
    )
    reasonCode = a.text(
        "Stable code of the failure",
        "receiver-unknown",
        or_null=True,
        source=_if_failed("reason_code"),
    )
    retryable = a.flag(
        "Whether a resend may succeed",
        example=False,
        or_null=True,
        source=_if_failed("retryable"),
    )
    networkFindings = network_findings(
        lambda shown: detail.worded_findings(shown.network_findings, shown.language)
    )
    authorityReference = a.text(
        "Reference of the tax authority",
        "ID-1",
        or_null=True,
        source=".submission.authority_reference",
    )
    validation = a.one(ValidationRecord(), "Result of its validation", source=".validation")
    warnings = warnings_field(
        "Warnings of rules, improbable values, and changes of the document", _warnings
    )
    truncated = truncated_field(_warnings)
    history = a.things(HistoryEntry(), "Its history", source=".history")
    artefacts = a.things(ArtefactRecord(), "Its artefacts", source=".artefacts")
    response = response_field()
    responses = a.things(ResponseRecord(), "Responses of the receiver", source=".responses")
    metadata = returned_metadata(
        "Metadata of the send; empty if it had none",
        required=True,
        source=lambda shown: shown.record.metadata or {},
    )
    createdAt = a.moment("When it was accepted", "2026-11-21T10:00:00.000Z")
    updatedAt = a.moment(
        "When its status last changed",
        "2026-11-21T10:00:02.000Z",
        source=lambda shown: shown.history[-1].at,
    )
    provider = a.provider()
