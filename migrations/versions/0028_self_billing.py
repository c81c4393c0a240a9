"""Longer kinds of documents, and the customer of a received self-billed invoice.

Revision: 0028
Follows: 0027
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("received", sa.Column("customer_id", sa.String(40), nullable=True))
    _set_length(24)


def downgrade() -> None:
    """Self-billed documents become those of their form."""
    for form in ("Invoice", "CreditNote"):
        plain = form[0].lower() + form[1:]
        op.execute(f"UPDATE invoices SET kind = '{plain}' WHERE kind = 'selfBilled{form}'")  # noqa: S608 - two constants
    _set_length(12)
    op.drop_column("received", "customer_id")


def _set_length(length: int) -> None:
    """SQLite keeps no lengths. PostgreSQL rewrites no table for a longer one."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("invoices", "kind", type_=sa.String(length))
