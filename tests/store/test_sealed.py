"""The list of columns that hold encrypted secrets is complete."""

from __future__ import annotations

import sqlalchemy as sa

from einvoice.store.core.db import Base
from einvoice.store.installation import sealed

# Bytes that are not encrypted: documents, evidence, and what plugins store.
PLAIN = {
    "answered_posts.body",  # without secrets (web/answered_posts.shown_once)
    "artefacts.content",
    "draft_files.file",
    "identification_files.content",
    "received.receipt",
    "invoices.document",
    "invoices.network_document",
    "invoices.original",
    "messages.document",
    "messages.prepared",
    "period_reports.document",
    "plugin_records.value",
    "plugin_values.value",
    "transmissions.prepared",
}


def test_every_column_of_bytes_is_sealed_again_or_known_to_be_plain() -> None:
    """A new column of secrets that is not in the list would be lost with the old key."""
    columns = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, sa.LargeBinary)
    }

    assert columns - PLAIN == {column.name for column in sealed.COLUMNS}
    assert columns >= PLAIN
