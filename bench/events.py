"""Measure pages of the event feed, of 1,000 and 1,000,000 events: `python -m bench.events`.

Two tenants in one PostgreSQL database, requested in turns over HTTP (test client), medians; the
last column is the ratio of the two: 1.0 means that the cost does not grow with the number of
events. One event in 1,000 is a failure, the last one a response. `--explain` prints PostgreSQL's
plans for the larger tenant.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from typing import Any

import sqlalchemy as sa
from flask import Flask

from bench.lists import analysed, opened
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.services.webhooks import endpoints
from einvoice.store import db
from einvoice.web.runtime import runtime
from tests import servers

SIZES = (1_000, 1_000_000)
QUESTIONS = {
    "first page": "/api/events",
    "of one invoice": "/api/events?invoiceId={invoice}",
    "transaction.failed (1 in 1,000)": "/api/events?eventType=transaction.failed&limit=1",
    "invoice.responded (the last)": "/api/events?eventType=invoice.responded",
    "webhook.disabled (none)": "/api/events?eventType=webhook.disabled",
    "transaction.sent": "/api/events?eventType=transaction.sent",
    "of one invoice and one type": "/api/events?invoiceId={invoice}&eventType=transaction.failed",
    "since the last hour": "/api/events?since={since}",
    "one event": "/api/events/{event}",
    "webhook log": "/api/webhooks/{hook}/deliveries",
    "webhook log, one invoice": "/api/webhooks/{hook}/deliveries?invoiceId={invoice}",
    "webhook log, one event": "/api/webhooks/{hook}/deliveries?eventId={event}",
}
_FILL = """
INSERT INTO events (id, tenant_id, environment, type, invoice_id, payload, created_at)
SELECT 'evt_' || md5(:tenant || i), :tenant, 'test',
    CASE WHEN i = :size THEN 'invoice.responded' WHEN i % 1000 = 500 THEN 'transaction.failed'
        ELSE 'transaction.sent' END,
    CAST(md5(:tenant || i % (:size / 2)) AS uuid)::text, '{{"status": "Delivered"}}',
    now() - make_interval(secs => (:size - i) * 2.5 + 10)
FROM generate_series(1, :size) AS i;
INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, trigger, status,
    attempts, created_at)
SELECT gen_random_uuid()::text, tenant_id, '{hook}', id, type, 'schedule', 'delivered', 1,
    created_at FROM events WHERE tenant_id = :tenant
"""


class Filled:
    """A tenant with `size` events and one webhook; what its requests need."""

    def __init__(self, size: int) -> None:
        tenant = tenants.create(f"{size:,} events")
        made = endpoints.create(
            tenant, Environment.TEST, url="https://a.example/", settings=runtime().settings
        )
        fill = sa.text(_FILL.format(hook=made.endpoint.id).replace("::", "\\:\\:"))
        with db.writing() as connection:
            for statement in str(fill.text).split(";\n"):
                connection.execute(sa.text(statement), {"tenant": tenant, "size": size})
        rights = {"scopes": ["invoices:read", "webhooks:manage"]}
        self.key = credentials.create(API_KEY, tenant, "b", Environment.TEST, **rights).secret
        with db.reading() as connection:
            middle = sa.text(
                "SELECT id, invoice_id, to_char((now() - interval '1 hour') AT TIME ZONE 'UTC',"
                ' \'YYYY-MM-DD"T"HH24\\:MI\\:SS"Z"\') FROM events WHERE tenant_id = :tenant'
                " ORDER BY sequence OFFSET :half LIMIT 1"
            )
            row = connection.execute(middle, {"tenant": tenant, "half": size // 2 - 1}).one()
        self.names = {"event": row[0], "invoice": row[1], "since": row[2], "hook": made.endpoint.id}


def milliseconds(app: Flask, filled: Filled, path: str) -> float:
    """The duration of one request."""
    start = time.perf_counter()
    address = path.format(**filled.names)
    answer = app.test_client().get(address, headers={"x-api-key": filled.key})
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000


def report(app: Flask, question: str, asked_by: list[Filled], times: int) -> None:
    """Measure both tenants in turns."""
    path = QUESTIONS[question]
    taken = [[milliseconds(app, filled, path) for filled in asked_by] for _ in range(times)]
    small, large = (statistics.median(column) for column in zip(*taken, strict=True))
    print(f"{question:34} {small:9.2f} {large:9.2f} {large / small:7.2f}")


def plans(app: Flask, filled: Filled) -> None:
    """Print EXPLAIN ANALYZE of the statements on events and deliveries."""
    for question, path in QUESTIONS.items():
        seen: list[tuple[str, Any]] = []

        def note(
            _c: Any, _cursor: Any, statement: str, given: Any, *_: Any, to: Any = seen
        ) -> None:
            if "FROM events" in statement or "FROM webhook_deliveries" in statement:
                to.append((statement, given))

        with app.app_context():
            sa.event.listen(db.db.engine, "before_cursor_execute", note)
            milliseconds(app, filled, path)
            sa.event.remove(db.db.engine, "before_cursor_execute", note)
            for statement, given in seen[-1:]:
                with db.reading_by_key() as connection:
                    explain = f"EXPLAIN (ANALYZE, COSTS OFF, BUFFERS) {statement}"
                    rows = connection.exec_driver_sql(explain, given)
                    print(f"\n-- {question}", *rows.scalars(), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder, servers.postgresql() as url:
        app = opened(url, folder)
        with app.app_context():
            filled = [Filled(size) for size in SIZES]
            analysed()
        print(f"{'ms per request':34} {SIZES[0]:>9,} {SIZES[1]:>9,}   ratio")
        for question in QUESTIONS:
            report(app, question, filled, options.times)
        if options.explain:
            plans(app, filled[1])


if __name__ == "__main__":
    main()
