"""All tables, one module per capability. A test compares the tables imported here to migrations."""

from einvoice.store.tables.archive import (
    ArchiveHold,
    ArchiveLater,
    ArchiveObject,
    ArchivePart,
    ArchiveWalk,
    EndedCount,
)
from einvoice.store.tables.audit import AuditEntry, AuditHead, AuditSeal
from einvoice.store.tables.bill_arrivals import BillArrival, SupplierAccount
from einvoice.store.tables.connections import (
    Connection,
    ConnectionConsent,
    ConnectionLink,
    SharedConsent,
)
from einvoice.store.tables.credentials import ApiKey, OAuthClient
from einvoice.store.tables.directory import Customer, Supplier
from einvoice.store.tables.drafts import DraftFile, InvoiceDraft
from einvoice.store.tables.events import Event, WebhookDelivery, WebhookEndpoint
from einvoice.store.tables.identifications import Identification, IdentificationFile
from einvoice.store.tables.invoice_blocks import InvoiceBlock, PlanCount
from einvoice.store.tables.mail_domains import MailDomain
from einvoice.store.tables.mailboxes import MailboxCursor
from einvoice.store.tables.messages import Message, Notice
from einvoice.store.tables.payments import Payment
from einvoice.store.tables.people import Letter, OperatorKey, Preferences, WebSession
from einvoice.store.tables.period_reports import CollectedDocument, PeriodReport
from einvoice.store.tables.plugins import PluginDuty, PluginRecord, PluginValue
from einvoice.store.tables.received import Received
from einvoice.store.tables.recovery import Recovery
from einvoice.store.tables.responses import BillResponse, ReceiverResponse
from einvoice.store.tables.sends import (
    BUYER_TAX_KEY,
    INCOMPLETE,
    IS_SOLD,
    NEEDS_PERSON,
    TEXT_INDEX,
    AnsweredPost,
    Artefact,
    Attempt,
    IdempotencyKey,
    Invoice,
    NetworkFindings,
    Outbox,
    Registration,
    Sequence,
    Transmission,
)
from einvoice.store.tables.service_states import ServiceState
from einvoice.store.tables.shares import ShareLink
from einvoice.store.tables.submissions import Batch, BatchItem, Submission
from einvoice.store.tables.tenant_data import (
    TenantChange,
    TenantExport,
    TenantImport,
    TenantMove,
)
from einvoice.store.tables.tenants import Participant, ParticipantEntry, Platform, Tenant

__all__ = [
    "BUYER_TAX_KEY",
    "INCOMPLETE",
    "IS_SOLD",
    "NEEDS_PERSON",
    "TEXT_INDEX",
    "AnsweredPost",
    "ApiKey",
    "ArchiveHold",
    "ArchiveLater",
    "ArchiveObject",
    "ArchivePart",
    "ArchiveWalk",
    "Artefact",
    "Attempt",
    "AuditEntry",
    "AuditHead",
    "AuditSeal",
    "Batch",
    "BatchItem",
    "BillArrival",
    "BillResponse",
    "CollectedDocument",
    "Connection",
    "ConnectionConsent",
    "ConnectionLink",
    "Customer",
    "DraftFile",
    "EndedCount",
    "Event",
    "IdempotencyKey",
    "Identification",
    "IdentificationFile",
    "Invoice",
    "InvoiceBlock",
    "InvoiceDraft",
    "Letter",
    "MailDomain",
    "MailboxCursor",
    "Message",
    "NetworkFindings",
    "Notice",
    "OAuthClient",
    "OperatorKey",
    "Outbox",
    "Participant",
    "ParticipantEntry",
    "Payment",
    "PeriodReport",
    "PlanCount",
    "Platform",
    "PluginDuty",
    "PluginRecord",
    "PluginValue",
    "Preferences",
    "Received",
    "ReceiverResponse",
    "Recovery",
    "Registration",
    "Sequence",
    "ServiceState",
    "ShareLink",
    "SharedConsent",
    "Submission",
    "Supplier",
    "SupplierAccount",
    "Tenant",
    "TenantChange",
    "TenantExport",
    "TenantImport",
    "TenantMove",
    "Transmission",
    "WebSession",
    "WebhookDelivery",
    "WebhookEndpoint",
]
