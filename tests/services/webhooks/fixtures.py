"""Fixtures of the tests of webhooks: a database, two tenants, and a receiver on loopback."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.security.sealing import new_key
from einvoice.services.webhooks import attempts, deliveries, endpoints, redelivery
from einvoice.services.webhooks.endpoints import EndpointWithSecrets
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, Tenant, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks import events
from einvoice.web.runtime import runtime_of
from tests import databases

TENANT = "tenant-1"


@dataclass(frozen=True)
class Received:
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class Receiver:
    """Records requests and answers with `status` and `headers`, after calling `before`."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)
    before: Callable[[], object] = lambda: None
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(headers, body))
            receiver.before()
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "2")
            self.end_headers()
            with suppress(BrokenPipeError):  # the sender did not wait for the body
                self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture(scope="module", params=databases.KINDS)
def webhook_app(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Flask]:
    """One application and one database of each kind for a module: making them takes longer than
    the tests."""
    directory = tmp_path_factory.mktemp("webhooks")
    with databases.fresh(request, request.param, directory) as url:
        settings = Settings(
            data_dir=str(directory),
            database_url=url,
            log_level="CRITICAL",
            secret_key=new_key(),
            webhook_allow_private=True,
            webhook_timeout=60.0,
        )
        app = create_app(settings, plugins=[])
        yield app
        databases.let_go(app)
        attempts.client.cache_clear()  # which closes the connections to receivers


@pytest.fixture
def app_with_tenants(webhook_app: Flask) -> Iterator[Flask]:
    """The application inside its context; the database holds two tenants and no other rows."""
    tenants = [
        {"id": name, "name": name, "profile": {}, "created_at": clock.now()}
        for name in (TENANT, "tenant-2")
    ]
    with webhook_app.app_context():
        with db.writing() as connection:
            for table in (Outbox, WebhookDelivery, WebhookEndpoint, Event, Tenant):
                connection.execute(sa.delete(table))
            connection.execute(sa.insert(Tenant), tenants)
        yield webhook_app


@pytest.fixture
def settings(app_with_tenants: Flask) -> Settings:
    return runtime_of(app_with_tenants).settings


@pytest.fixture
def endpoint(app_with_tenants, receiver, settings) -> EndpointWithSecrets:
    """An endpoint of the sandbox for the three default events, at the receiver."""
    return register(receiver.url, settings)


def register(url: str, settings: Settings, *event_types: str, **more: Any) -> EndpointWithSecrets:
    given = {"environment": Environment.TEST, **more}
    environment = given.pop("environment")
    tenant_id = given.pop("tenant_id", TENANT)
    return endpoints.create(
        tenant_id, environment, url=url, event_types=event_types, settings=settings, **given
    )


def happen(event_type: str = "transaction.sent", count: int = 1, **more: Any) -> list[str]:
    """Emit `count` equal events; their ids."""
    given = {"tenant_id": TENANT, "environment": "test", "invoice_id": "inv-1", **more}
    payload = {"transactionId": "txn_1", "status": "Delivered"}
    new = events.NewEvent(type=event_type, payload=payload, **given)
    with db.writing() as connection:
        return events.emit_many(connection, [new] * count)


def lease(now: datetime | None = None, seconds: float = 120) -> tuple[list[int], str]:
    """Lease the due rows, as the relay does; their ids and the token."""
    token = uuid.uuid4().hex
    claimed = outbox.claim(
        outbox.WEBHOOKS,
        TENANT,
        1000,
        token=token,
        now=now or clock.now(),
        lease=timedelta(seconds=seconds),
    )
    return [row.id for row in claimed], token


def work(settings: Settings) -> int:
    """Run one job: lease the due rows and deliver them; the number of rows."""
    ids, token = lease()
    deliveries.deliver(ids, token, settings)
    return len(ids)


def due_times() -> list[datetime]:
    """The due times of the open deliveries."""
    with db.reading() as connection:
        return list(connection.execute(sa.select(Outbox.due_at).order_by(Outbox.due_at)).scalars())


def log_of(endpoint: EndpointWithSecrets) -> list[Any]:
    """The log of the endpoint, oldest first."""
    return redelivery.deliveries(TENANT, endpoint.endpoint.id)[::-1]


def state_of(endpoint: EndpointWithSecrets) -> Any:
    with db.reading() as connection:
        columns = (
            WebhookEndpoint.status,
            WebhookEndpoint.disabled_reason,
            WebhookEndpoint.failing_since,
        )
        return connection.execute(
            sa.select(*columns).where(WebhookEndpoint.id == endpoint.endpoint.id)
        ).one()


def set_rows(table: Any, **values: Any) -> None:
    """Set columns of all rows of a table, such as times in the past."""
    with db.writing() as connection:
        connection.execute(sa.update(table).values(**values))
