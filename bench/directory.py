"""Measure the directory: lists of 1,000 and 100,000 customers, import, seeding.

    python -m bench.directory [--explain]

Lists: two tenants in one database, requested in turns over HTTP (test client), medians; the last
column is the ratio of the two. Then 10,000 rows are imported, and 100,000 invoices with as many
buyers, and with 500 buyers, are seeded. Import and seeding run twice; the second run finds all
entries. `--explain` prints PostgreSQL's plans for the larger tenant.
"""

from __future__ import annotations

import argparse
import io
import statistics
import sys
import tempfile
import time
import uuid
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from flask import Flask

from bench.lists import SIZES, analysed, databases, invoice_row, opened
from bench.requests_in_turns import Request, compare, deep, explain, title
from einvoice import clock
from einvoice.domain.directory import CUSTOMER, EntrySource
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import tenants
from einvoice.services.caches import Caches
from einvoice.services.directory import bulk_add, matching, seed
from einvoice.services.directory.candidates import candidates_of
from einvoice.store.core import db
from einvoice.store.directory import pages
from einvoice.store.tables import Invoice, Outbox
from einvoice.web.runtime import runtime_of

QUESTIONS = {
    "first page": "",
    "page of 200": "limit=200",
    "by name": "sort=name",
    "by name, descending": "sort=-name",
    "a tax id": "taxId=BE%20500",
    "a participant": "peppolId=0208:500",
    "usual country": "countryCode=BE",
    "a country without entries": "countryCode=NL",
    "a word in all entries": "q=buyer",
    "a word in one entry": "q=buyer-500%20",
    "a word in no entry": "q=zebra",
    "changed since yesterday": "updatedSince=2026-11-20",
    "first page with total": "include=total",
}
EXPLAINED = ("first page", "by name", "a tax id", "a participant", "a word in no entry")


def filled(size: int) -> str:
    """A new tenant with `size` customers, created over the last hours."""
    tenant = tenants.create(f"{size:,} customers")
    parties = candidates_of(
        {"name": f"Buyer-{n} BV", "tax_id": f"BE{n}", "country_code": "BE",
         "peppol_id": f"0208:{n}", "email": f"ap@buyer{n}.example"}
        for n in range(size)
    )  # fmt: skip
    for start in range(0, size, 5_000):
        with db.writing() as connection:
            bulk_add.add_missing(
                connection, CUSTOMER, tenant, parties[start : start + 5_000],
                source=EntrySource.IMPORT, now=clock.now() - timedelta(minutes=size - start),
            )  # fmt: skip
    with db.writing() as connection:
        connection.execute(sa.delete(Outbox))
    return tenant


def token(app: Flask, tenant: str) -> dict[str, str]:
    made = dev_issuer.mint(
        runtime_of(app).settings, tenant_id=tenant, role=Role.OWNER, subject="b", email=None
    )
    return {"Authorization": f"Bearer {made}"}


def asked(headers: dict[str, str], query: str) -> Request:
    """The request of a page of customers."""
    return headers, f"/api/customers?{query}"


def lists(app: Flask, name: str, people: list[dict[str, str]], times: int) -> None:
    print(f"\n{title(f'{name}, ms per page', SIZES)}")
    for question, query in QUESTIONS.items():
        compare(app, question, [asked(who, query) for who in people], times)
    pages_on = [deep(app, asked(who, "limit=40&sort=name")) for who in people]
    compare(app, "the 21st page by name", pages_on, times)


def of_a_send(app: Flask, tenants_: list[str], times: int) -> None:
    """Measure how a send without buyer reference or due date finds its customer."""
    with app.app_context():
        for words, participant in (("by receiver", "0208:500"), ("none found", "0088:1")):
            receiver = ParticipantId.parse(participant)
            medians = [
                statistics.median(found_in(tenant, receiver) for _ in range(times))
                for tenant in tenants_
            ]
            small, large = medians
            question = f"customer of a send: {words}"
            print(f"{question:32} {small:5.2f} {large:9.2f} {large / small:7.2f}")


def found_in(tenant: str, receiver: ParticipantId) -> float:
    """Milliseconds to find the customer of a receiver."""
    start = time.perf_counter()
    matching.find_customers(tenant, receiver, "X", "Unknown NV", Caches())
    return (time.perf_counter() - start) * 1000


def imported(app: Flask) -> None:
    """Import a file of 10,000 rows over HTTP twice, and export it."""
    with app.app_context():
        who = token(app, tenants.create("Import"))
    header = (
        "Name,TaxId,PeppolId,Email,Phone,DefaultCurrencyCode,DefaultPaymentTermsDays,CountryCode"
    )
    rows = [f"Büyer {n} BV,BE{n},0208:{n},ap@b{n}.example,+32 {n},EUR,30,BE" for n in range(10_000)]
    content = "\n".join([header, *rows]).encode()
    for words in ("stored", "all there"):
        start = time.perf_counter()
        answer = app.test_client().post(
            "/api/customers/import", data={"file": (io.BytesIO(content), "c.csv")}, headers=who
        )
        took = time.perf_counter() - start
        print(f"import of 10,000 rows, {words}: {took:.2f} s {answer.json['created']:,} created")
    start = time.perf_counter()
    size = len(app.test_client().get("/api/customers/export", headers=who).data)
    print(f"export of the same: {time.perf_counter() - start:.2f} s, {size:,} bytes")


def seeded(app: Flask, count: int, buyers: int) -> None:
    """Seed twice from `count` invoices of `buyers` buyers."""
    with app.app_context():
        tenant = tenants.create(f"{buyers} buyers")
        for start in range(0, count, 5_000):
            rows = [invoice(tenant, n, n % buyers) for n in range(start, start + 5_000)]
            with db.writing() as connection:
                connection.execute(sa.insert(Invoice), rows)
        analysed()
        for words in ("first", "again"):
            start_at = time.perf_counter()
            done = seed.seed(CUSTOMER, tenant)
            took = time.perf_counter() - start_at
            print(
                f"seeding of {count:,} invoices of {buyers:,} buyers, {words}: {took:.2f} s "
                f"({done.created:,} created, {done.skipped:,} skipped)"
            )


def invoice(tenant: str, number: int, buyer: int) -> dict[str, Any]:
    written, _ = invoice_row(tenant, number)
    return written | {
        "buyer_name": f"Büyer {buyer} BV",
        "buyer_tax_id": f"BE {buyer}" if buyer % 3 else None,
        "buyer_country": "BE",
        "receiver": f"0208:{buyer}",
        "id": str(uuid.uuid4()),
    }


def measured(name: str, url: str, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = opened(url, folder)
        with app.app_context():
            small, large = (filled(size) for size in SIZES)
            analysed()
            people = [token(app, tenant) for tenant in (small, large)]
        lists(app, name, people, options.times)
        of_a_send(app, [small, large], options.times * 5)
        imported(app)
        for buyers in (100_000, 500):
            seeded(app, options.invoices, min(buyers, options.invoices))
        if options.explain and name == "PostgreSQL":
            for question in EXPLAINED:
                explain(app, question, asked(people[1], QUESTIONS[question]), ("customers",))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--invoices", type=int, default=100_000)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    print(f"a page examines at most {pages.MAX_EXAMINED:,} customers")
    with databases() as urls:
        for name, url in urls.items():
            measured(name, url, options)


if __name__ == "__main__":
    main()
