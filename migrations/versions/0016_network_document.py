"""What is submitted to a network that takes another form than UBL, NULL: the document itself; and
syntaxes with longer names than UBL and CII.

Revision: 0016
Follows: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_SYNTAXES = {"submissions": "form", "received": "syntax"}


def upgrade() -> None:
    op.add_column("invoices", sa.Column("network_document", sa.LargeBinary(), nullable=True))
    for table, column in _SYNTAXES.items():
        _set_length(table, column, 40)


def downgrade() -> None:
    for table, column in _SYNTAXES.items():
        _set_length(table, column, 3)
    op.drop_column("invoices", "network_document")


def _set_length(table: str, column: str, length: int) -> None:
    """SQLite keeps no lengths. PostgreSQL rewrites no table for a longer one."""
    if op.get_context().dialect.name != "postgresql":
        return
    using = {} if length > 3 else {"postgresql_using": f"left({column}, {length})"}
    op.alter_column(table, column, type_=sa.String(length), **using)
