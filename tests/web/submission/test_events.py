"""The events of submitted documents, opt-in beside those of every send (decisions 4)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice.domain.artefacts import RECEIPT
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network.types import (
    AccessPointBase,
    Delivered,
    Evidence,
    Registration,
    Rejected,
)
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.tables import Event, WebhookDelivery
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller
from tests.web.documented import undocumented
from tests.web.submission.documents import request_of, two_lines

FILED = Evidence(RECEIPT, b"<Filed/>", authority_reference="TAX-4711")


class Authority(AccessPointBase):
    """A network that files invoices, or refuses those to one receiver."""

    name = "authority"
    network = "authority"
    environment = Environment.TEST

    def lookup(self, participant):
        return Registration((BIS_INVOICE,))

    def submit(self, envelope, prepared):
        if envelope.receiver.value == "9520000000998":
            return Rejected("X-1", "The tax number is unknown.", evidence=(FILED,))
        return Delivered((FILED,))


class Plugin:
    EINVOICE_INTERFACE = einvoice_loopback.EINVOICE_INTERFACE

    @staticmethod
    @einvoice_loopback.hookimpl
    def einvoice_access_points(settings) -> Iterator[Authority]:
        yield Authority()


def events(caller: Caller, table=Event) -> list:
    query = (
        sa.select(table)
        .where(table.tenant_id == caller.tenant)
        .order_by(table.sequence if table is Event else table.created_at)
    )
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(query))


def submitted(caller: Caller, receiver: str, **fields) -> str:
    body = request_of(two_lines("E-1", receiver=receiver), receiver, **fields)
    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    invoice_id: str = answer.json["id"]
    return invoice_id


def worked_to_the_end(caller: Caller, invoice_id: str) -> dict:
    def reported() -> dict:
        return caller.bearer("GET", f"/v1/invoices/{invoice_id}").json

    caller.work_until(lambda: reported()["networkStatus"] != "Processing")
    return reported()


def test_a_submitted_document_has_events_of_its_own(caller):
    """invoice.validated and invoice.delivered, which a send does not have."""
    invoice_id = submitted(caller, "0088:9520000000004")
    worked_to_the_end(caller, invoice_id)
    worked_to_the_end(caller, caller.sent())
    reported = events(caller)

    assert [e.type for e in reported if e.invoice_id == invoice_id] == [
        "invoice.validated", "transaction.sent", "invoice.delivered"
    ]  # fmt: skip
    assert [e.type for e in reported if e.invoice_id != invoice_id] == ["transaction.sent"]
    assert reported[0].payload == {
        "id": invoice_id,
        "status": "processing",
        "trafficLight": "green",
    }
    assert reported[2].payload.items() >= {"id": invoice_id, "status": "delivered"}.items()
    assert undocumented(caller) == []


@pytest.mark.parametrize(
    ("receiver", "status", "types"),
    [
        (
            "0088:9520000000981", "acknowledged",
            ["invoice.validated", "transaction.sent", "invoice.delivered", "invoice.acknowledged"],
        ),
        (
            "0088:9520000000998", "rejected",
            ["invoice.validated", "transaction.failed", "invoice.rejected"],
        ),
    ],
)  # fmt: skip
def test_an_authority_s_answer_is_reported_with_its_reference(build, receiver, status, types):
    caller = Caller(build([Plugin]))
    invoice_id = submitted(caller, receiver, network="authority")
    reported = worked_to_the_end(caller, invoice_id)
    found = events(caller)

    assert (reported["status"], reported["authorityReference"]) == (status, "TAX-4711")
    assert reported["network"] == "authority"
    assert [e.type for e in found] == types
    assert found[-1].payload["authorityReference"] == "TAX-4711"
    assert found[-1].payload["status"] == status
    assert undocumented(caller) == []


def test_endpoints_must_subscribe_to_these_events(caller):
    """An endpoint without types gets the three of the contract."""
    url = "https://erp.example.com/hook"
    with caller.app.app_context():
        for types in ([], ["invoice.validated", "invoice.delivered"]):
            endpoints.create(
                caller.tenant,
                Environment.TEST,
                url=url,
                event_types=types,
                settings=runtime_of(caller.app).settings,
            )
    worked_to_the_end(caller, submitted(caller, "0088:9520000000004"))
    owed = sorted(d.event_type for d in events(caller, WebhookDelivery))

    assert owed == ["invoice.delivered", "invoice.validated", "transaction.sent"]
