"""Domains of tenants that send mails, and the account to which bills of an address are booked.

Revision: 0072
Follows: 0071
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from einvoice.store.core.types import Moment

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connections", sa.Column("gl_account_code", sa.String(), nullable=True))
    op.create_table(
        "mail_domains",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("tenant_id", sa.String(40), nullable=False),
        sa.Column("domain", sa.String(253), nullable=False),
        sa.Column("token", sa.String(40), nullable=False),
        sa.Column("selector", sa.String(40), nullable=False),
        sa.Column("dkim_key", sa.LargeBinary(), nullable=False),
        sa.Column("public_key", sa.String(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("records", sa.JSON(), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("checked_at", Moment, nullable=True),
        sa.Column("verified_at", Moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name="fk_mail_domains_tenant_id_tenants"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_mail_domains"),
    )
    op.create_index("uq_mail_domains", "mail_domains", ["tenant_id", "domain"], unique=True)


def downgrade() -> None:
    op.drop_table("mail_domains")
    op.drop_column("connections", "gl_account_code")
