"""The event types that webhooks can subscribe to (decisions 4, "Event catalogue")."""

from __future__ import annotations

TRANSACTION_SENT = "transaction.sent"
TRANSACTION_FAILED = "transaction.failed"
TRANSACTION_RECEIVED = "transaction.received"
TRANSACTION_DELAYED = "transaction.delayed"  # its network has not taken it for an hour
INVOICE_RESPONDED = "invoice.responded"
INVOICE_PAID = "invoice.paid"  # as its tenant says, in whole or in part
INVOICE_REPORTED = "invoice.reported"  # to a tax authority, or not
RESPONSE_SENT = "response.sent"  # to a received invoice
RESPONSE_FAILED = "response.failed"
# Of documents that were submitted as XML (the /v1 family), beside the two of transactions.
INVOICE_VALIDATED = "invoice.validated"
INVOICE_DELIVERED = "invoice.delivered"
INVOICE_ACKNOWLEDGED = "invoice.acknowledged"  # by an authority
INVOICE_REJECTED = "invoice.rejected"
WEBHOOK_TEST = "webhook.test"
WEBHOOK_DISABLED = "webhook.disabled"
API_KEY_EXPIRING = "apiKey.expiring"
CONNECTION_OPENED = "connection.opened"  # it works for the first time, or a link was used
CONNECTION_RENEWAL_DUE = "connection.renewalDue"
CONNECTION_NEEDS_PERSON = "connection.needsPerson"
CONNECTION_RESTORED = "connection.restored"
MAIL_WITHOUT_INVOICE = "mail.withoutInvoice"  # at an address for bills
MAIL_DOMAIN_LOST = "mail.domainLost"  # DNS has its records no more
MAIL_DOMAIN_RESTORED = "mail.domainRestored"  # they are there again
PERIOD_REPORT_REFUSED = "periodReport.refused"  # by the authority
PARTICIPANT_VERIFIED = "participant.verified"
PARTICIPANT_REJECTED = "participant.rejected"
PARTICIPANT_PUBLISHED = "participant.published"
PARTICIPANT_REFUSED = "participant.refused"  # by the network, to be published
PARTICIPANT_MOVED = "participant.moved"
PARTICIPANT_RESTORED = "participant.restored"
IDENTIFICATION_DECIDED = "identification.decided"
BATCH_FINISHED = "batch.finished"  # each of its documents is Delivered, Failed or refused
EXPORT_FINISHED = "export.finished"  # of the account's data
PLAN_USAGE = "plan.usage"  # 80 or 100 % of the documents of a month

ALL_TYPES = "*"  # of an endpoint: also the types that will be added

# For an endpoint that names no event types: the three of the contract.
DEFAULT_TYPES = frozenset({TRANSACTION_SENT, TRANSACTION_FAILED, TRANSACTION_RECEIVED})
EVENT_TYPES = DEFAULT_TYPES | {
    TRANSACTION_DELAYED,
    INVOICE_RESPONDED,
    INVOICE_PAID,
    INVOICE_REPORTED,
    RESPONSE_SENT,
    RESPONSE_FAILED,
    INVOICE_VALIDATED,
    INVOICE_DELIVERED,
    INVOICE_ACKNOWLEDGED,
    INVOICE_REJECTED,
    WEBHOOK_TEST,
    WEBHOOK_DISABLED,
    API_KEY_EXPIRING,
    CONNECTION_OPENED,
    CONNECTION_RENEWAL_DUE,
    CONNECTION_NEEDS_PERSON,
    CONNECTION_RESTORED,
    MAIL_WITHOUT_INVOICE,
    MAIL_DOMAIN_LOST,
    MAIL_DOMAIN_RESTORED,
    PERIOD_REPORT_REFUSED,
    PARTICIPANT_VERIFIED,
    PARTICIPANT_REJECTED,
    PARTICIPANT_PUBLISHED,
    PARTICIPANT_REFUSED,
    PARTICIPANT_MOVED,
    PARTICIPANT_RESTORED,
    IDENTIFICATION_DECIDED,
    BATCH_FINISHED,
    EXPORT_FINISHED,
    PLAN_USAGE,
}
