"""Measure receiving bills and listing open ones: `python -m bench.receive`.

First, several threads pass bills to the inbox, as a worker or an endpoint does; they are validated
and stored. Then the same bills again, as duplicates. Then pages of the list of 1,000 and 100,000
bills, of which one in twenty is open; the last column is the ratio, which is 1.0 if the number of
bills does not matter.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from flask import Flask

from bench.lists import SIZES, analysed, asked, databases, opened
from bench.requests_in_turns import compare, title
from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.types import Duplicate, Inbound, Stored
from einvoice.services.account import credentials, tenants
from einvoice.services.inbound.reception import Reception
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Received, Transmission
from einvoice.web.runtime import runtime_of

QUESTIONS = {
    "open (one in twenty)": "processed=false",
    "open, oldest first": "processed=false&sort=createdAt",
    "processed (the others)": "processed=true",
    "received": "direction=received",
    "open, of one supplier": f"processed=false&senderParticipantId={samples.SENDER}",
    "open, a word in no bill": "processed=false&q=zebra",
}


def inbox_of(app: Flask) -> Reception:
    parts = runtime_of(app)
    return Reception(app.app_context, parts.caches, parts.computing, parts.forms)


def received(app: Flask, messages: Sequence[Inbound], threads: int, verdict: type[Any]) -> str:
    """Deliver all messages; the rate per second and the percentiles of the durations, as text."""
    inbox = inbox_of(app)
    taken: list[float] = []

    def _deliver(inbound: Inbound) -> None:
        start = time.perf_counter()
        answer = inbox.deliver_inbound(inbound)
        taken.append((time.perf_counter() - start) * 1000)
        assert isinstance(answer, verdict), answer

    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(_deliver, messages))
    seconds = time.perf_counter() - start
    taken.sort()
    p50, p99 = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    return f"{len(messages) / seconds:6.0f}/s   p50 {p50:6.1f} ms   p99 {p99:6.1f} ms"


def filled(size: int) -> str:
    """The key of a new tenant with `size` bills, one in twenty of them open."""
    tenant = tenants.create(f"{size:,} bills")
    for start in range(0, size, 5_000):
        rows = [_row(tenant, number) for number in range(start, min(size, start + 5_000))]
        with db.writing() as connection:
            for place, table in enumerate((Invoice, Transmission, Received)):
                connection.execute(sa.insert(table), [row[place] for row in rows])
    return credentials.create(API_KEY, tenant, "bench", Environment.TEST).secret


def _row(tenant: str, number: int) -> tuple[dict[str, object], ...]:
    """A received message, its invoice and its transmission. Open ones are spread evenly in time."""
    at = clock.now() - timedelta(seconds=(number * 7_919) % 100_003 * 280)
    invoice_id, transmission_id = str(uuid.uuid4()), f"txn_{uuid.uuid4().hex}"
    sender, receiver = str(samples.SENDER), str(samples.RECEIVER)
    shared = {"tenant_id": tenant, "environment": "test", "created_at": at}
    parties = {"sender": sender, "receiver": receiver}
    kind = {"document_type": "a::b", "process": "a::b"}
    invoice = shared | parties | {
        "id": invoice_id, "transmission_id": transmission_id, "direction": "received",
        "kind": "invoice", "number": f"N-{number}", "currency": "EUR", "rule_pack": "none",
        "supplier_name": "Acme NV", "buyer_name": "Buyer BV", "findings": [], "warnings": [],
        "original_type": "application/xml", "original": b"<a/>" * 300,
        "document": uuid.uuid4().hex.encode() * 150,
    }  # fmt: skip
    sending = shared | kind | {
        "id": transmission_id, "invoice_id": invoice_id, "access_point": "none", "phase": "done",
        "status": "Received", "attempts": 0, "fence": 0, "retry_until": at, "listed_at": at,
        "attention": False, "rejected": False,
    }  # fmt: skip
    message = shared | parties | kind | {
        "invoice_id": invoice_id, "access_point": "none", "instance_id": invoice_id,
        "syntax": "ubl", "sha256": "0" * 64,
        "processed_at": None if number % 20 == 7 else at,
    }  # fmt: skip
    return invoice, sending, message


def measured(name: str, url: str, count: int, threads: int, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = opened(url, folder)
        with app.app_context():
            tenant = tenants.create("Bills")
            tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
        messages = [samples.inbound() for _ in range(count)]
        for inbound in [samples.inbound() for _ in range(threads)]:
            inbox_of(app).deliver_inbound(inbound)  # loads rules and opens connections
        print(f"\n{name}, {threads} threads")
        print(f"{'taken in':14}", received(app, messages, threads, Stored))
        print(f"{'come again':14}", received(app, messages, threads, Duplicate))
        with app.app_context():
            by_size = [filled(size) for size in SIZES]
            analysed()
        print(f"\n{title(f'{name}, ms per page', SIZES)}")
        for question, query in QUESTIONS.items():
            compare(app, question, [asked(key, query) for key in by_size], times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--times", type=int, default=40)
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with databases() as urls:
        for name, url in urls.items():
            measured(name, url, options.count, options.threads, options.times)


if __name__ == "__main__":
    main()
