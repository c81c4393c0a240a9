"""Failures of which a person has said that nothing is left to do.

Revision: 0063
Follows: 0062
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None

COLUMNS = ("failure_done_at", "failure_done_by")


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("failure_done_at", Moment(), nullable=True))
    op.add_column("transmissions", sa.Column("failure_done_by", sa.Text(), nullable=True))


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_column("transmissions", column)
