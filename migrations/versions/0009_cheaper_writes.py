"""make writes cheaper: drop foreign keys within a send, keep documents in the row of the invoice

Revision: 0009
Follows: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# Child table, its column, parent table: rows that the same transaction has just written or locked.
CHECKED = (
    ("transmissions", "invoice_id", "invoices"),
    ("attempts", "transmission_id", "transmissions"),
    ("artefacts", "invoice_id", "invoices"),
)
DOCUMENTS = ("original", "document")


def upgrade() -> None:
    for table, column, parent in CHECKED:
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_constraint(f"fk_{table}_{column}_{parent}", type_="foreignkey")
    if op.get_context().dialect.name == "postgresql":
        # A document of usual size stays in the row; only a larger one is stored out of line.
        op.execute("ALTER TABLE invoices SET (toast_tuple_target = 4080)")
        if _knows_lz4():
            _compress("lz4")


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute("ALTER TABLE invoices RESET (toast_tuple_target)")
        _compress("default")
    for table, column, parent in reversed(CHECKED):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.create_foreign_key(f"fk_{table}_{column}_{parent}", parent, [column], ["id"])


def _knows_lz4() -> bool:
    """Whether the server supports lz4: PostgreSQL 14 or newer, built with it.

    Not known where the SQL is printed only.
    """
    if op.get_context().as_sql:
        return False
    setting = "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = :name"
    asked = sa.text(setting).bindparams(name="default_toast_compression")
    return bool(op.get_bind().execute(asked).scalar())


def _compress(method: str) -> None:
    """Applies to new values; existing ones stay readable as they were written."""
    version = op.get_context().dialect.server_version_info or (0,)
    if version >= (14,):
        for column in DOCUMENTS:
            op.execute(f"ALTER TABLE invoices ALTER {column} SET COMPRESSION {method}")
