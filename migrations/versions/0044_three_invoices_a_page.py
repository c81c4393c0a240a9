"""compress documents of invoices that are too large for three rows of a page

Revision: 0044
Follows: 0043
"""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

THREE_A_PAGE, TWO_A_PAGE = 2712, 4080  # bytes of a row


def upgrade() -> None:
    _set_target(THREE_A_PAGE)


def downgrade() -> None:
    _set_target(TWO_A_PAGE)


def _set_target(size: int) -> None:
    """Applies to new rows; existing ones stay readable as they were written."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE invoices SET (toast_tuple_target = {size})")
