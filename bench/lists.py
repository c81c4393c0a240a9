"""Measure pages of the invoice list, of 1,000 and 100,000 invoices: `python -m bench.lists`.

Two tenants in one database, requested in turns over HTTP (test client), medians; the last column
is the ratio of the two: 1.0 means that the cost does not grow with the number of invoices.
`--explain` prints PostgreSQL's plans for the larger tenant.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.store import db, lists, migrating
from einvoice.store.tables import Invoice, Transmission
from tests import servers

EXPLAINED = (
    "first page",
    "by number",
    "by a rare receiver",
    "Failed (one in 500)",
    "one day, by creation",
    "a word in no invoice",
)
SIZES = (1_000, 100_000)
COMMON, RARE = "0088:9520000000004", "0088:9520000000011"
QUESTIONS = {
    "first page": "",
    "page of 200": "limit=200",
    "by number": "number=N-500",
    "by a rare receiver": f"receiverParticipantId={RARE}&limit=2",
    "by the usual receiver": f"receiverParticipantId={COMMON}",
    "Failed (one in 500)": "networkStatus=Failed&limit=2",
    "Delivered (the others)": "networkStatus=Delivered",
    "received (none exist)": "direction=received",
    "one day, by creation": "createdFrom=2026-06-01&createdTo=2026-06-01&limit=2",
    "a currency of no invoice": "currency=SEK",
    "a word in no invoice": "q=zebra",
    "issued in 2020": "issueDateTo=2020-12-31",
    "first page with total": "include=total",
}


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder, servers.postgresql() as server:
        yield {"SQLite": f"sqlite:///{folder}/bench.sqlite3", "PostgreSQL": server}


def opened(url: str, folder: str) -> Flask:
    """An application on a migrated database."""
    app = create_app(Settings(data_dir=folder, database_url=url, log_level="CRITICAL"), plugins=[])
    with app.app_context():
        migrating.upgrade()
    return app


def filled(size: int) -> str:
    """The key of a new tenant with `size` invoices."""
    tenant = tenant_with(size)
    return credentials.create(API_KEY, tenant, "bench", Environment.TEST).secret


def tenant_with(size: int) -> str:
    """The id of a new tenant with `size` invoices, spread evenly over the last year."""
    tenant = tenants.create(f"{size:,} invoices")
    for start in range(0, size, 5_000):
        rows = [invoice_row(tenant, number) for number in range(start, min(size, start + 5_000))]
        with db.writing() as connection:
            connection.execute(sa.insert(Invoice), [invoice for invoice, _ in rows])
            connection.execute(sa.insert(Transmission), [sending for _, sending in rows])
    return tenant


def analysed() -> None:
    """Run VACUUM ANALYZE, as autovacuum would have by then."""
    if db.is_postgresql():
        engine = db.db.engine.execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(sa.text("VACUUM ANALYZE"))


def invoice_row(tenant: str, number: int) -> tuple[dict[str, object], dict[str, object]]:
    """A sent invoice and its transmission. Creation dates are evenly spread, at any size."""
    spread = (number * 7_919) % 100_003
    at = clock.now() - timedelta(seconds=spread * 280)
    invoice_id, transmission_id = str(uuid.uuid4()), f"txn_{uuid.uuid4().hex}"
    shared = {"tenant_id": tenant, "environment": "test", "created_at": at}
    invoice = shared | {
        "id": invoice_id, "transmission_id": transmission_id, "direction": "sent",
        "kind": "invoice", "number": f"N-{number}", "issue_date": date(2026, 6, 1),
        "due_date": None, "currency": "EUR", "subtotal": Decimal("100.00"),
        "tax_amount": Decimal("21.00"), "grand_total": Decimal("121.00"),
        "payable": Decimal("121.00"), "supplier_name": "Acme NV", "buyer_name": "Buyer BV",
        "sender": "0208:0123456749", "receiver": RARE if number % 500 == 7 else COMMON,
        "rule_pack": "none", "findings": [], "warnings": [],
        "original_type": "application/json", "original": b"{}" * 600,
        "document": uuid.uuid4().hex.encode() * 150,
    }  # fmt: skip
    failed = number % 500 == 3
    sending = shared | {
        "id": transmission_id, "invoice_id": invoice_id, "access_point": "none",
        "document_type": "a::b", "process": "a::b", "phase": "done",
        "status": "Failed" if failed else "Delivered", "answered": "processing",
        "attempts": 1, "fence": 1, "retry_until": at, "settled_at": at, "listed_at": at,
        "attention": False, "rejected": failed,
    }  # fmt: skip
    return invoice, sending


def page(app: Flask, key: str, query: str) -> float:
    """Milliseconds of one page over HTTP."""
    start = time.perf_counter()
    answer = app.test_client().get(f"/api/invoices?{query}", headers={"x-api-key": key})
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000


def deep(app: Flask, key: str) -> str:
    """The cursor 20 pages on, or as far as there are any."""
    client, cursor = app.test_client(), ""
    for _ in range(20):
        path = f"/api/invoices?limit=40{'&cursor=' + cursor if cursor else ''}"
        body = client.get(path, headers={"x-api-key": key}).json
        if not body["hasMore"]:
            break
        cursor = body["nextCursor"]
    return f"limit=40&cursor={cursor}"


def measured(name: str, url: str, times: int, explain: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = opened(url, folder)
        with app.app_context():
            small, large = (filled(size) for size in SIZES)
            analysed()
        print(f"\n{name + ', ms per page':28} {SIZES[0]:>9,} {SIZES[1]:>9,}   ratio")
        for question, query in QUESTIONS.items():
            report(question, [(key, query) for key in (small, large)], app, times)
        report("the 21st page", [(key, deep(app, key)) for key in (small, large)], app, times)
        if explain and name == "PostgreSQL":
            plans(app, large)


def report(question: str, asked_by: list[tuple[str, str]], app: Flask, times: int) -> None:
    """Measure both tenants in turns, so that other load on the machine affects both equally."""
    taken = [[page(app, key, query) for key, query in asked_by] for _ in range(times)]
    small, large = (statistics.median(column) for column in zip(*taken, strict=True))
    print(f"{question:28} {small:9.2f} {large:9.2f} {large / small:7.2f}")


def plans(app: Flask, key: str) -> None:
    """Print EXPLAIN ANALYZE of the statements of the pages."""
    with app.app_context():
        for question in EXPLAINED:
            for statement, parameters in asked(app, key, QUESTIONS[question]):
                with db.reading() as connection:
                    rows = connection.exec_driver_sql(
                        f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {statement}", parameters
                    )
                    print(f"\n-- {question}", *rows.scalars(), sep="\n")


def asked(app: Flask, key: str, query: str) -> list[tuple[str, Any]]:
    """The statements on invoices and transmissions that a page runs."""
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "FROM invoices" in statement or "FROM transmissions" in statement:
            seen.append((statement, parameters))

    sa.event.listen(db.db.engine, "before_cursor_execute", note)
    app.test_client().get(f"/api/invoices?{query}", headers={"x-api-key": key})
    sa.event.remove(db.db.engine, "before_cursor_execute", note)
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    print(f"a page examines at most {lists.MAX_EXAMINED:,} invoices")
    with databases() as urls:
        for name, url in urls.items():
            measured(name, url, options.times, options.explain)


if __name__ == "__main__":
    main()
