"""Why the rule set of a stored report judged its document. NULL for reports of earlier releases.

Revision: 0013
Follows: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invoices", sa.Column("rule_set_chosen_by", sa.String(8), nullable=True))


def downgrade() -> None:
    op.drop_column("invoices", "rule_set_chosen_by")
