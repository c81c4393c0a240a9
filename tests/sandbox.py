"""A test key's view of the service and a worker's hands, on a clock that the test owns."""

from __future__ import annotations

import uuid
from datetime import timedelta

import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event
from einvoice.web.runtime import runtime_of

SENDER = "0208:0123456749"


class Sandbox:
    """What a test key sees, and a worker's hands, on a clock of our own."""

    def __init__(self, app, client, tenant, api_key) -> None:
        self.runtime = runtime_of(app)
        self.client, self.tenant = client, tenant
        self.headers = {"x-api-key": api_key}
        self.moment = clock.now()

    @classmethod
    def of(cls, app) -> Sandbox:
        """Inside the application's context: a tenant and a test key of its own."""
        tenant = tenants.create("Acme")
        key = credentials.create(API_KEY, tenant, "tests", Environment.TEST).secret
        return cls(app, app.test_client(), tenant, key)

    def get(self, path):
        return self.client.get(path, headers=self.headers)

    def lookup(self, receiver):
        return self.get(f"/api/participants/lookup?participantId={receiver}")

    def post(self, receiver):
        return self.client.post(
            "/api/invoices/send",
            json=a_body(receiver, self.lookup(receiver).json["accessPointRef"]),
            headers=self.headers | {"Prefer": "respond-async"},
        )

    def send(self, receiver) -> str:
        answer = self.post(receiver)
        assert answer.status_code == 200, answer.json
        self.work()
        return answer.json["invoiceId"]

    def work(self, seconds: float = 0.0) -> None:
        """Let time pass, then do what became due, as relay and worker would."""
        self.moment += timedelta(seconds=seconds)
        for lane in (outbox.WAITED, outbox.BULK, outbox.CHORES):
            token, lease = uuid.uuid4().hex, timedelta(seconds=30)
            rows = outbox.claim(lane, self.tenant, 100, token=token, now=self.moment, lease=lease)
            transmit.advance([row.id for row in rows], token, self.runtime)

    def invoice(self, invoice_id):
        return self.get(f"/api/invoices/{invoice_id}").json

    def status(self, invoice_id) -> str:
        return self.invoice(invoice_id)["networkStatus"]

    def evidence(self, invoice_id) -> list[str]:
        listed = self.get(f"/api/invoices/{invoice_id}/artefacts").json["items"]
        made = {"UBL", "VALIDATION_REPORT", "ORIGINAL"}
        return sorted(item["type"] for item in listed if item["type"] not in made)

    def events(self, invoice_id) -> list[str]:
        query = sa.select(Event.type).where(Event.invoice_id == invoice_id).order_by(Event.sequence)
        with db.reading() as connection:
            return list(connection.execute(query).scalars())


def a_body(receiver, reference):
    return {
        "invoice": {
            "number": f"M-{uuid.uuid4().hex[:10]}",
            "issueDate": clock.today().isoformat(),
            "currency": "EUR",
            "buyerReference": "PO-1",
            "supplier": {"name": "Acme", "taxId": "BE0123456749", "address": {"countryCode": "BE"}},
            "buyer": {"name": "Buyer", "address": {"countryCode": "BE"}},
            "lineItems": [{"description": "Work", "quantity": 1, "unitPrice": 100, "taxRate": 21}],
            "totals": {"subtotal": 100, "taxAmount": 21, "grandTotal": 121},
        },
        "routing": {
            "senderParticipantId": SENDER,
            "receiverParticipantId": receiver,
            "accessPointRef": reference,
        },
    }
