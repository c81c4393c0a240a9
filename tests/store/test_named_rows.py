"""The guard over changes (tests/named_rows) finds those that do not name their rows."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import delete, select, update

from einvoice.store.core import rows
from einvoice.store.tables import (
    AuditHead,
    Invoice,
    InvoiceBlock,
    MailboxCursor,
    Outbox,
    PluginValue,
    Transmission,
)
from tests.named_rows import REASONS, unnamed

_OWN = Invoice.tenant_id == "t"
_OF_ID = Invoice.id == "i"

NAMED: dict[str, Any] = {
    "an id": update(Invoice).where(_OF_ID, _OWN),
    "ids": delete(Invoice).where(rows.in_values(Invoice.id, ["i"])),
    "ids of a subquery": delete(Invoice).where(Invoice.id.in_(select(Transmission.invoice_id))),
    "the id of another row": update(MailboxCursor).where(MailboxCursor.connection_id == "c"),
    "both branches of an OR": update(Invoice).where(sa.or_(_OF_ID, Invoice.transmission_id == "x")),
    "a row of another table": update(Invoice).where(Invoice.id == Transmission.invoice_id),
    "the token of a lease": update(Outbox).where(Outbox.token == "x"),
    "a key": delete(PluginValue).where(PluginValue.plugin == "p", PluginValue.key == "k"),
    "a part of a key": update(InvoiceBlock).where(InvoiceBlock.since == sa.func.now()),
    "the tenant, of which there is one row": update(AuditHead).where(AuditHead.tenant_id == "t"),
    "a query": select(Invoice),
}  # fmt: skip
UNNAMED: dict[str, Any] = {
    "no condition": delete(Invoice),
    "a tenant": update(Invoice).where(_OWN),
    "a tenant and its environment": delete(InvoiceBlock).where(
        InvoiceBlock.tenant_id == "t", InvoiceBlock.environment == "test"
    ),
    "one branch of an OR": update(Invoice).where(sa.or_(_OF_ID, _OWN)),
    "another id": update(Invoice).where(Invoice.id != "i"),
    "a denied condition": update(Invoice).where(~sa.and_(_OF_ID, _OWN)),
    "an id of another table": update(Invoice).where(Transmission.id == "x"),
    "a state": update(Invoice).where(Invoice.direction == "sent"),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_change_that_names_its_rows_is_none_to_object_to(name: str) -> None:
    assert unnamed(NAMED[name], "") == set()


@pytest.mark.parametrize("name", UNNAMED)
def test_a_change_that_does_not_is_found_by_its_table(name: str) -> None:
    assert unnamed(UNNAMED[name], "") == {UNNAMED[name].table.name}


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("UPDATE invoices SET number = x.n FROM (SELECT 1) AS x WHERE invoices.id = x.id", set()),
        ("DELETE FROM outbox WHERE (id, token) IN (SELECT 1, 2)", set()),
        ("UPDATE invoices SET transmission_id = 'x' WHERE number = '1'", {"invoices"}),
        ("DELETE FROM invoices", {"invoices"}),
        ("UPDATE alembic_version SET version_num = '1'", set()),
        ("CREATE TRIGGER t AFTER UPDATE OF number ON invoices", set()),
    ],
)
def test_text_of_sql_names_its_rows_in_its_condition(sql: str, tables: set[str]) -> None:
    assert unnamed(None, sql) == tables


def test_every_listed_function_exists() -> None:
    """One that was renamed or removed leaves the list."""
    for place in REASONS:
        module, _, name = place.rpartition(".")
        assert hasattr(importlib.import_module(module), name), place
