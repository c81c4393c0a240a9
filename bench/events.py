"""Measure pages of the event feed, of 1,000 and 1,000,000 events: `python -m bench.events`.

Two tenants in one PostgreSQL database, requested in turns over HTTP (test client), medians; the
last column is the ratio of the two: 1.0 means that the cost does not grow with the number of
events. One event in 1,000 is a failure, the last one a response. `--explain` prints PostgreSQL's
plans for the larger tenant.
"""

from __future__ import annotations

import argparse
import sys
import tempfile

import sqlalchemy as sa

from bench.lists import analysed, opened
from bench.requests_in_turns import Request, compare, explain, title
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.web.runtime import runtime
from tests import servers

SIZES = (1_000, 1_000_000)
TABLES = ("events", "webhook_deliveries")
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
        self._names = {
            "event": row[0],
            "invoice": row[1],
            "since": row[2],
            "hook": made.endpoint.id,
        }

    def request(self, question: str) -> Request:
        return {"x-api-key": self.key}, QUESTIONS[question].format(**self._names)


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
        print(title("ms per request", SIZES))
        for question in QUESTIONS:
            compare(app, question, [each.request(question) for each in filled], options.times)
        for question in QUESTIONS if options.explain else ():
            explain(app, question, filled[1].request(question), TABLES)


if __name__ == "__main__":
    main()
