"""The index of the text search, on PostgreSQL where its extensions may be created.

Revision: 0033
Follows: 0032
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.invoices import text_index

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

NAME = "ix_invoices_text"
TEXTS = ("number", "supplier_name", "buyer_name")


def upgrade() -> None:
    context = op.get_context()
    if context.dialect.name != "postgresql":
        return
    op.execute(text_index.CREATE_EXTENSIONS)
    if not context.as_sql and not text_index.is_indexable(op.get_bind()):
        return
    op.create_index(
        NAME,
        "invoices",
        ["tenant_id", *(sa.text(f"lower({name}) gin_trgm_ops") for name in TEXTS)],
        postgresql_using="gin",
        postgresql_with={"gin_pending_list_limit": 16384},
    )


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.drop_index(NAME, table_name="invoices")
