"""Messages without an invoice, and notices to access points about documents and messages.

Revision: 0023
Follows: 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ATTENTION = sa.text("attention")


def upgrade() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("access_point", sa.String(40), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("environment", sa.String(4), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=True),
        sa.Column("invoice_id", sa.String(40), nullable=True),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("content_type", sa.String, nullable=False),
        sa.Column("file_name", sa.String, nullable=False),
        sa.Column("sender", sa.String(140), nullable=False),
        sa.Column("receiver", sa.String(140), nullable=False),
        sa.Column("document_type", sa.String, nullable=False),
        sa.Column("process", sa.String, nullable=False),
        sa.Column("sender_country", sa.String(2), nullable=True),
        sa.Column("receiver_country", sa.String(2), nullable=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("phase", sa.String(12), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("retry_until", Moment, nullable=False),
        sa.Column("message_id", sa.String, nullable=True),
        sa.Column("prepared", sa.LargeBinary, nullable=True),
        sa.Column("prepared_state", sa.JSON, nullable=True),
        sa.Column("pending", sa.JSON, nullable=True),
        sa.Column("attention", sa.Boolean, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("error_code", sa.String, nullable=True),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("settled_at", Moment, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.UniqueConstraint("access_point", "key", name="uq_messages_access_point_key"),
    )
    op.create_index("ix_messages_settled", "messages", ["settled_at"])
    op.create_index(
        "ix_messages_attention",
        "messages",
        ["created_at"],
        postgresql_where=_ATTENTION,
        sqlite_where=_ATTENTION,
    )
    op.create_table(
        "notices",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("subject_id", sa.String(40), nullable=False),
        sa.Column("step", sa.String(12), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
        sa.UniqueConstraint("subject_id", "step", name="uq_notices_subject_id_step"),
    )
    # Of the Inbound; NULL: its access point does not follow the document.
    op.add_column("received", sa.Column("inbound_state", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("received", "inbound_state")
    for table in ("notices", "messages"):
        op.drop_table(table)
