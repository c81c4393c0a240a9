"""No index of suppliers' accounts by the account: nothing reads it, the primary key has the rest.

Revision: 0075
Follows: 0074
"""

from __future__ import annotations

from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

NAME = "ix_supplier_accounts_account"


def upgrade() -> None:
    op.drop_index(NAME, table_name="supplier_accounts")


def downgrade() -> None:
    op.create_index(NAME, "supplier_accounts", ["tenant_id", "environment", "account"])
