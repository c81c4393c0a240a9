"""The tables of a send. docs/states.md describes the columns that change.

The tables that every send writes (invoices, transmissions, attempts, artefacts, outbox,
idempotency_keys) have no foreign keys. Checking one to the tenant would lock the tenant's row a
thousand times a second, and the checks between them took a tenth of a send's time in PostgreSQL.
They are not needed: tenants are never deleted, nor are rows of these tables that others refer to,
and each row is written after or together with the row that it refers to.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from einvoice.domain.invoice import SELF_BILLED
from einvoice.domain.trace import Trace
from einvoice.store.core.db import Base
from einvoice.store.core.types import TraceText
from einvoice.store.tables.columns import BIG, an_id, ref


class Registration(Base):
    """A stored lookup of a participant at an access point; its id is the accessPointRef.

    Refs never expire, and never change their access point (decisions 12, 30.1). The first lookup of
    a participant has it as `participant`. One at a further access point has it as
    `further_participant`, and its own id as `participant`, which is unique by itself.
    """

    __tablename__ = "registrations"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = ref("tenants.id")
    environment: Mapped[str] = mapped_column(sa.String(4))
    participant: Mapped[str] = mapped_column(sa.String(140))
    access_point: Mapped[str]
    registered: Mapped[bool]
    document_types: Mapped[Any] = mapped_column(sa.JSON)
    checked_at: Mapped[datetime]
    created_at: Mapped[datetime]
    further_participant: Mapped[str | None] = mapped_column(sa.String(140))

    __table_args__ = (
        sa.UniqueConstraint("tenant_id", "environment", "participant"),
        sa.Index(
            "ix_registrations_further",
            "tenant_id", "environment", "further_participant", "access_point",
            unique=True,
        ),
    )  # fmt: skip


# Received documents that could not be read have no place in the order of these columns.
INCOMPLETE = sa.text("(number IS NULL OR issue_date IS NULL OR grand_total IS NULL)")


# The buyer's tax id as the directory compares it (domain/directory). Literals, as in its index.
BUYER_TAX_KEY = sa.text(
    "replace(replace(replace(replace(upper(buyer_tax_id), ' ', ''), '.', ''), '-', ''), '/', '')"
)


class Invoice(Base):
    """A sent or received document with its findings.

    It is written once, except that a worker may embed the PDF before the first attempt. A received
    document that cannot be read as an invoice is stored as well, with NULL for unknown values. In a
    sent one only the due date may be NULL.
    """

    __tablename__ = "invoices"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    direction: Mapped[str] = mapped_column(sa.String(8))  # sent | received
    kind: Mapped[str] = mapped_column(sa.String(24))
    number: Mapped[str | None]
    issue_date: Mapped[date | None]
    due_date: Mapped[date | None]
    currency: Mapped[str | None] = mapped_column(sa.String(3))
    subtotal: Mapped[Decimal | None]
    tax_amount: Mapped[Decimal | None]
    # VAT in the currency in which it is accounted for, if the document states one (BT-6, BT-111).
    tax_currency: Mapped[str | None] = mapped_column(sa.String(3))
    tax_amount_in_tax_currency: Mapped[Decimal | None]
    grand_total: Mapped[Decimal | None]
    payable: Mapped[Decimal | None]
    supplier_name: Mapped[str | None]
    buyer_name: Mapped[str | None]
    sender: Mapped[str] = mapped_column(sa.String(140))
    # NULL: without a participant id (a consumer, or a buyer known by tax number).
    receiver: Mapped[str | None] = mapped_column(sa.String(140))
    # The newest transmission; its status is the invoice's status.
    transmission_id: Mapped[str] = mapped_column(sa.String(40))
    rule_pack: Mapped[str]
    # Why this rule set judged: request, document or network; NULL in rows of earlier releases.
    rule_set_chosen_by: Mapped[str | None] = mapped_column(sa.String(8))
    # The form of its report (validation/report_forms); NULL in rows of earlier releases: form 1.
    report_form: Mapped[int | None] = mapped_column(sa.SmallInteger)
    findings: Mapped[Any] = mapped_column(sa.JSON)
    warnings: Mapped[Any] = mapped_column(sa.JSON)
    created_at: Mapped[datetime]
    original_type: Mapped[str]
    original: Mapped[bytes]
    # UBL, of which pages are made; a received document without UBL form has none.
    document: Mapped[bytes]
    # What is submitted instead of `document`, to a network that takes another form.
    network_document: Mapped[bytes | None]
    # The parties, so that seeding the directory reads no documents (services/directory/seed).
    supplier_tax_id: Mapped[str | None]
    supplier_country: Mapped[str | None] = mapped_column(sa.String(2))
    buyer_tax_id: Mapped[str | None]
    buyer_country: Mapped[str | None] = mapped_column(sa.String(2))
    # The buyer's other numbers, for envelopes (domain/buyers).
    buyer_ids: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # `due`: the worker embeds the PDF before the first attempt and sets `done`.
    embed_pdf: Mapped[str | None] = mapped_column(sa.String(4))
    # Of a credit note: the number of the first invoice that it credits (BT-25).
    credited_number: Mapped[str | None]
    # The sender's own names and texts (`metadata` of a send), which are never sent.
    sender_metadata: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # Those of them by which its tenant searches (`searchableMetadata`); NULL without any.
    searchable: Mapped[Any | None] = mapped_column(sa.JSON(none_as_null=True))
    # Since when `original`, `document` and `network_document` are in the archive, not here.
    archived_at: Mapped[datetime | None]
    # What its tenant says was paid of a sent one, in its currency (`payments`); NULL: nothing yet.
    amount_paid: Mapped[Decimal | None]

    __table_args__ = (
        # Each index contains the order of a list (store/invoices/lists).
        sa.Index("ix_invoices_tenant_created", "tenant_id", "environment", "created_at", "id"),
        sa.Index("ix_invoices_number", "tenant_id", "environment", "number", "created_at", "id"),
        sa.Index(
            "ix_invoices_receiver", "tenant_id", "environment", "receiver", "created_at", "id"
        ),
        sa.Index("ix_invoices_sender", "tenant_id", "environment", "sender", "created_at", "id"),
        sa.Index(
            "ix_invoices_received",
            "tenant_id",
            "environment",
            "created_at",
            "id",
            postgresql_where=sa.text("direction = 'received'"),
            sqlite_where=sa.text("direction = 'received'"),
        ),
        # Of sorted lists (store/invoices/sorted_lists).
        sa.Index("ix_invoices_issued", "tenant_id", "environment", "issue_date", "id"),
        sa.Index("ix_invoices_total", "tenant_id", "environment", "grand_total", "id"),
        sa.Index(
            "ix_invoices_credited",
            "tenant_id",
            "environment",
            "credited_number",
            postgresql_where=sa.text("credited_number IS NOT NULL"),
            sqlite_where=sa.text("credited_number IS NOT NULL"),
        ),
        # Of the filter by customer (store/invoices/lists).
        sa.Index("ix_invoices_buyer_tax", "tenant_id", "environment", BUYER_TAX_KEY),
        sa.Index(
            "ix_invoices_incomplete",
            "tenant_id",
            "environment",
            "created_at",
            "id",
            postgresql_where=INCOMPLETE,
            sqlite_where=INCOMPLETE,
        ),
    )


# Of the filters by metadata (store/invoices/invoice_filters); never on SQLite.
sa.Index(
    "ix_invoices_searchable",
    sa.cast(Invoice.searchable, postgresql.JSONB).label("searchable_jsonb"),
    postgresql_using="gin",
    postgresql_ops={"searchable_jsonb": "jsonb_path_ops"},
    postgresql_where=sa.text("searchable IS NOT NULL"),
).ddl_if(dialect="postgresql")


# Where the extensions pg_trgm and btree_gin are there; never on SQLite (store/invoices/text_index).
TEXT_INDEX = sa.Index(
    "ix_invoices_text",
    Invoice.tenant_id,
    *(
        sa.func.lower(text).label(f"{text.key}_lower")
        for text in (Invoice.number, Invoice.supplier_name, Invoice.buyer_name)
    ),
    postgresql_using="gin",
    postgresql_ops={
        f"{name}_lower": "gin_trgm_ops" for name in ("number", "supplier_name", "buyer_name")
    },
    postgresql_with={"gin_pending_list_limit": 16384},
)


# The tenant is the seller: of what it sent, and of what buyers billed in its name. Literals, as in
# the partial index, which is not used with a parameter.
IS_SOLD: sa.ColumnElement[bool] = sa.or_(
    sa.and_(Invoice.direction == sa.literal_column("'sent'"), Invoice.kind.not_in(SELF_BILLED)),
    sa.and_(Invoice.direction == sa.literal_column("'received'"), Invoice.kind.in_(SELF_BILLED)),
)
# What needs a person: an unknown outcome, a refusal of the receiver. A literal, as in its index.
NEEDS_PERSON = sa.text("attention OR response_attention")


class Transmission(Base):
    """One transaction id: a document, or a message without an invoice, on its way to a receiver.

    What asks for documents joins `invoices`, or asks for `invoice_id` or `listed_at`: both are NULL
    for a message (tests/architecture/test_readers_of_transmissions.py).
    """

    __tablename__ = "transmissions"

    id: Mapped[str] = an_id()  # txn_…; msg_… of a message, whose content is the row of `messages`
    invoice_id: Mapped[str | None] = mapped_column(sa.String(40))
    # NULL: a message of the access point itself.
    tenant_id: Mapped[str | None] = mapped_column(sa.String(40))
    environment: Mapped[str] = mapped_column(sa.String(4))
    access_point: Mapped[str]
    registration_id: Mapped[str | None] = mapped_column(sa.String(40))
    # The tenant's account by which it is sent; NULL at networks without accounts.
    connection_id: Mapped[str | None] = mapped_column(sa.String(40))
    # Documents of one key are sent one after the other.
    sequence_key: Mapped[str | None] = mapped_column(sa.String(200))
    document_type: Mapped[str]  # scheme::value
    process: Mapped[str]  # scheme::value
    # The name of the profile that the document follows; NULL if received, or of earlier releases.
    profile: Mapped[str | None] = mapped_column(sa.String(40))
    sender_country: Mapped[str | None] = mapped_column(sa.String(2))
    receiver_country: Mapped[str | None] = mapped_column(sa.String(2))
    # At a network of e-mail; NULL elsewhere.
    receiver_email: Mapped[str | None] = mapped_column(sa.String(254))
    status: Mapped[str] = mapped_column(sa.String(12))
    phase: Mapped[str] = mapped_column(sa.String(12))
    # The first answer to the sending request; NULL while it may still wait, until answer_by.
    answered: Mapped[str | None] = mapped_column(sa.String(16))
    answer_by: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(default=0)
    retry_until: Mapped[datetime]
    message_id: Mapped[str | None]
    prepared: Mapped[bytes | None]
    prepared_state: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    # Of a Pending outcome: reference, state and deadline, as returned by the access point.
    pending: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    attention: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str | None]
    reason_code: Mapped[str | None]
    error_code: Mapped[str | None]
    upstream_status: Mapped[int | None]
    retryable: Mapped[bool | None]
    # Who has it once it is Delivered (DeliveredMeans); NULL: as its access point says.
    delivered_means: Mapped[str | None] = mapped_column(sa.String(10))
    # True if the access point refused the document (Rejected), which is answered network-failed.
    rejected: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    # The invoice's created_at, so that a list by status reads one index; NULL after a resend.
    listed_at: Mapped[datetime | None]
    submitted_at: Mapped[datetime | None]
    settled_at: Mapped[datetime | None]
    # The receiver's response that counts, and whether a person has to see it; NULL without one.
    response_id: Mapped[str | None] = mapped_column(sa.String(40))
    response_status: Mapped[str | None] = mapped_column(sa.String(24))
    response_attention: Mapped[bool | None]
    # When and by whom it was said that nothing is left to do about its failure.
    failure_done_at: Mapped[datetime | None]
    failure_done_by: Mapped[str | None]
    # Of the request that caused it: sent it, or handed it over from a network.
    trace: Mapped[Trace | None] = mapped_column(TraceText)

    __table_args__ = (
        sa.Index("ix_transmissions_invoice", "invoice_id"),
        sa.Index(
            "ix_transmissions_listed",
            "tenant_id",
            "environment",
            "status",
            "listed_at",
            "invoice_id",
        ),
        sa.Index(
            "ix_transmissions_attention",
            "created_at",
            postgresql_where=sa.text("attention"),
            sqlite_where=sa.text("attention"),
        ),
        sa.Index(
            "ix_transmissions_responded",
            "tenant_id",
            "environment",
            "response_status",
            "listed_at",
            "invoice_id",
            postgresql_where=sa.text("response_status IS NOT NULL"),
            sqlite_where=sa.text("response_status IS NOT NULL"),
        ),
        sa.Index(
            "ix_transmissions_needs_person",
            "tenant_id",
            "environment",
            "listed_at",
            "invoice_id",
            postgresql_where=NEEDS_PERSON,
            sqlite_where=NEEDS_PERSON,
        ),
        # Outcomes that a network pushes name the reference of the Pending.
        sa.Index(
            "ix_transmissions_reference",
            "access_point",
            sa.text("(pending ->> 'reference')"),
            postgresql_where=sa.text("pending IS NOT NULL"),
            sqlite_where=sa.text("pending IS NOT NULL"),
        ),
        sa.Index(
            "ix_transmissions_without_invoice",
            "settled_at",
            postgresql_where=sa.text("invoice_id IS NULL"),
            sqlite_where=sa.text("invoice_id IS NULL"),
        ),
        # Free space on the page, so that passing the fence updates no index.
        {"postgresql_with": {"fillfactor": 70}},
    )


class Attempt(Base):
    """One submission to an access point, and its outcome."""

    __tablename__ = "attempts"

    transmission_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(sa.String(16))
    detail: Mapped[str | None]


class NetworkFindings(Base):
    """The errors that the network named for its refusal of a document (validation.refusals)."""

    __tablename__ = "network_findings"
    __table_args__ = (sa.Index("ix_network_findings_invoice_id", "invoice_id"),)

    transmission_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    invoice_id: Mapped[str] = mapped_column(sa.String(40))
    findings: Mapped[Any] = mapped_column(sa.JSON)


class Artefact(Base):
    """Evidence from the network. UBL, ORIGINAL and VALIDATION_REPORT are built from the invoice."""

    __tablename__ = "artefacts"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    invoice_id: Mapped[str] = mapped_column(sa.String(40))
    transmission_id: Mapped[str | None] = mapped_column(sa.String(40))
    kind: Mapped[str] = mapped_column(sa.String(32))
    name: Mapped[str]
    content_type: Mapped[str]
    sha256: Mapped[str] = mapped_column(sa.String(64))
    size: Mapped[int]
    authority_reference: Mapped[str | None]
    legal_original: Mapped[bool] = mapped_column(default=False)
    retention_years: Mapped[int | None]
    created_at: Mapped[datetime]
    content: Mapped[bytes]
    # Since when `content` is in the archive, not here.
    archived_at: Mapped[datetime | None]

    # Repeated evidence, such as a duplicate receipt, is stored once.
    __table_args__ = (sa.UniqueConstraint("invoice_id", "kind", "sha256"),)


class IdempotencyKey(Base):
    """An accepted Idempotency-Key, with the invoice and transmission of its request."""

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    space: Mapped[str] = mapped_column(sa.String(8), primary_key=True)  # send | v1 | page
    key: Mapped[str] = mapped_column(sa.String(128), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    invoice_id: Mapped[str] = mapped_column(sa.String(40))
    transmission_id: Mapped[str] = mapped_column(sa.String(40))
    created_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_idempotency_keys_created", "created_at"),)


class AnsweredPost(Base):
    """An Idempotency-Key of a POST that is no send, with its first answer.

    `status` is NULL until the request is answered. `body` is compressed with zlib, and has no
    secret: what is shown only once is not in it.
    """

    __tablename__ = "answered_posts"

    tenant_id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    environment: Mapped[str] = mapped_column(sa.String(4), primary_key=True)
    target: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(128), primary_key=True)
    fingerprint: Mapped[str | None] = mapped_column(sa.String(64))
    status: Mapped[int | None]
    body: Mapped[bytes | None]
    headers: Mapped[Any] = mapped_column(sa.JSON, nullable=True)
    created_at: Mapped[datetime]

    __table_args__ = (sa.Index("ix_answered_posts_created_at", "created_at"),)


class Outbox(Base):
    """Work to do, inserted in the transaction that causes it, deleted in the one that does it."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(BIG, primary_key=True, autoincrement=True)
    kind: Mapped[str] = mapped_column(sa.String(12))  # a constant of store/outbox
    lane: Mapped[str] = mapped_column(
        sa.String(12)
    )  # the queue: one of store/outbox.LANES, parked or waiting
    subject_id: Mapped[str] = mapped_column(sa.String(40))
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    access_point: Mapped[str | None]
    due_at: Mapped[datetime]
    token: Mapped[str | None] = mapped_column(sa.String(32))
    lease_until: Mapped[datetime | None]
    # Of a webhook; NULL in rows that a version before this column wrote.
    endpoint_id: Mapped[str | None] = mapped_column(sa.String(40))
    # Of a transmission that is sent by a connection.
    connection_id: Mapped[str | None] = mapped_column(sa.String(40))
    # The connection that cannot be used: the row is in the lane `parked`, which no relay serves.
    parked_by: Mapped[str | None] = mapped_column(sa.String(40))
    # The sequence of a transmission that is not the next one of it: the lane is `waiting`.
    waits_for: Mapped[str | None] = mapped_column(sa.String(40))
    # Since when it was outside of the lanes; a worker adds that time to `retry_until`.
    paused_at: Mapped[datetime | None]

    __table_args__ = (
        sa.Index(
            "ix_outbox_due",
            "lane",
            "tenant_id",
            "due_at",
            postgresql_where=sa.text("token IS NULL"),
            sqlite_where=sa.text("token IS NULL"),
        ),
        sa.Index(
            "ix_outbox_leased",
            "lane",
            "token",
            postgresql_where=sa.text("token IS NOT NULL"),
            sqlite_where=sa.text("token IS NOT NULL"),
        ),
        sa.Index("ix_outbox_subject", "subject_id"),
        sa.Index(
            "ix_outbox_endpoint",
            "endpoint_id",
            "due_at",
            # Its condition keeps it out of plans of other lanes, and of queries by tenant.
            postgresql_where=sa.text("endpoint_id IS NOT NULL AND token IS NULL"),
            sqlite_where=sa.text("endpoint_id IS NOT NULL AND token IS NULL"),
        ),
        sa.Index(
            "ix_outbox_unassigned",
            "id",
            postgresql_where=sa.text("lane = 'webhooks' AND endpoint_id IS NULL AND token IS NULL"),
            sqlite_where=sa.text("lane = 'webhooks' AND endpoint_id IS NULL AND token IS NULL"),
        ),
        sa.Index(
            "ix_outbox_connection",
            "connection_id",
            postgresql_where=sa.text("connection_id IS NOT NULL"),
            sqlite_where=sa.text("connection_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_outbox_waits",
            "waits_for",
            "id",
            postgresql_where=sa.text("waits_for IS NOT NULL"),
            sqlite_where=sa.text("waits_for IS NOT NULL"),
        ),
        sa.Index(
            "ix_outbox_parked",
            "parked_by",
            postgresql_where=sa.text("parked_by IS NOT NULL"),
            sqlite_where=sa.text("parked_by IS NOT NULL"),
        ),
        # Free space on the page, so that extending a lease updates no index.
        {"postgresql_with": {"fillfactor": 50}},
    )


class Sequence(Base):
    """The documents of one key of a connection that are not final, if there are any.

    The holder is the one that is being sent; the others wait in the outbox (`waits_for`).
    """

    __tablename__ = "sequences"

    id: Mapped[str] = an_id()
    tenant_id: Mapped[str] = mapped_column(sa.String(40))
    access_point: Mapped[str] = mapped_column(sa.String(40))
    connection_id: Mapped[str] = mapped_column(sa.String(40))
    key: Mapped[str] = mapped_column(sa.String(200))
    holder: Mapped[str] = mapped_column(sa.String(40))
    created_at: Mapped[datetime]

    __table_args__ = (
        sa.UniqueConstraint("connection_id", "access_point", "key"),
        sa.Index("ix_sequences_holder", "holder"),
    )
