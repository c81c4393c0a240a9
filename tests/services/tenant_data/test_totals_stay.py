"""Totals are exact behind everything that ends data; rows of documents disappear in one way."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

import einvoice
from einvoice import clock
from einvoice.domain.ids import TimeOrderedIds
from einvoice.services import retention
from einvoice.services.account import closure
from einvoice.services.archive import disposal, holds
from einvoice.services.caches import Caches
from einvoice.services.invoices import block_counts
from einvoice.services.tenant_data import erasure, tenant_export, tenant_import
from einvoice.store.core import db
from einvoice.store.invoices import blocks, lists
from einvoice.store.invoices.invoice_filters import InvoiceFilter
from einvoice.store.tables import Invoice, InvoiceBlock, Tenant
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.services.archive.conftest import final

DOCUMENTS = 12
LATER = timedelta(days=1_500)  # behind every period after which something is deleted


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 5)


def make(tenant: str) -> None:
    """Documents of two days ago, which are counted in blocks."""
    start = clock.now() - timedelta(days=2)
    for number in range(DOCUMENTS):
        at = start + timedelta(seconds=number)
        status = "Failed" if number % 3 == 0 else "Delivered"
        made = {"invoice_id": str(TimeOrderedIds().next(at)), "number": str(number)}
        final(accepted(tenant, created_at=at, buyer_name="Ann", **made), status)
    block_counts.count(tenant, math.inf)
    with db.reading() as connection:
        query = sa.select(sa.func.count()).where(
            InvoiceBlock.tenant_id == tenant, InvoiceBlock.delivered.is_not(None)
        )
        assert connection.execute(query.select_from(InvoiceBlock)).scalar_one() == 2


def totals(tenant: str) -> dict[str | None, int]:
    return {
        status: lists.count(InvoiceFilter(tenant, "test", status=status))
        for status in (None, "Delivered", "Failed", "Processing")
    }


def rows(tenant: str) -> int:
    with db.reading() as connection:
        query = sa.select(sa.func.count()).select_from(Invoice)
        return connection.execute(query.where(Invoice.tenant_id == tenant)).scalar_one()


def _erase(app: Flask, tenant: str, _: Path) -> None:
    erasure.erase(tenant, "ann", runtime_of(app).settings, dry_run=False)


def _retention(app: Flask, tenant: str, _: Path) -> None:
    while retention.sweep(clock.now() + LATER).more:
        pass


def _drop(app: Flask, tenant: str, _: Path) -> None:
    settings = replace(runtime_of(app).settings, archive_drop=True)
    dropped, _more = disposal.drop(settings, seconds=60, now=clock.now() + LATER)
    assert dropped >= DOCUMENTS


def test_totals_are_of_the_rows_that_are_left(app: Flask, tenant: str, small_blocks: None) -> None:
    """Rows end with their retention: some of a counted block, then all."""
    make(tenant)
    settings = replace(runtime_of(app).settings, archive_drop=True, archive_drop_rows=True)
    with db.reading() as connection:
        ids = connection.execute(sa.select(Invoice.id).order_by(Invoice.id)).scalars().all()
    holds.place(tenant, ids[0], "file 7"), holds.place(tenant, ids[1], "file 8")
    disposal.drop(settings, seconds=60, now=clock.now() + LATER)
    uncounted = totals(tenant)
    block_counts.count(tenant, math.inf)

    assert rows(tenant) == 2
    assert uncounted == totals(tenant) == {None: 2, "Delivered": 1, "Failed": 1, "Processing": 0}


def _close(app: Flask, tenant: str, _: Path) -> None:
    closure.close(tenant, Caches())


def _move_away_and_back(app: Flask, tenant: str, folder: Path) -> None:
    """Exported, removed with the whole database, and imported, with counts of that time."""
    path, settings = folder / "x.zip", runtime_of(app).settings
    tenant_export.to_file(tenant, path, settings, lambda *_: None)
    with db.writing() as connection:
        for table in reversed(Tenant.metadata.sorted_tables):
            if table is not InvoiceBlock.__table__:
                connection.execute(sa.delete(table))
        changed = sa.update(InvoiceBlock).values(delivered=99, failed=0, received=0)
        connection.execute(changed)
    tenant_import.from_file(path, settings, lambda *_: None)


WAYS: dict[str, Callable[[Flask, str, Path], None]] = {
    "erasing a person": _erase,
    "retention": _retention,
    "dropping documents": _drop,
    "closing the account": _close,
    "moving away and back": _move_away_and_back,
}


@pytest.mark.parametrize("way", WAYS)
def test_totals_agree_with_the_documents_afterwards(
    app: Flask, tenant: str, tmp_path: Path, small_blocks: None, way: str
) -> None:
    make(tenant)
    before = totals(tenant)
    WAYS[way](app, tenant, tmp_path)
    uncounted = totals(tenant)
    block_counts.count(tenant, math.inf)

    assert before == {None: DOCUMENTS, "Delivered": 8, "Failed": 4, "Processing": 0}
    assert rows(tenant) == DOCUMENTS
    assert uncounted == totals(tenant) == before


def test_no_statement_deletes_documents() -> None:
    """One that does has to forget counts in its transaction (`store/invoices/blocks.forget`), and
    is then a case above. Transmissions of messages are counted nowhere."""
    wanted = re.compile(
        r"\bdelete\(\s*(?:tables\.)?(?:Invoice|Transmission)\b"
        r"|DELETE\s+FROM\s+(?:invoices|transmissions)\b",
        re.IGNORECASE,
    )
    folder = Path(einvoice.__file__).parent
    sources = [path for path in folder.rglob("*.py") if wanted.search(path.read_text("utf-8"))]

    assert sorted(path.relative_to(folder).as_posix() for path in sources) == [
        "store/invoices/ended.py", "store/sending/messages.py",
    ]  # fmt: skip
