"""A tenant's key at the test client, and a worker's hands for what it sends."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import credentials, tenants
from einvoice.services.delivery import transmit
from einvoice.services.send import batch_ends
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER, send_body

ASYNC = "respond-async"
_names = itertools.count(1)


class Caller:
    """One tenant in one environment. No application context is left open between requests, as
    in the real service."""

    def __init__(
        self,
        app: Flask,
        environment: Environment = Environment.TEST,
        tenant: str | None = None,
        **key: Any,
    ) -> None:
        self.app, self.environment = app, environment
        with app.app_context():
            self.tenant = tenant or tenants.create(f"Tenant {next(_names)}")
            self.key = credentials.create(API_KEY, self.tenant, "tests", environment, **key).secret

    @property
    def client(self) -> FlaskClient:
        """A fresh one each time: they are not for several threads."""
        return self.app.test_client()

    def call(self, method: str, path: str, data: bytes | None = None, **headers: str):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.open(
            path, method=method, data=data, headers={"x-api-key": self.key} | named
        )

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.call("GET", path, **headers)

    def bearer(
        self, method: str, path: str, body: dict[str, Any] | bytes | None = None, **headers: str
    ) -> TestResponse:
        """A call with the key as `Authorization: Bearer`, as the /v1 family wants it."""
        raw = json.dumps(body).encode() if isinstance(body, dict) else body
        kind = {"Content_Type": "application/json"} if isinstance(body, dict) else {}
        named = {"Authorization": f"Bearer {self.key}"} | kind | headers
        return self.client.open(
            path,
            method=method,
            data=raw,
            headers={name.replace("_", "-"): value for name, value in named.items()},
        )

    def lookup(self, participant: str = RECEIVER) -> TestResponse:
        return self.get(f"/api/participants/lookup?participantId={participant}")

    def reference(self, participant: str = RECEIVER) -> str:
        """The accessPointRef a lookup gives."""
        reference: str = self.lookup(participant).json["accessPointRef"]
        return reference

    def body(self, receiver: str = RECEIVER, **invoice: Any) -> dict[str, Any]:
        """A valid body for the receiver; keyword arguments replace fields of the invoice."""
        body = send_body(self.reference(receiver), **invoice)
        body["routing"]["receiverParticipantId"] = receiver
        return body

    def send(
        self, body: dict[str, Any] | bytes | None = None, prefer: str = ASYNC, **headers: str
    ) -> TestResponse:
        """Send; a body as bytes goes as it is, none is a good one."""
        if body is None:
            body = self.body()
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content_Type": "application/json", "Prefer": prefer} | headers
        return self.call("POST", "/api/invoices/send", raw, **given)

    def sent(self, receiver: str = RECEIVER, **invoice: Any) -> str:
        """The id of an invoice that was accepted."""
        answer = self.send(self.body(receiver, **invoice))
        assert answer.status_code == 200, answer.text
        invoice_id: str = answer.json["invoiceId"]
        return invoice_id

    def artefacts(self, invoice: str) -> dict[str, dict[str, Any]]:
        """The artefacts of an invoice as they are listed, by their types."""
        items = self.get(f"/api/invoices/{invoice}/artefacts").json["items"]
        return {item["type"]: item for item in items}

    def own(self, participant: str = SENDER) -> None:
        with self.app.app_context():
            tenants.own_participant(self.tenant, self.environment, ParticipantId.parse(participant))

    def switch(self, **switches: bool) -> None:
        with self.app.app_context():
            tenants.change(self.tenant, switches)
        runtime_of(self.app).caches.clear()

    def work(self, later: float = 0.0) -> None:
        """Do what is due now, as relay and worker would; or so many seconds later, by the clock."""
        moment = clock.now() + timedelta(seconds=later)
        with pytest.MonkeyPatch.context() as patch, self.app.app_context():
            if later:
                patch.setattr(clock, "now", lambda: moment)
            for lane in (outbox.WAITED, outbox.BULK, outbox.CHORES):
                token, lease = uuid.uuid4().hex, timedelta(seconds=30)
                found = outbox.claim(
                    lane, self.tenant, 100, token=token, now=clock.now(), lease=lease
                )
                ends = [row.id for row in found if row.kind == outbox.BATCH]
                transmit.advance(
                    [row.id for row in found if row.id not in ends], token, runtime_of(self.app)
                )
                batch_ends.run(ends, token)

    def work_until(self, done: Callable[[], object]) -> None:
        """Work, two seconds later each time, until this is true; fail after five minutes so."""
        for seconds in range(0, 300, 2):
            self.work(seconds)
            if done():
                return
        pytest.fail("what was waited for did not come")

    def count(self, table: Any = Transmission) -> int:
        """How many rows of the tenant a table has."""
        query = sa.select(sa.func.count()).where(table.tenant_id == self.tenant)
        with self.app.app_context(), db.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def stored(self) -> int:
        """All that a send writes; 0 when nothing was stored."""
        return sum(self.count(table) for table in (Invoice, Transmission, Outbox, IdempotencyKey))


def slug(answer: TestResponse) -> str:
    """The slug of a problem document, after checking that it is one through and through."""
    assert answer.content_type == "application/problem+json", answer.text
    problem = answer.json
    assert {"type", "title", "status", "detail", "instance", "requestId"} <= problem.keys()
    assert problem["status"] == answer.status_code
    assert problem["requestId"] == answer.headers["X-Request-Id"]
    found: str = problem["type"].rpartition("/errors/")[2]
    return found
