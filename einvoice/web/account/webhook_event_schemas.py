"""The body of each type of event, as webhooks are posted and as the feed lists them.

The members beside the common ones are those that the services emit (decisions 4).
"""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.domain import events
from einvoice.web.account.event_schemas import Event
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import InvoiceAnswered
from einvoice.web.shared.network_finding_schemas import network_findings

_MEANS = (
    "Who has it: receiver, platform (of the receiver), authority, mail (a mail server on the way "
    "to the receiver) or reported (nobody else)"
)


class _OfInvoice(Event):
    invoiceId = a.an_id("The invoice")


class _OfTransaction(_OfInvoice):
    transactionId = a.text("The transmission", "txn_5f0c")


class TransactionSentEvent(_OfTransaction):
    """A sent document was delivered."""

    eventType = a.text("Always transaction.sent", events.TRANSACTION_SENT)
    networkStatus = a.text("Always Delivered", "Delivered")
    status = a.text("Always Delivered", "Delivered")
    deliveredMeans = a.text(_MEANS, "receiver")


class TransactionFailedEvent(_OfTransaction):
    """A sent document could not be delivered."""

    eventType = a.text("Always transaction.failed", events.TRANSACTION_FAILED)
    networkStatus = a.text("Always Failed", "Failed")
    status = a.text("Always Failed", "Failed")
    reason = a.text("Why it failed", "The receiver is unreachable.", or_null=True)
    reasonCode = a.text("Stable code of the failure", "receiver-ap-unreachable", or_null=True)
    retryable = a.flag("Whether sending it again may help", example=True, or_null=True)
    networkFindings = network_findings()


class TransactionDelayedEvent(_OfTransaction):
    """The network has not taken a document for an hour. It is sent on; there is one for each."""

    eventType = a.text("Always transaction.delayed", events.TRANSACTION_DELAYED)
    networkStatus = a.text("Always Processing", "Processing")
    status = a.text("Always Processing", "Processing")
    reason = a.text("Why it waits", "HTTP 503", or_null=True)
    acceptedAt = a.moment("When it was accepted")
    dueBy = a.moment("When a law wants it handed over; null where none does", or_null=True)


class TransactionReceivedEvent(_OfTransaction):
    """A document was received."""

    eventType = a.text("Always transaction.received", events.TRANSACTION_RECEIVED)
    networkStatus = a.text("Always Received", "Received")
    status = a.text("Always Received", "Received")
    documentId = a.an_id("The invoice, the same as invoiceId")
    senderParticipantId = a.text("ISO 6523 id of the sender", "0208:0123456749")
    receiverParticipantId = a.text(
        "ISO 6523 id of the receiver; null where the document was fetched for an account",
        "0088:9520000000004",
        or_null=True,
    )
    documentTypeId = a.text(
        "Document type in the network",
        "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
        or_null=True,
    )
    documentNumber = a.text("Invoice number", "2026-001", or_null=True)
    contentUrl = a.text(
        "Path of its content as JSON, with the scope invoices:read",
        "/api/invoices/5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b/content",
    )


class InvoiceRespondedEvent(_OfTransaction):
    """The receiver responded to the document."""

    eventType = a.text("Always invoice.responded", events.INVOICE_RESPONDED)
    responseCode = a.text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "AP")
    reasons = a.texts("The reasons as text", "Paid twice")
    response = fields.Nested(
        InvoiceAnswered(),
        metadata={"description": "The response, as the invoice has it"},
        allow_none=True,
        required=True,
    )


class InvoicePaidEvent(_OfInvoice):
    """You have said that an invoice that you sent was paid, in whole or in part."""

    eventType = a.text("Always invoice.paid", events.INVOICE_PAID)
    paymentId = a.an_id("The payment")
    amount = a.amount("In the currency of the invoice", 121.00, or_null=False)
    date = a.day("When it was paid", "2026-11-23")
    reference = a.text("Your own", "B-7", or_null=True)
    amountPaid = a.amount("What is paid of the invoice then", 121.00, or_null=False)
    paid = a.flag("Whether that reaches its amount due", example=True)


class InvoiceReportedEvent(_OfInvoice):
    """A report of an invoice to a tax authority was delivered, or failed."""

    eventType = a.text("Always invoice.reported", events.INVOICE_REPORTED)
    reportId = a.text("The report, as the invoice lists it", "msg_5f0c")
    reportsTo = a.text("Country of the authority, ISO 3166-1 alpha-2", "AE")
    kind = a.text("The type of its artefact", "TDD")
    status = a.text("Delivered or Failed", "Delivered")
    reason = a.text("Why it failed; null otherwise", "The authority refused it.", or_null=True)


class _OfResponse(_OfInvoice):
    responseId = a.an_id("The response")
    responseCode = a.text("AB, IP, UQ, CA, RE, AP or PD (UNCL4343)", "AP")


class ResponseSentEvent(_OfResponse):
    """Your response to a received invoice was delivered."""

    eventType = a.text("Always response.sent", events.RESPONSE_SENT)
    status = a.text("Always Delivered", "Delivered")


class ResponseFailedEvent(_OfResponse):
    """Your response to a received invoice could not be delivered."""

    eventType = a.text("Always response.failed", events.RESPONSE_FAILED)
    status = a.text("Always Failed", "Failed")
    reason = a.text("Why it failed", "The receiver is unreachable.", or_null=True)


class InvoiceValidatedEvent(_OfInvoice):
    """A document submitted at /v1 was accepted."""

    eventType = a.text("Always invoice.validated", events.INVOICE_VALIDATED)
    id = a.an_id("The invoice, the same as invoiceId")
    status = a.text("Always processing", "processing")
    trafficLight = a.text("green or amber", "green")


class _OfSubmission(_OfTransaction):
    id = a.an_id("The invoice, the same as invoiceId")


class InvoiceDeliveredEvent(_OfSubmission):
    """A document submitted at /v1 was delivered."""

    eventType = a.text("Always invoice.delivered", events.INVOICE_DELIVERED)
    status = a.text("Always delivered", "delivered")
    deliveredMeans = a.text(_MEANS, "receiver")


class InvoiceAcknowledgedEvent(_OfSubmission):
    """A tax authority accepted a document submitted at /v1."""

    eventType = a.text("Always invoice.acknowledged", events.INVOICE_ACKNOWLEDGED)
    status = a.text("Always acknowledged", "acknowledged")
    authorityReference = a.text("Reference of the authority", "ID-1")


class InvoiceRejectedEvent(_OfSubmission):
    """A tax authority refused a document submitted at /v1."""

    eventType = a.text("Always invoice.rejected", events.INVOICE_REJECTED)
    status = a.text("Always rejected", "rejected")
    authorityReference = a.text("Reference of the authority", "ID-1")


class ApiKeyExpiringEvent(Event):
    """An API key of this environment expires within 14 days, and again within 3."""

    eventType = a.text("Always apiKey.expiring", events.API_KEY_EXPIRING)
    keyId = a.an_id("The key")
    name = a.text("What it is for", "ERP of the head office")
    prefix = a.text("Its first characters", "sk_test_Xk2vQ8aB")
    last4 = a.text("How it ends", "0aZ9")
    expiresAt = a.moment("When it expires", "2026-11-24T10:00:00.000Z")
    daysLeft = a.number("14 or 3", 3)


class _OfConnection(Event):
    connectionId = a.an_id("The connection")
    name = a.text("Its name", "Head office")
    network = a.text("The network", "ro-efactura")
    account = a.text("The tax number that it is for", "RO123456789")
    state = a.text("State of the connection", "renewal-due")
    reason = a.text("Why it is in this state", "The consent has ended.", or_null=True)
    expiresAt = a.moment("When it ends", or_null=True)


class ConnectionOpenedEvent(_OfConnection):
    """A connection works for the first time, or a person has used its connection link."""

    eventType = a.text("Always connection.opened", events.CONNECTION_OPENED)
    linkId = a.an_id("The connection link that was used", or_null=True)


class ConnectionRenewalDueEvent(_OfConnection):
    """A connection of this environment ends within 30 days; again within 7 days and 1 day."""

    eventType = a.text("Always connection.renewalDue", events.CONNECTION_RENEWAL_DUE)
    daysLeft = a.number("30, 7 or 1", 7)


class ConnectionNeedsPersonEvent(_OfConnection):
    """A connection cannot be used until a person acts."""

    eventType = a.text("Always connection.needsPerson", events.CONNECTION_NEEDS_PERSON)


class ConnectionRestoredEvent(_OfConnection):
    """A connection that could not be used works again."""

    eventType = a.text("Always connection.restored", events.CONNECTION_RESTORED)


class MailWithoutInvoiceEvent(Event):
    """A mail at one of your addresses holds no invoice that can be read. Nobody else is told."""

    eventType = a.text("Always mail.withoutInvoice", events.MAIL_WITHOUT_INVOICE)
    connectionId = a.an_id("The address")
    name = a.text("Sender and subject", "b@seller.example: Your order")
    sender = a.text("Whom it claims to be from; not proved", "b@seller.example")
    subject = a.text("Its subject", "Your order")
    reasons = a.texts("Each part, and why it is no bill", "order.docx: it is no invoice in XML")


class PeriodReportRefusedEvent(Event):
    """A report of a period was refused by the platform or the authority."""

    eventType = a.text("Always periodReport.refused", events.PERIOD_REPORT_REFUSED)
    reportId = a.an_id("The report")
    name = a.text("Kind, period and company", "sales 2026-11-01 – 2026-11-10, FR12100000009")
    kind = a.text("What it reports", "sales")
    account = a.text("The company", "FR12100000009")
    startsOn = a.day("The first day of its period", "2026-11-01")
    endsOn = a.day("The last day of its period", "2026-11-10")
    dueOn = a.day("When it is due", "2026-11-20")
    reason = a.text("Why", "REJ_SEMAN: …", or_null=True)


class MailDomainLostEvent(Event):
    """DNS has the records of a domain of yours no more: mails are sent from the operator's address
    until they are there again."""

    eventType = a.text("Always mail.domainLost", events.MAIL_DOMAIN_LOST)
    domainId = a.an_id("The domain")
    domain = a.text("Its name", "muster.example")
    missing = a.texts(
        "The names of the records that are gone, or wrong", "_einvoice.muster.example"
    )


class MailDomainRestoredEvent(Event):
    """DNS has the records of a lost domain of yours again: mails are sent from it."""

    eventType = a.text("Always mail.domainRestored", events.MAIL_DOMAIN_RESTORED)
    domainId = a.an_id("The domain")
    domain = a.text("Its name", "muster.example")


class _OfParticipant(Event):
    participantId = a.text("The participant id", "0208:0123456749")
    reason = a.text("The operator's reason", "Confirmed by telephone.", or_null=True)


class ParticipantVerifiedEvent(_OfParticipant):
    """A claim of a participant id was verified: it sends and receives."""

    eventType = a.text("Always participant.verified", events.PARTICIPANT_VERIFIED)
    status = a.text("Always verified", "verified")
    decidedBy = a.text("operator, network or number (a verified number of yours)", "operator")


class ParticipantRejectedEvent(_OfParticipant):
    """A claim of a participant id was rejected."""

    eventType = a.text("Always participant.rejected", events.PARTICIPANT_REJECTED)
    status = a.text("Always rejected", "rejected")
    decidedBy = a.text("Always operator", "operator")


class ParticipantPublishedEvent(Event):
    """A network has taken the entry of a participant id: others find it here."""

    eventType = a.text("Always participant.published", events.PARTICIPANT_PUBLISHED)
    participantId = a.text("The participant id", "0208:0123456749")
    publication = a.text("Always published", "published")


class ParticipantRefusedEvent(Event):
    """A network does not let this service publish a participant id."""

    eventType = a.text("Always participant.refused", events.PARTICIPANT_REFUSED)
    participantId = a.text("The participant id", "0208:0123456749")
    publication = a.text("Always refused", "refused")
    reason = a.text(
        "elsewhere (another provider has it: move it by its migration key) or refused", "elsewhere"
    )
    text = a.text("The network's own words", "The participant is registered already.")


class ParticipantMovedEvent(Event):
    """A network that named this service for a participant id does not any more."""

    eventType = a.text("Always participant.moved", events.PARTICIPANT_MOVED)
    participantId = a.text("The participant id", "0208:0123456749")
    publication = a.text("Always moved", "moved")
    reason = a.text(
        "elsewhere (registered with another access point) or not-registered", "elsewhere"
    )


class ParticipantRestoredEvent(Event):
    """A network names this service again for a participant id that had moved."""

    eventType = a.text("Always participant.restored", events.PARTICIPANT_RESTORED)
    participantId = a.text("The participant id", "0208:0123456749")
    publication = a.text("Always published", "published")


class WebhookDisabledEvent(Event):
    """Another webhook of the account was disabled."""

    eventType = a.text("Always webhook.disabled", events.WEBHOOK_DISABLED)
    webhookId = a.an_id("The disabled webhook")
    status = a.text("Always disabled", "disabled")


class IdentificationDecidedEvent(Event):
    """The identification of the account by a platform was verified or rejected."""

    eventType = a.text("Always identification.decided", events.IDENTIFICATION_DECIDED)
    identificationId = a.an_id("The identification")
    status = a.text("verified or rejected", "verified")
    decidedBy = a.text("platform or operator", "operator")
    numbers = a.texts("Its register and VAT numbers", "0208:0123456749")
    reason = a.text("The reason of the operator", "The extract is of 2019", or_null=True)


class BatchFinishedEvent(Event):
    """Each document of a batch is Delivered, Failed or was refused."""

    eventType = a.text("Always batch.finished", events.BATCH_FINISHED)
    batchId = a.an_id("The batch")
    total = a.number("Documents in the request", 500)
    delivered = a.number("Those that are Delivered", 490)
    failed = a.number("Those that are Failed", 8)
    rejected = a.number("Those that the service refused", 2)


class ExportFinishedEvent(Event):
    """An export of the account's data is done, or failed."""

    eventType = a.text("Always export.finished", events.EXPORT_FINISHED)
    exportId = a.an_id("The export")
    status = a.text("done or failed", "done")
    documents = a.number("Documents in it", 4000)
    sizeBytes = a.number("Bytes of the file; null if it failed", 38_000_000, or_null=True)
    expiresAt = a.moment(
        "Until when the file can be downloaded; null without a file, and for one of the operator",
        or_null=True,
    )
    reason = a.text("Why it failed; null if it is done", "OSError: disk full", or_null=True)


class PlanUsageEvent(Event):
    """The account has sent 80 or 100 % of the documents that its plan has for the month."""

    eventType = a.text("Always plan.usage", events.PLAN_USAGE)
    month = a.text("The month (UTC)", "2026-11")
    percent = a.number("80 or 100", 80)
    documents = a.number("How many were sent", 800)
    monthlyDocuments = a.number("How many the plan has", 1000)


class WebhookTestEvent(Event):
    """A test that was requested for this webhook."""

    eventType = a.text("Always webhook.test", events.WEBHOOK_TEST)
    webhookId = a.an_id("This webhook")
    message = a.text("A text for people", "This is a test: nothing has happened.")


# Event type → its body.
BODIES: dict[str, type[Schema]] = {
    events.TRANSACTION_SENT: TransactionSentEvent,
    events.TRANSACTION_FAILED: TransactionFailedEvent,
    events.TRANSACTION_DELAYED: TransactionDelayedEvent,
    events.TRANSACTION_RECEIVED: TransactionReceivedEvent,
    events.INVOICE_RESPONDED: InvoiceRespondedEvent,
    events.INVOICE_PAID: InvoicePaidEvent,
    events.INVOICE_REPORTED: InvoiceReportedEvent,
    events.RESPONSE_SENT: ResponseSentEvent,
    events.RESPONSE_FAILED: ResponseFailedEvent,
    events.INVOICE_VALIDATED: InvoiceValidatedEvent,
    events.INVOICE_DELIVERED: InvoiceDeliveredEvent,
    events.INVOICE_ACKNOWLEDGED: InvoiceAcknowledgedEvent,
    events.INVOICE_REJECTED: InvoiceRejectedEvent,
    events.API_KEY_EXPIRING: ApiKeyExpiringEvent,
    events.CONNECTION_OPENED: ConnectionOpenedEvent,
    events.CONNECTION_RENEWAL_DUE: ConnectionRenewalDueEvent,
    events.CONNECTION_NEEDS_PERSON: ConnectionNeedsPersonEvent,
    events.CONNECTION_RESTORED: ConnectionRestoredEvent,
    events.MAIL_WITHOUT_INVOICE: MailWithoutInvoiceEvent,
    events.MAIL_DOMAIN_LOST: MailDomainLostEvent,
    events.MAIL_DOMAIN_RESTORED: MailDomainRestoredEvent,
    events.PERIOD_REPORT_REFUSED: PeriodReportRefusedEvent,
    events.PARTICIPANT_VERIFIED: ParticipantVerifiedEvent,
    events.PARTICIPANT_REJECTED: ParticipantRejectedEvent,
    events.PARTICIPANT_PUBLISHED: ParticipantPublishedEvent,
    events.PARTICIPANT_REFUSED: ParticipantRefusedEvent,
    events.PARTICIPANT_MOVED: ParticipantMovedEvent,
    events.PARTICIPANT_RESTORED: ParticipantRestoredEvent,
    events.IDENTIFICATION_DECIDED: IdentificationDecidedEvent,
    events.BATCH_FINISHED: BatchFinishedEvent,
    events.EXPORT_FINISHED: ExportFinishedEvent,
    events.PLAN_USAGE: PlanUsageEvent,
    events.WEBHOOK_DISABLED: WebhookDisabledEvent,
    events.WEBHOOK_TEST: WebhookTestEvent,
}
