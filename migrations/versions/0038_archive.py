"""The archive: objects outside of the database, the parts they hold, and walks over invoices.

Revision: 0038
Follows: 0037
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

UNFINISHED = sa.text("state <> 'stored'")


def upgrade() -> None:
    op.add_column("invoices", sa.Column("archived_at", Moment(), nullable=True))
    op.add_column("artefacts", sa.Column("archived_at", Moment(), nullable=True))
    op.create_table(
        "archive_objects",
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("store", sa.String(12), nullable=False),
        sa.Column("encoding", sa.String(8), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("stored_size", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("changed_at", Moment(), nullable=False),
        sa.Column("retain_until", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "sha256", name=op.f("pk_archive_objects")),
    )
    op.create_index(
        "ix_archive_objects_unfinished",
        "archive_objects",
        ["changed_at"],
        postgresql_where=UNFINISHED,
        sqlite_where=UNFINISHED,
    )
    op.create_table(
        "archive_parts",
        sa.Column("owner_id", sa.String(40), nullable=False),
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", Moment(), nullable=True),
        sa.Column("dropped_at", Moment(), nullable=True),
        sa.Column("dropped_rule", sa.String(200), nullable=True),
        sa.PrimaryKeyConstraint("owner_id", "part", name=op.f("pk_archive_parts")),
    )
    op.create_index("ix_archive_parts_object", "archive_parts", ["tenant_id", "sha256"])
    op.create_index("ix_archive_parts_invoice", "archive_parts", ["invoice_id"])
    op.create_table(
        "archive_walks",
        sa.Column("name", sa.String(16), nullable=False),
        sa.Column("position", sa.String(40), nullable=False),
        sa.Column("token", sa.String(32), nullable=True),
        sa.Column("lease_until", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_archive_walks")),
    )
    op.create_table(
        "archive_later",
        sa.Column("invoice_id", sa.String(40), nullable=False),
        sa.Column("due_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("invoice_id", name=op.f("pk_archive_later")),
    )
    op.create_index("ix_archive_later_due", "archive_later", ["due_at"])


def downgrade() -> None:
    for table in ("archive_later", "archive_walks", "archive_parts", "archive_objects"):
        op.drop_table(table)
    op.drop_column("artefacts", "archived_at")
    op.drop_column("invoices", "archived_at")
