"""What is submitted to a network that takes another form than UBL. NULL: the document itself.

Revision: 0015
Follows: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("network_document", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("invoices", "network_document")
