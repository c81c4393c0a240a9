"""Registrations of one participant at several access points.

Revision: 0048
Follows: 0047

The unique constraint of tenant, environment and participant stays, since the release before names
it in its INSERT, and may run beside this one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

INDEX = "ix_registrations_further"
COLUMNS = ["tenant_id", "environment", "further_participant", "access_point"]


def upgrade() -> None:
    op.add_column("registrations", sa.Column("further_participant", sa.String(140), nullable=True))
    op.create_index(INDEX, "registrations", COLUMNS, unique=True)


def downgrade() -> None:
    op.execute("DELETE FROM registrations WHERE further_participant IS NOT NULL")
    op.drop_index(INDEX, table_name="registrations")
    with op.batch_alter_table("registrations") as batch_op:
        batch_op.drop_column("further_participant")
