"""Messages are transmissions too, and no list, count, export or feed of documents has one."""

from __future__ import annotations

import json
import re
import zipfile
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.services.tenant_data import tenant_export
from einvoice.store import outbox
from einvoice.store.account import usage
from einvoice.store.core import db
from einvoice.store.invoices import blocks
from einvoice.store.invoices.blocks import Counted
from einvoice.store.sending import messages
from einvoice.store.sending.messages import NewMessage
from einvoice.store.tables import Message, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.sandbox import Sandbox

DELIVERED, FAILING = "0088:9520000000004", "0088:9520000000011"
STATUSES = tuple(product((*NetworkStatus, "Received"), (Phase.DONE, Phase.QUEUED, Phase.UNKNOWN)))
LISTS = (
    "/api/invoices",
    *(f"/api/invoices?networkStatus={status}" for status in ("Processing", "Delivered", "Failed")),
    *(f"/api/invoices?sort={order}" for order in ("-grandTotal", "issueDate", "-createdAt")),
    "/api/invoices?q=RE",
    "/api/invoices?direction=sent&networkStatus=Failed",
    "/api/invoices?direction=received",
    "/api/events",
    "/v1/invoices",
)


@pytest.fixture
def sandbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    own = Sandbox.of(app)
    monkeypatch.setattr(clock, "now", lambda: own.moment)
    return own


def add_messages(tenant: str, answers: str) -> int:
    """One of each status and phase, of the tenant; how many."""
    now = clock.now()
    with db.writing() as connection:
        for number, (status, phase) in enumerate(STATUSES):
            found = messages.add(connection, NewMessage(
                id=f"msg_{number:032x}", access_point="simulator", key=f"RE-{number}",
                environment="test", tenant_id=tenant, invoice_id=answers, connection_id=None,
                kind="TSR", content_type="application/xml", file_name="re.xml", sender="0208:1",
                receiver="0208:2", document_type="a::b", process="c::d", sender_country="BE",
                receiver_country="BE", document=b"<RE/>", retry_until=now, created_at=now,
            ))  # fmt: skip
            this = sa.update(Transmission).where(Transmission.id == found)
            connection.execute(this.values(status=status, phase=phase, settled_at=now))
    return len(STATUSES)


def answers(sandbox: Sandbox) -> dict[str, tuple[int, Any]]:
    """The status and content of each list, without its cursor, which has a time."""
    found = {path: sandbox.get(path) for path in LISTS}
    contents = {path: dict(each.json) for path, each in found.items()}
    return {
        path: (found[path].status_code, {n: v for n, v in each.items() if "ursor" not in n})
        for path, each in contents.items()
    }


def exported(app: Flask, tenant: str, path: Path) -> dict[str, str]:
    """What an export has, by file; without the events of exports before, and the use of keys."""
    tenant_export.to_file(tenant, path, runtime_of(app).settings, lambda *_: None)
    with zipfile.ZipFile(path) as archive:
        changing = re.compile("manifest|audit|api_keys")
        names = [name for name in archive.namelist() if not changing.search(name)]
        texts = {name: archive.read(name).decode("utf-8", "replace") for name in names}
    return {
        name: "\n".join(line for line in text.split("\n") if "export.finished" not in line)
        for name, text in texts.items()
    }


def total(tenant: str) -> int:
    day = timedelta(days=1)
    of = Counted(tenant, "test", clock.now() - day, clock.now() + day)
    with db.reading() as connection:
        return blocks.total(connection, of, ("Processing", "Delivered", "Failed", "Received"))


def used(tenant: str) -> tuple[object, ...]:
    now, day = clock.now(), timedelta(days=1)
    daily = usage.of_days(tenant, "test", now - day, now + day)
    return daily, usage.newest_deliveries(tenant, "test", now - day, 100)


def test_what_asks_for_documents_finds_no_message(
    app: Flask, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Lists in each order and status, usage, feed, export, totals and the gauge of what waits."""
    invoices = [sandbox.send(receiver) for receiver in (DELIVERED, DELIVERED, FAILING)]
    sandbox.work(3600)
    before, rows = answers(sandbox), exported(app, sandbox.tenant, tmp_path / "before.zip")
    waiting, documents = outbox.oldest_unsettled(), total(sandbox.tenant)
    daily = used(sandbox.tenant)
    added = add_messages(sandbox.tenant, invoices[0])

    for path, found in answers(sandbox).items():
        assert found == before[path], path
        assert found[0] == 200, path
    assert exported(app, sandbox.tenant, tmp_path / "after.zip") == rows
    assert (outbox.oldest_unsettled(), total(sandbox.tenant)) == (waiting, documents)
    assert "RE-1" not in json.dumps(rows)
    with db.reading() as connection:
        kinds = connection.execute(sa.select(Outbox.kind, sa.func.count()).group_by(Outbox.kind))
        assert dict(map(tuple, kinds.all()))[outbox.MESSAGE] == added
        assert connection.execute(sa.select(sa.func.count(Message.id))).scalar_one() == added
    assert used(sandbox.tenant) == daily
    assert documents == len(invoices)
    assert all(daily)
