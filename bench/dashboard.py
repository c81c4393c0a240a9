"""Measure the pages of the dashboard beside the JSON of the same data: `python -m bench.dashboard`.

PostgreSQL, one tenant with `--size` invoices, over HTTP (test client) in turns; medians of the
milliseconds that the server takes. The goal is below 50 ms for every page at a million invoices.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time

import sqlalchemy as sa
from flask.testing import FlaskClient

from bench.lists import analysed, opened, tenant_with
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.store import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests import servers

# Name, page, and the route of the API with the same data.
PAGES = (
    ("overview", "/dashboard", "/api/usage?environment=test"),
    ("list", "/dashboard/invoices", "/api/invoices?environment=test"),
    ("failed ones", "/dashboard/invoices?networkStatus=Failed",
     "/api/invoices?environment=test&networkStatus=Failed"),
    ("by number", "/dashboard/invoices?number=N-500",
     "/api/invoices?environment=test&number=N-500"),
    ("a word", "/dashboard/invoices?q=N-4999", "/api/invoices?environment=test&q=N-4999"),
    ("a word in none", "/dashboard/invoices?q=zebra", "/api/invoices?environment=test&q=zebra"),
    ("one invoice", "/dashboard/invoices/{id}", "/api/invoices/{id}"),
    ("bills", "/dashboard/bills", "/api/invoices?environment=test&processed=false"),
    ("API keys", "/dashboard/developers/keys", "/api/keys?environment=test"),
)  # fmt: skip


def milliseconds(client: FlaskClient, path: str, headers: dict[str, str]) -> float:
    start = time.perf_counter()
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder, servers.postgresql() as url:
        app = opened(url, folder)
        with app.app_context():
            tenant = tenant_with(options.size)
            analysed()
            with db.reading() as connection:
                one = connection.execute(sa.select(Invoice.id).limit(1)).scalar()
        settings = runtime_of(app).settings
        token = dev_issuer.mint(settings, tenant_id=tenant, role=Role.OWNER, subject="bench")
        client, person = app.test_client(), {"Authorization": f"Bearer {token}"}
        client.get(f"/dashboard/login/local?token={token}")
        title = f"{options.size:,} invoices, ms"
        print(f"{title:28} {'page':>9} {'JSON':>9}")
        for name, page, route in PAGES:
            path, same = page.format(id=one), route.format(id=one)
            taken = [
                (milliseconds(client, path, {}), milliseconds(app.test_client(), same, person))
                for _ in range(options.times)
            ]
            shown, data = (statistics.median(column) for column in zip(*taken, strict=True))
            print(f"{name:28} {shown:9.2f} {data:9.2f}")


if __name__ == "__main__":
    main()
