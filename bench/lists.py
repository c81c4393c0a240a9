"""Measure pages of the invoice list, of 1,000 and 100,000 invoices: `python -m bench.lists`.

Two tenants in one database, requested in turns over HTTP (test client), medians; the last column
is the ratio of the two: 1.0 means that the cost does not grow with the number of invoices.
`--explain` prints PostgreSQL's plans for the larger tenant.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal

import sqlalchemy as sa
from flask import Flask

from bench.requests_in_turns import Request, compare, deep, explain, title
from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, profile, tenants
from einvoice.services.caches import Caches
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.store.invoices import lists
from einvoice.store.tables import Invoice, Transmission
from tests import servers

EXPLAINED = (
    "first page",
    "by number",
    "by a rare receiver",
    "Failed (one in 500)",
    "one day, by creation",
    "a word in no invoice",
    "metadata of a tenth",
)
SIZES = (1_000, 100_000)
TABLES = ("invoices", "transmissions")
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
    "metadata of one": "metadata.erpId=E-500",
    "metadata of one in 500": "metadata.run=R-7&limit=2",
    "metadata of a tenth": "metadata.branch=3",
    "metadata of none": "metadata.erpId=none",
    "two of metadata": "metadata.branch=7&metadata.run=R-7&limit=2",
}


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder, servers.postgresql() as server:
        yield {"SQLite": f"sqlite:///{folder}/bench.sqlite3", "PostgreSQL": server}


def opened(url: str, folder: str) -> Flask:
    """An application on a migrated database."""
    app = create_app(Settings(data_dir=folder, database_url=url, log_level="CRITICAL"), plugins=[])
    with app.app_context():
        schema_revisions.upgrade()
    return app


def filled(size: int) -> str:
    """The key of a new tenant with `size` invoices, which searches by three names of metadata."""
    tenant = tenant_with(size)
    profile.change(tenant, {"searchableMetadata": ["erpId", "run", "branch"]}, None, Caches())
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
        "searchable": {
            "erpId": f"E-{number}", "run": f"R-{number % 500}", "branch": str(number % 10),
        },
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


def asked(key: str, query: str) -> Request:
    """The request of a page of invoices."""
    return {"x-api-key": key}, f"/api/invoices?{query}"


def measured(name: str, url: str, times: int, explained: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = opened(url, folder)
        with app.app_context():
            small, large = (filled(size) for size in SIZES)
            analysed()
        print(f"\n{title(f'{name}, ms per page', SIZES)}")
        for question, query in QUESTIONS.items():
            compare(app, question, [asked(key, query) for key in (small, large)], times)
        pages_on = [deep(app, asked(key, "limit=40")) for key in (small, large)]
        compare(app, "the 21st page", pages_on, times)
        if explained and name == "PostgreSQL":
            for question in EXPLAINED:
                explain(app, question, asked(large, QUESTIONS[question]), TABLES)


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
