"""What is submitted to a network that takes another form than UBL. NULL: the document itself.

Revision: 0014
Follows: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("network_document", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("invoices", "network_document")
