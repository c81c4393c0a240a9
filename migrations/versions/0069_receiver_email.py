"""The e-mail address of a receiver, of transmissions by a network of e-mail.

Revision: 0069
Follows: 0068
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("receiver_email", sa.String(254), nullable=True))


def downgrade() -> None:
    op.drop_column("transmissions", "receiver_email")
