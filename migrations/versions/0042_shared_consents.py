"""Consents that several connections of a tenant use, and the times of their tokens.

Revision: 0042
Follows: 0041
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_MOMENTS = ("valid_until", "renewed_at")


def upgrade() -> None:
    op.create_table(
        "shared_consents",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("credentials", sa.LargeBinary, nullable=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("lease_token", sa.String(40), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f("fk_shared_consents_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shared_consents")),
    )
    op.add_column("connections", sa.Column("consent_id", sa.String(40), nullable=True))
    for name in _MOMENTS:
        op.add_column("connections", sa.Column(name, Moment(), nullable=True))
    op.create_index("ix_connections_consent", "connections", ["consent_id"])


def downgrade() -> None:
    op.drop_index("ix_connections_consent", "connections")
    for name in (*_MOMENTS, "consent_id"):
        op.drop_column("connections", name)
    op.drop_table("shared_consents")
