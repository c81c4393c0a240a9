"""The form of the report of a document. NULL, in rows of earlier releases, is form 1.

Revision: 0053
Follows: 0052
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("report_form", sa.SmallInteger()))


def downgrade() -> None:
    op.drop_column("invoices", "report_form")
