"""Accounts of tenants at networks, and consents that are being given.

Revision: 0020
Follows: 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

NOT_REVOKED = sa.text("state <> 'revoked'")


def upgrade() -> None:
    op.create_table(
        "connections",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("environment", sa.String(length=4), nullable=False),
        sa.Column("access_point", sa.String(length=40), nullable=False),
        sa.Column("network", sa.String(length=40), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("credentials", sa.LargeBinary(), nullable=True),
        sa.Column("plugin_state", sa.LargeBinary(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("lease_token", sa.String(length=40), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.Column("consent_by", sa.String(), nullable=True),
        sa.Column("consent_at", Moment(), nullable=True),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("checked_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_connections_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connections")),
    )
    op.create_index(
        "uq_connections_account",
        "connections",
        ["tenant_id", "environment", "access_point", "account"],
        unique=True,
        postgresql_where=NOT_REVOKED,
        sqlite_where=NOT_REVOKED,
    )
    op.create_index("ix_connections_listed", "connections", ["tenant_id", "created_at", "id"])
    op.create_index("ix_connections_ending", "connections", ["state", "expires_at"])
    op.create_table(
        "connection_consents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("connection_id", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["connections.id"],
            name=op.f("fk_connection_consents_connection_id_connections"),
        ),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_connection_consents_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection_consents")),
    )
    op.create_index(
        "ix_connection_consents_expires_at", "connection_consents", ["expires_at"]
    )


def downgrade() -> None:
    op.drop_table("connection_consents")
    op.drop_table("connections")
