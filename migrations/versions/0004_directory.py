"""create customers and suppliers, and add the parties to invoices

Revision: 0004
Follows: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from einvoice.store.core.types import Moment

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_OWN = {
    "customers": (
        sa.Column("default_currency_code", sa.String(length=3), nullable=True),
        sa.Column("default_payment_terms_days", sa.Integer(), nullable=True),
        sa.Column("buyer_reference", sa.String(length=200), nullable=True),
    ),
    "suppliers": (sa.Column("default_gl_account_code", sa.String(length=100), nullable=True),),
}
_PARTIES = ("supplier_tax_id", "supplier_country", "buyer_tax_id", "buyer_country")


def upgrade() -> None:
    for name, columns in _OWN.items():
        _create(name, columns)
    for column in _PARTIES:
        kind = sa.String(2) if column.endswith("country") else sa.String()
        op.add_column("invoices", sa.Column(column, kind, nullable=True))


def _create(name: str, columns: tuple[sa.Column[object], ...]) -> None:
    plain = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        name,
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("tenant_id", sa.String(length=40), nullable=False),
        sa.Column("external_id", sa.String(length=200), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", plain, nullable=False),
        sa.Column("tax_id", sa.String(length=50), nullable=True),
        sa.Column("tax_key", sa.String(length=50), nullable=True),
        sa.Column("peppol_id", sa.String(length=140), nullable=True),
        sa.Column("peppol_key", sa.String(length=140), nullable=True),
        sa.Column("country_code", sa.String(length=2), nullable=True),
        sa.Column("email", sa.String(length=320), nullable=True),
        sa.Column("phone", sa.String(length=50), nullable=True),
        sa.Column("address", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("network_status", sa.String(length=12), nullable=False),
        sa.Column("network_checked_at", Moment(), nullable=True),
        sa.Column("network_asked_at", Moment(), nullable=True),
        sa.Column("source", sa.String(length=8), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("search", sa.String(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(
            ["tenant_id"], ["tenants.id"], name=op.f(f"fk_{name}_tenant_id_tenants")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
        sa.UniqueConstraint("tenant_id", "tax_key", name=op.f(f"uq_{name}_tenant_id_tax_key")),
        sa.UniqueConstraint(
            "tenant_id", "external_id", name=op.f(f"uq_{name}_tenant_id_external_id")
        ),
    )
    op.create_index(f"ix_{name}_created", name, ["tenant_id", "created_at", "id"])
    op.create_index(f"ix_{name}_name", name, ["tenant_id", "name_key", "id"])
    op.create_index(f"ix_{name}_peppol", name, ["tenant_id", "peppol_key", "created_at", "id"])


def downgrade() -> None:
    with op.batch_alter_table("invoices", schema=None) as batch_op:
        for column in reversed(_PARTIES):
            batch_op.drop_column(column)
    for name in reversed(_OWN):
        op.drop_table(name)
