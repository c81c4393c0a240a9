"""Rows become records by name, whatever the order of their fields."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Invoice, Transmission


@dataclass(frozen=True)
class Sent:
    buyer_name: str
    supplier_name: str
    invoice_status: str


def test_a_field_takes_the_column_of_its_own_name_or_the_one_given():
    """The order of the fields decides nothing but the order of the columns."""
    columns = RecordColumns(Sent, Invoice, invoice_status=Transmission.status)

    named = [str(column) for column in columns.select().selected_columns]
    assert named == ["invoices.buyer_name", "invoices.supplier_name", "transmissions.status"]


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({}, AttributeError),  # an invoice has no invoice_status
        ({"invoice_status": Transmission.status, "sent_at": Invoice.created_at}, TypeError),
    ],
)
def test_a_field_without_a_column_or_a_column_without_a_field_is_refused(columns, fault):
    """At import, so it never reaches a query."""
    with pytest.raises(fault):
        RecordColumns(Sent, Invoice, **columns)


@dataclass(frozen=True)
class Shown:
    number: str
    note: str = ""
    currency: str = "EUR"


def test_a_field_that_keeps_its_default_may_not_come_before_a_column():
    """Rows are read by position: the column would fill the wrong field."""
    with pytest.raises(TypeError, match="columns after note"):
        RecordColumns(Shown, None, number=Invoice.number, currency=Invoice.currency)
    RecordColumns(Shown, None, number=Invoice.number, note=Invoice.number)


def test_rows_are_read_into_records():
    values = {"buyer_name": "Buyer", "supplier_name": "Seller", "invoice_status": "Delivered"}
    columns = RecordColumns(Sent, **{name: sa.literal(text) for name, text in values.items()})
    with sa.create_engine("sqlite://").connect() as connection:
        assert columns.all(connection.execute(columns.select())) == [Sent(**values)]
        assert columns.one(connection.execute(columns.select())) == Sent(**values)
        assert columns.one_or_none(connection.execute(columns.select())) == Sent(**values)
        nothing = connection.execute(columns.select().where(sa.false()))
        assert columns.one_or_none(nothing) is None
