"""The guard over statements (tests/tenant_bindings) finds those that reach rows of all tenants."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.orm import aliased

from einvoice.services.invoices import drafts as services
from einvoice.store.core import db, rows
from einvoice.store.invoices import drafts
from einvoice.store.tables import (
    Artefact,
    Attempt,
    DraftFile,
    Event,
    Invoice,
    InvoiceDraft,
    PluginValue,
    Tenant,
    Transmission,
)
from tests.tenant_bindings import SHARED, Watch, owned, unbound, unbound_of_text
from tests.unbound_statements import REASONS

_OWN = Invoice.tenant_id == "t"
_OF_ID = Invoice.id == "i"
_OTHER = aliased(Invoice)
_OWN_IDS = select(Invoice.id).where(_OWN)
_ALL = select(Invoice).where(_OF_ID).cte("all")
_ANY_IDS = select(Invoice.id).where(Invoice.number == "1")

BOUND: dict[str, Any] = {
    "a tenant": select(Invoice).where(_OF_ID, _OWN),
    "one of some tenants": select(Invoice).where(Invoice.tenant_id.in_(["t", "u"])),
    "values of one parameter": select(Invoice).where(rows.in_values(Invoice.tenant_id, ["t"])),
    "a key of several columns": select(Invoice).where(
        sa.tuple_(Invoice.tenant_id, Invoice.number).in_([("t", "1")])
    ),
    "the tenant itself": select(Tenant).where(Tenant.id == "t"),
    "a parent": select(Attempt).join(Transmission, Transmission.id == Attempt.transmission_id)
        .where(Transmission.tenant_id == "t"),
    "a parent of a parent": select(Attempt)
        .join(Transmission, Transmission.id == Attempt.transmission_id)
        .join(Invoice, Invoice.id == Transmission.invoice_id).where(_OWN),
    "a child": select(Invoice).join(Artefact, Artefact.invoice_id == Invoice.id)
        .where(Artefact.tenant_id == "t"),
    "a subquery": select(Artefact).where(Artefact.invoice_id.in_(_OWN_IDS)),
    "a subquery that runs once": select(Artefact).where(
        rows.in_subquery(Artefact.invoice_id, _OWN_IDS)
    ),
    "an EXISTS": select(Artefact).where(exists().where(Artefact.invoice_id == Invoice.id, _OWN)),
    "a column that is correlated": select(
        Invoice.id, select(Artefact.id).where(Artefact.invoice_id == Invoice.id).scalar_subquery()
    ).where(_OWN),
    "both branches of an OR": select(Invoice).where(
        sa.or_(sa.and_(_OWN, Invoice.number == "1"), sa.and_(_OWN, _OF_ID))
    ),
    "a CTE": select(_OWN_IDS.cte("own")),
    "rows of a tenant of a CTE": select(_ALL).where(_ALL.c.tenant_id == "t"),
    "both parts of a UNION": sa.union_all(_OWN_IDS, _OWN_IDS),
    "an update": update(Invoice).where(_OF_ID, _OWN).values(number="2"),
    "a delete": delete(DraftFile).where(DraftFile.draft_id == "d", DraftFile.tenant_id == "t"),
    "an insert of values": insert(Invoice).values(id="i"),
    "an insert of own rows": insert(Artefact).from_select(["invoice_id"], _OWN_IDS),
    "a table of no tenant": select(PluginValue),
}  # fmt: skip

UNBOUND: dict[str, tuple[Any, set[str]]] = {
    "an id": (select(Invoice).where(_OF_ID), {"invoices"}),
    "no condition": (select(sa.func.count()).select_from(Event), {"events"}),
    "another tenant": (select(Invoice).where(Invoice.tenant_id != "t"), {"invoices"}),
    "any tenant": (select(Invoice).where(Invoice.tenant_id == _OTHER.tenant_id), {"invoices"}),
    "one branch of an OR": (select(Invoice).where(sa.or_(_OWN, _OF_ID)), {"invoices"}),
    "a denied condition": (select(Invoice).where(~sa.and_(_OWN, _OF_ID)), {"invoices"}),
    "all tenants": (select(Tenant), {"tenants"}),
    "a child by its parent's id": (select(Attempt).where(Attempt.transmission_id == "x"),
        {"attempts"}),
    "a parent that is joined by no id": (
        select(Artefact).join(Invoice, Invoice.created_at == Artefact.created_at).where(_OWN),
        {"artefacts"},
    ),
    "a subquery": (select(Artefact).where(Artefact.invoice_id.in_(_ANY_IDS)),
        {"artefacts", "invoices"}),
    "a subquery that is denied": (select(Artefact).where(Artefact.invoice_id.not_in(_OWN_IDS)),
        {"artefacts"}),
    "a column with rows of all": (
        select(Invoice.id, select(sa.func.max(Event.id)).scalar_subquery()).where(_OWN),
        {"events"},
    ),
    "a CTE": (select(_ANY_IDS.cte("any")), {"invoices"}),
    "one part of a UNION": (sa.union_all(_OWN_IDS, _ANY_IDS), {"invoices"}),
    "an update": (update(Invoice).where(_OF_ID).values(number="2"), {"invoices"}),
    "a delete": (delete(DraftFile).where(rows.in_values(DraftFile.draft_id, ["d"])),
        {"draft_files"}),
    "an insert of rows of all": (insert(Artefact).from_select(["invoice_id"], _ANY_IDS),
        {"invoices"}),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUND)
def test_a_statement_of_one_tenant_is_bound(name: str) -> None:
    assert unbound(BOUND[name]) == set()


@pytest.mark.parametrize("name", UNBOUND)
def test_a_statement_that_can_reach_rows_of_another_tenant_is_not(name: str) -> None:
    statement, tables = UNBOUND[name]

    assert unbound(statement) == tables


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("UPDATE invoices SET a = x.a FROM {rows} WHERE invoices.tenant_id = :tenant_id", set()),
        ("SELECT id FROM invoices JOIN x ON x.tenant_id = invoices.tenant_id", set()),
        ("UPDATE invoices SET a = x.a FROM {rows} WHERE invoices.id = x.id", {"invoices"}),
        ("SELECT a.tenant_id FROM artefacts a JOIN invoices i ON i.id = a.invoice_id",
         {"artefacts", "invoices"}),
        ("DELETE FROM plugin_values", set()),
    ],
)  # fmt: skip
def test_text_of_sql_is_bound_by_a_comparison_of_the_tenant(sql: str, tables: set[str]) -> None:
    assert unbound_of_text(sql) == tables


def test_every_table_belongs_to_tenants_or_is_named_as_shared() -> None:
    """A new table without a tenant_id is put into CHILDREN or SHARED."""
    assert {name for name in db.Base.metadata.tables if not owned(name)} == SHARED


def test_an_unbound_statement_is_reported_with_its_function(app: Flask, tenant: str) -> None:
    """One that the tests make themselves is not."""
    with Watch(lambda place: False) as watch, db.writing() as connection:
        drafts.delete_before(connection, services.clock.now(), 10)
        drafts.remove(connection, tenant, ["d"])
        connection.execute(select(InvoiceDraft.id)).all()
    (found,) = watch.taken()

    assert found.startswith("einvoice.store.invoices.drafts.delete_before (line ")
    assert ": invoice_drafts of all tenants\nDELETE" in found
    assert watch.taken() == []


def test_an_allowed_place_is_not_reported(app: Flask) -> None:
    with Watch(lambda place: place == "einvoice.store.invoices.drafts.delete_before") as watch:
        with db.writing() as connection:
            drafts.delete_before(connection, services.clock.now(), 10)

        assert watch.taken() == []


def test_every_listed_function_exists() -> None:
    """One that was renamed or removed leaves the list."""
    for place in REASONS:
        module, _, name = place.rpartition(".")
        assert hasattr(importlib.import_module(module), name), place
