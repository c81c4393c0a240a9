"""A tenant's list of invoices, at the test client."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

import sqlalchemy as sa

from einvoice import clock
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from tests.builders import accepted

START = clock.now() - timedelta(hours=1)


class InvoiceListing:
    """A tenant's invoices, each accepted a second after the previous one, and their list."""

    def __init__(self, caller) -> None:
        self.caller, self.count = caller, 0

    def add(self, **fields) -> str:
        self.count += 1
        at = START + timedelta(seconds=self.count)
        with self.caller.app.app_context():
            return accepted(self.caller.tenant, **({"created_at": at} | fields)).invoice_id

    def get(self, caller=None, **query):
        return (caller or self.caller).get(f"/api/invoices?{urlencode(query, doseq=True)}")

    def ids(self, **query) -> list[str]:
        answer = self.get(**query)
        assert answer.status_code == 200, answer.json
        return [item["invoiceId"] for item in answer.json["items"]]

    def walk(self, **query) -> list[list[str]]:
        """Every page until hasMore is false."""
        pages, cursor = [], {}
        while True:
            body = self.get(**query, **cursor).json
            pages.append([item["invoiceId"] for item in body["items"]])
            assert body["hasMore"] is (body["nextCursor"] is not None)
            if not body["hasMore"]:
                return pages
            cursor = {"cursor": body["nextCursor"]}

    def write(self, table, column, invoice_id, **values) -> None:
        with self.caller.app.app_context(), db.writing() as connection:
            connection.execute(sa.update(table).where(column == invoice_id).values(values))

    def fail(self, invoice_id) -> None:
        failed = {"status": "Failed", "reason": "because", "settled_at": clock.now()}
        self.write(Transmission, Transmission.invoice_id, invoice_id, **failed)
