"""Measure the pages of the dashboard beside the JSON of the same data: `python -m bench.dashboard`.

PostgreSQL, one tenant with `--size` invoices (bench/filled), over HTTP (test client) in turns: the
median and the least of the milliseconds that a page takes, and the CPU time of this process
(median) and of PostgreSQL (mean), which depend less on what else the machine does. The goal is
below 50 ms for every page at 100 and at a million invoices. Then the median of the JSON, and what
the first load of the page sends, compressed; the goal is below 30 KB (29.3 KiB).
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient

from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests import servers

LIST, API = "/dashboard/invoices?environment=test", "/api/invoices?environment=test"
# Filters and orders of the list.
QUERIES = {
    "list": "",
    "failed ones": "networkStatus=Failed",
    "by number": "number=N-500",
    "a word": "q=N-4999",
    "a word in none": "q=zebra",
    "a party": "party=buyer+4999",
    "a party by its id": "party=0088:9520000000123",
    "an amount": "grandTotalFrom=1234&grandTotalTo=1234.5",
    "a day": "issueDateFrom=2026-06-01&issueDateTo=2026-06-01",
    "by issue date": "sort=-issueDate",
    "by amount": "sort=-grandTotal",
    "by amount, in SEK": "sort=-grandTotal&currency=SEK",
    "by amount, failed ones": "sort=-grandTotal&networkStatus=Failed",
    "by amount, a month": "sort=-grandTotal&issueDateFrom=2026-05-01&issueDateTo=2026-05-31",
    "by number, descending": "sort=-number",
    "by status": "sort=networkStatus",
    "by party, a day": "sort=party&issueDateFrom=2026-06-01&issueDateTo=2026-06-01",
}
# Name, page, and the route of the API with the same data.
PAGES = (
    ("overview", "/dashboard", "/api/usage?environment=test"),
    *((name, f"{LIST}&{query}", f"{API}&{query}") for name, query in QUERIES.items()),
    ("one invoice", "/dashboard/invoices/{id}", "/api/invoices/{id}"),
    ("bills", "/dashboard/bills?environment=test", f"{API}&direction=received&processed=false"),
    ("API keys", "/dashboard/developers/keys", "/api/keys?environment=test"),
    ("customers", "/dashboard/customers", "/api/customers"),
    ("settings", "/dashboard/settings", "/api/tenant"),
    ("usage", "/dashboard/developers/usage", "/api/usage?environment=test"),
    ("new invoice", "/dashboard/invoices/new?environment=test", "/api/session"),
    ("drafts", "/dashboard/invoices/drafts?environment=test", "/api/drafts"),
    ("suppliers", "/dashboard/suppliers", "/api/suppliers"),
    ("check", "/dashboard/check", "/api/session"),
    ("send files", "/dashboard/send?environment=test", "/api/session"),
    ("networks", "/dashboard/networks?environment=test", "/api/participants"),
    ("connections", "/dashboard/connections", "/api/connections"),
    ("webhooks", "/dashboard/developers/webhooks", "/api/webhooks"),
    ("events", "/dashboard/developers/events?environment=test", "/api/events?environment=test"),
    ("audit log", "/dashboard/developers/audit", "/api/audit"),
    ("participant ids", "/dashboard/settings/participants", "/api/participants"),
    ("exports", "/dashboard/settings/exports", "/api/session"),
    ("holds", "/dashboard/settings/holds", "/api/holds"),
    ("sessions", "/dashboard/settings/sessions", "/api/session"),
    ("preferences", "/dashboard/settings/you", "/api/session"),
)
# As a server of this size is set, but for the commits of the rows that are filled in.
SERVER = ("-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB", "-c", "synchronous_commit=off")
_ASSET = re.compile(r'(?:href|src)="(/dashboard/assets/[^"#]+)')


def used_by(pid: int) -> float:
    """Seconds of CPU time of a process and its running children."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if pid in (int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])):
                for task in stat.parent.glob("task/*/schedstat"):
                    total += int(task.read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


def milliseconds(client: FlaskClient, path: str, headers: dict[str, str]) -> tuple[float, float]:
    """Of the answer, and of them CPU time of this process."""
    start, used = time.perf_counter(), time.process_time()
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000, (time.process_time() - used) * 1000


def first_load(client: FlaskClient, path: str) -> int:
    """Bytes of the bodies of a page and of all that it loads, compressed as browsers ask."""
    headers = {"Accept-Encoding": "gzip"}
    text = client.get(path).text
    answers = [client.get(each, headers=headers) for each in (path, *set(_ASSET.findall(text)))]
    assert {answer.status_code for answer in answers} == {200}
    return sum(len(answer.data) for answer in answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder, servers.cluster(SERVER) as server:
        app = opened(server.url, folder)
        with app.app_context():
            tenant = tenant_with(options.size)
            analysed()
            with db.reading() as connection:
                one = connection.execute(sa.select(Invoice.id).limit(1)).scalar()
        settings = runtime_of(app).settings
        token = dev_issuer.mint(settings, tenant_id=tenant, role=Role.OWNER, subject="bench")
        client, person = app.test_client(), {"Authorization": f"Bearer {token}"}
        client.get(f"/dashboard/login/local?token={token}")
        report(app, client, person, options, one, server.pid)


def report(
    app: Flask,
    client: FlaskClient,
    person: dict[str, str],
    options: argparse.Namespace,
    invoice: str,
    server: int,
) -> None:
    """Print a row for each page. `server`: the process id of PostgreSQL."""
    title = f"{options.size:,} invoices, ms"
    print(f"{title:28} {'page':>9} {'least':>9} {'CPU':>9} {'database':>9} {'JSON':>9} {'KiB':>9}")
    for name, page, route in PAGES:
        path, same = page.format(id=invoice), route.format(id=invoice)
        milliseconds(client, path, {})
        used = used_by(server)
        shown = [milliseconds(client, path, {}) for _ in range(options.times)]
        database = (used_by(server) - used) * 1000 / options.times
        data = [milliseconds(app.test_client(), same, person)[0] for _ in range(options.times)]
        wholes, cpus = zip(*shown, strict=True)
        figures = (
            statistics.median(wholes), min(wholes), statistics.median(cpus), database,
            statistics.median(data), first_load(client, path) / 1024,
        )  # fmt: skip
        print(f"{name:28}", *(f"{each:9.1f}" for each in figures))


if __name__ == "__main__":
    main()
