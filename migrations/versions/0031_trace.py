"""The request id and trace context of the request that caused a transmission.

Revision: 0031
Follows: 0030
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transmissions", sa.Column("trace", sa.String(120), nullable=True))


def downgrade() -> None:
    op.drop_column("transmissions", "trace")
