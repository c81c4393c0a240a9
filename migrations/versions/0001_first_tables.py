"""create the first tables

Revision: 0001
Follows: nothing
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from einvoice.store.core.types import Moment, Money

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("invoice_id", sa.String(length=40), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_events")),
        sa.UniqueConstraint("id", name=op.f("uq_events_id")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(
            "ix_events_tenant", ["tenant_id", "environment", "sequence"], unique=False
        )

    op.create_table(
        "idempotency_keys",
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("space", sa.String(length=8), nullable=False),
        sa.Column("key", sa.String(length=128), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("invoice_id", sa.String(length=40), nullable=False),
        sa.Column("transmission_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint(
            "tenant_id", "environment", "space", "key", name=op.f("pk_idempotency_keys")
        ),
    )
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.create_index("ix_idempotency_keys_created", ["created_at"], unique=False)

    op.create_table(
        "invoices",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("direction", sa.String(length=8), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("number", sa.String(), nullable=True),
        sa.Column("issue_date", sa.Date(), nullable=True),
        sa.Column("due_date", sa.Date(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("subtotal", Money(), nullable=True),
        sa.Column("tax_amount", Money(), nullable=True),
        sa.Column("grand_total", Money(), nullable=True),
        sa.Column("payable", Money(), nullable=True),
        sa.Column("supplier_name", sa.String(), nullable=True),
        sa.Column("buyer_name", sa.String(), nullable=True),
        sa.Column("sender", sa.String(length=140), nullable=False),
        sa.Column("receiver", sa.String(length=140), nullable=False),
        sa.Column("transmission_id", sa.String(length=40), nullable=False),
        sa.Column("rule_pack", sa.String(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("original_type", sa.String(), nullable=False),
        sa.Column("original", sa.LargeBinary(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoices")),
    )
    with op.batch_alter_table("invoices", schema=None) as batch_op:
        batch_op.create_index(
            "ix_invoices_tenant_created",
            ["tenant_id", "environment", "created_at", "id"],
            unique=False,
        )
        for filtered in ("number", "receiver", "sender"):
            batch_op.create_index(
                f"ix_invoices_{filtered}",
                ["tenant_id", "environment", filtered, "created_at", "id"],
                unique=False,
            )
        batch_op.create_index(
            "ix_invoices_received",
            ["tenant_id", "environment", "created_at", "id"],
            unique=False,
            postgresql_where=sa.text("direction = 'received'"),
            sqlite_where=sa.text("direction = 'received'"),
        )

    op.create_table(
        "outbox",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("lane", sa.String(length=12), nullable=False),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("access_point", sa.String(), nullable=True),
        sa.Column("due_at", Moment(), nullable=False),
        sa.Column("token", sa.String(length=32), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        postgresql_with={"fillfactor": 50},
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_due",
            ["lane", "tenant_id", "due_at"],
            unique=False,
            postgresql_where=sa.text("token IS NULL"),
            sqlite_where=sa.text("token IS NULL"),
        )
        batch_op.create_index(
            "ix_outbox_leased",
            ["lane", "token"],
            unique=False,
            postgresql_where=sa.text("token IS NOT NULL"),
            sqlite_where=sa.text("token IS NOT NULL"),
        )
        batch_op.create_index("ix_outbox_subject", ["subject_id"], unique=False)

    op.create_table(
        "tenants",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("strict_idempotency", sa.Boolean(), nullable=False),
        sa.Column("reject_duplicate_numbers", sa.Boolean(), nullable=False),
        sa.Column("profile", sa.JSON(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenants")),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(length=24), nullable=False),
        sa.Column("last4", sa.String(length=4), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("allowed_ips", sa.JSON(), nullable=False),
        sa.Column("allowed_receivers", sa.JSON(), nullable=False),
        sa.Column("get_per_minute", sa.Integer(), nullable=True),
        sa.Column("post_per_minute", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.Column("last_used_at", Moment(), nullable=True),
        sa.Column("last_used_ip", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_api_keys_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_keys_digest")),
    )
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.create_index("ix_api_keys_tenant", ["tenant_id", "created_at"], unique=False)

    op.create_table(
        "artefacts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("invoice_id", sa.String(length=40), nullable=False),
        sa.Column("transmission_id", sa.String(length=40), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content_type", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("authority_reference", sa.String(), nullable=True),
        sa.Column("legal_original", sa.Boolean(), nullable=False),
        sa.Column("retention_years", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name=op.f("fk_artefacts_invoice_id_invoices")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artefacts")),
        sa.UniqueConstraint(
            "invoice_id", "kind", "sha256", name=op.f("uq_artefacts_invoice_id_kind_sha256")
        ),
    )
    op.create_table(
        "participants",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("participant", sa.String(length=140), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_participants_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participants")),
        sa.UniqueConstraint(
            "environment", "participant", name=op.f("uq_participants_environment_participant")
        ),
    )
    op.create_table(
        "registrations",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("participant", sa.String(length=140), nullable=False),
        sa.Column("access_point", sa.String(), nullable=False),
        sa.Column("registered", sa.Boolean(), nullable=False),
        sa.Column("document_types", sa.JSON(), nullable=False),
        sa.Column("checked_at", Moment(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_registrations_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_registrations")),
        sa.UniqueConstraint(
            "tenant_id",
            "environment",
            "participant",
            name=op.f("uq_registrations_tenant_id_environment_participant"),
        ),
    )
    op.create_table(
        "transmissions",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("invoice_id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("access_point", sa.String(), nullable=False),
        sa.Column("registration_id", sa.String(length=40), nullable=True),
        sa.Column("document_type", sa.String(), nullable=False),
        sa.Column("process", sa.String(), nullable=False),
        sa.Column("sender_country", sa.String(length=2), nullable=True),
        sa.Column("receiver_country", sa.String(length=2), nullable=True),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("phase", sa.String(length=12), nullable=False),
        sa.Column("answered", sa.String(length=16), nullable=True),
        sa.Column("answer_by", Moment(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("retry_until", Moment(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("prepared", sa.LargeBinary(), nullable=True),
        sa.Column("prepared_state", sa.JSON(), nullable=True),
        sa.Column("pending", sa.JSON(), nullable=True),
        sa.Column("attention", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("reason_code", sa.String(), nullable=True),
        sa.Column("error_code", sa.String(), nullable=True),
        sa.Column("upstream_status", sa.Integer(), nullable=True),
        sa.Column("retryable", sa.Boolean(), nullable=True),
        sa.Column("rejected", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("listed_at", Moment(), nullable=True),
        sa.Column("submitted_at", Moment(), nullable=True),
        sa.Column("settled_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["invoice_id"], ["invoices.id"], name=op.f("fk_transmissions_invoice_id_invoices")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transmissions")),
        postgresql_with={"fillfactor": 70},
    )
    with op.batch_alter_table("transmissions", schema=None) as batch_op:
        batch_op.create_index(
            "ix_transmissions_attention",
            ["created_at"],
            unique=False,
            postgresql_where=sa.text("attention"),
            sqlite_where=sa.text("attention"),
        )
        batch_op.create_index("ix_transmissions_invoice", ["invoice_id"], unique=False)
        batch_op.create_index(
            "ix_transmissions_listed",
            ["tenant_id", "environment", "status", "listed_at", "invoice_id"],
            unique=False,
        )

    op.create_table(
        "webhook_endpoints",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("event_types", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("disabled_reason", sa.String(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("signing_secret", sa.LargeBinary(), nullable=False),
        sa.Column("old_signing_secret", sa.LargeBinary(), nullable=True),
        sa.Column("old_signing_until", Moment(), nullable=True),
        sa.Column("failing_since", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_webhook_endpoints_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_endpoints")),
    )
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.create_index(
            "ix_webhook_endpoints_tenant", ["tenant_id", "environment"], unique=False
        )

    op.create_table(
        "attempts",
        sa.Column("transmission_id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("detail", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["transmission_id"],
            ["transmissions.id"],
            name=op.f("fk_attempts_transmission_id_transmissions"),
        ),
        sa.PrimaryKeyConstraint("transmission_id", "number", name=op.f("pk_attempts")),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("endpoint_id", sa.String(length=40), nullable=False),
        sa.Column("event_id", sa.String(length=40), nullable=False),
        sa.Column("event_type", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("trigger", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("last_error", sa.String(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("response_excerpt", sa.String(), nullable=True),
        sa.Column("next_retry_at", Moment(), nullable=True),
        sa.Column("delivered_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f("fk_webhook_deliveries_endpoint_id_webhook_endpoints"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.create_index("ix_webhook_deliveries_created", ["created_at"], unique=False)
        batch_op.create_index(
            "ix_webhook_deliveries_endpoint", ["endpoint_id", "created_at"], unique=False
        )


def downgrade() -> None:
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.drop_index("ix_webhook_deliveries_endpoint")
        batch_op.drop_index("ix_webhook_deliveries_created")

    op.drop_table("webhook_deliveries")
    op.drop_table("attempts")
    with op.batch_alter_table("webhook_endpoints", schema=None) as batch_op:
        batch_op.drop_index("ix_webhook_endpoints_tenant")

    op.drop_table("webhook_endpoints")
    with op.batch_alter_table("transmissions", schema=None) as batch_op:
        batch_op.drop_index("ix_transmissions_listed")
        batch_op.drop_index("ix_transmissions_invoice")
        batch_op.drop_index(
            "ix_transmissions_attention",
            postgresql_where=sa.text("attention"),
            sqlite_where=sa.text("attention"),
        )

    op.drop_table("transmissions")
    op.drop_table("registrations")
    op.drop_table("participants")
    op.drop_table("artefacts")
    with op.batch_alter_table("api_keys", schema=None) as batch_op:
        batch_op.drop_index("ix_api_keys_tenant")

    op.drop_table("api_keys")
    op.drop_table("tenants")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index("ix_outbox_subject")
        batch_op.drop_index(
            "ix_outbox_leased",
            postgresql_where=sa.text("token IS NOT NULL"),
            sqlite_where=sa.text("token IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_outbox_due",
            postgresql_where=sa.text("token IS NULL"),
            sqlite_where=sa.text("token IS NULL"),
        )

    op.drop_table("outbox")
    with op.batch_alter_table("invoices", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_invoices_received",
            postgresql_where=sa.text("direction = 'received'"),
            sqlite_where=sa.text("direction = 'received'"),
        )
        batch_op.drop_index("ix_invoices_sender")
        batch_op.drop_index("ix_invoices_receiver")
        batch_op.drop_index("ix_invoices_number")
        batch_op.drop_index("ix_invoices_tenant_created")

    op.drop_table("invoices")
    with op.batch_alter_table("idempotency_keys", schema=None) as batch_op:
        batch_op.drop_index("ix_idempotency_keys_created")

    op.drop_table("idempotency_keys")
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_index("ix_events_tenant")

    op.drop_table("events")
