"""The secret before the old one, while its grace period lasts.

Revision: 0080
Follows: 0079
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None

CLIENTS, ENDPOINTS = "oauth_clients", "webhook_endpoints"


def upgrade() -> None:
    op.add_column(CLIENTS, sa.Column("older_digest", sa.String(64), nullable=True))
    op.add_column(CLIENTS, sa.Column("older_until", Moment(), nullable=True))
    op.add_column(ENDPOINTS, sa.Column("older_signing_secret", sa.LargeBinary(), nullable=True))
    op.add_column(ENDPOINTS, sa.Column("older_signing_until", Moment(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table(ENDPOINTS) as batch_op:
        batch_op.drop_column("older_signing_until")
        batch_op.drop_column("older_signing_secret")
    with op.batch_alter_table(CLIENTS) as batch_op:
        batch_op.drop_column("older_until")
        batch_op.drop_column("older_digest")
