"""The names of files that people sent as a batch, and an index of a tenant's batches.

Revision: 0077
Follows: 0076
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

NAME = "ix_batches_tenant"


def upgrade() -> None:
    op.add_column("batch_items", sa.Column("name", sa.String(200), nullable=True))
    op.create_index(NAME, "batches", ["tenant_id", "environment", "created_at", "id"])


def downgrade() -> None:
    op.drop_index(NAME, "batches")
    op.drop_column("batch_items", "name")
