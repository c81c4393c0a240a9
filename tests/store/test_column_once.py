"""A column is written in its table and where its value comes from; statements are made of both."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

import einvoice
from einvoice.store.sending import acceptance_statement, new_sends
from einvoice.store.sending.acceptance_statement import insertion
from einvoice.store.tables import Invoice, Transmission
from tests.builders import new_send

ROOT = Path(einvoice.__file__).parent
# The column of migration 0053, of sent and received documents, and the modules that only read it.
COLUMN = "report_form"
READERS = {"services/invoices/detail.py", "store/invoices/invoices.py"}


def test_the_names_of_a_sends_values_are_those_of_its_values() -> None:
    assert new_send("t").columns().keys() == new_sends.COLUMNS


def test_the_accepting_statement_has_every_column_that_a_send_has_a_value_of() -> None:
    statement = acceptance_statement._WITH_KEY
    for table in (Invoice.__table__, Transmission.__table__):
        _, _, rest = statement.partition(f"INSERT INTO {table} (")
        written = {name.strip() for name in rest.partition(")")[0].split(",")}
        due = {column.name for column in table.columns} & new_sends.COLUMNS

        assert due <= written, due - written
        needed = {c.name for c in table.columns if not c.nullable and c.server_default is None}
        assert needed <= written, needed - written


def test_a_new_column_of_a_send_is_in_the_statement_without_a_change_of_it() -> None:
    table = sa.Table(
        "invoices",
        sa.MetaData(),
        sa.Column("id", sa.String(40)),
        sa.Column("colour", sa.String(8)),
        sa.Column("weight", sa.Numeric),
        sa.Column("archived_at", sa.DateTime),
    )
    made = insertion(table, {"colour", "weight", "lane"}, {"id": "%(invoice_id)s"})

    assert made == (
        "INSERT INTO invoices (id, colour, weight)\n"
        "    SELECT %(invoice_id)s, %(colour)s, CAST(%(weight)s AS NUMERIC)"
    )


def test_a_stored_column_is_named_in_four_modules_besides_its_readers() -> None:
    """Table, part of a document, and where the value of a sent and a received one comes from."""
    named = {
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if COLUMN in path.read_text().replace("report_forms", "")
    }

    assert named - READERS == {
        "services/inbound/arrival_storage.py",
        "services/send/accept.py",
        "store/sending/new_documents.py",
        "store/tables/sends.py",
    }
