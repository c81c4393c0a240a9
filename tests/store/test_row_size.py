"""What PostgreSQL stores of a document."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.store.core import db
from tests.sandbox import Sandbox

on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@on_postgresql
def test_the_document_of_a_small_invoice_is_compressed_in_its_row(app):
    """Three such rows fit on a page, where two would without compression; none is out of line."""
    sandbox = Sandbox.of(app)
    sandbox.send("0088:9520000000004")
    stored = sa.text("SELECT octet_length(document), pg_column_size(document) FROM invoices")
    out_of_line = sa.text(
        "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'invoices'::regclass"
    )
    with db.reading() as connection:
        size, in_row = connection.execute(stored).one()
        outside = connection.execute(out_of_line).scalar_one()

    assert 2_000 < size < 4_000
    assert in_row < size / 2
    assert outside == 0
