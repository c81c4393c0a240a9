"""Any mix of sends has the same answers and rows together as alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import given, settings
from hypothesis import strategies as st

from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.errors import RequestRefused
from einvoice.services.account import authentication, credentials, tenants
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import legacy, send
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission
from einvoice.web.public.legacy import read_legacy
from einvoice.web.runtime import runtime_of
from einvoice.web.shared.send_bodies import read_send
from tests.builders import RECEIVER, SENDER, send_body

KINDS = (
    "valid", "warned", "dry run", "broken", "wrong field", "no reference", "unknown reference",
    "wrong totals", "to itself", "against a rule", "legacy", "wrong legacy", "fault",
)  # fmt: skip
SENDS = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from([None, "a", "b", "c"]),  # key
        st.sampled_from(["N-1", "N-2", "N-3", "N-4"]),  # number
    ),
    min_size=2,
    max_size=8,
)


class Tenant:
    """A tenant with a key, and a reference to the receiver."""

    def __init__(self, app: Flask, *, reject_duplicates: bool) -> None:
        self.id = tenants.create("Acme")
        tenants.change(self.id, {"reject_duplicate_numbers": reject_duplicates})
        self.key = credentials.create(API_KEY, self.id, "k", Environment.TEST).secret
        self.runtime: Runtime = runtime_of(app)
        found = app.test_client().get(
            "/api/participants/lookup",
            query_string={"participantId": RECEIVER},
            headers={"x-api-key": self.key},
        )
        self.reference: str = found.json["accessPointRef"]  # type: ignore[index]

    @property
    def principal(self) -> Principal:
        return authentication.recognise(self.key, self.runtime.caches)

    def draft(self, kind: str, key: str | None, number: str) -> Draft:
        command = SendCommand(self._body(kind, number), self.principal, key, 0.0)
        if "legacy" in kind:
            return legacy.draft_of(command, read_legacy, self.runtime)
        read = _failing if kind == "fault" else read_send
        return send.draft_of(command, read, self.runtime)

    def _body(self, kind: str, number: str) -> bytes:
        if kind == "broken":
            return b'{"invoice": '
        body = send_body(self.reference, number=number)
        CHANGES.get(kind, lambda _: None)(body)
        if "legacy" in kind:
            body = _legacy_body(number, self.reference, wrong=kind == "wrong legacy")
        return json.dumps(body).encode()

    def rows(self) -> list[list[str]]:
        """The tenant's rows without ids and times, sorted, by table."""
        tables = (Invoice, Transmission, Outbox, IdempotencyKey)
        with db.reading() as connection:
            found = [connection.execute(sa.select(t.__table__).where(t.tenant_id == self.id))
                     for t in tables]  # fmt: skip
            return [sorted(self._plain_row(row._asdict()) for row in rows) for rows in found]

    def _plain_row(self, row: dict[str, Any]) -> str:
        return self.plain({name: value for name, value in row.items() if name not in UNSTABLE})

    def plain(self, value: object) -> str:
        """A value as text, without what differs between two tenants."""
        return repr(value).replace(self.reference, "REFERENCE").replace(self.id, "TENANT")


def _failing(_: bytes) -> Any:
    raise ZeroDivisionError("a defect")


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "warned": lambda body: body["invoice"].update(type="invoice", dueDate="2020-01-01"),
    # It sees what was stored before its group, so it has a number of its own.
    "dry run": lambda body: (
        body.update(options={"dryRun": True}),
        body["invoice"].update(number="N-0"),
    ),
    "wrong field": lambda body: body["invoice"].update(currency=5),
    "no reference": lambda body: body["routing"].pop("accessPointRef"),
    "unknown reference": lambda body: body["routing"].update(accessPointRef="apr_unknown"),
    "wrong totals": lambda body: body["invoice"]["totals"].update(grandTotal=1.0),
    "to itself": lambda body: body["routing"].update(receiverParticipantId=SENDER),
    "against a rule": lambda body: body["invoice"]["lineItems"][0].update(taxCategory="E"),
}
UNSTABLE = {
    "id", "invoice_id", "transmission_id", "created_at", "listed_at", "due_at", "retry_until",
    "registration_id", "subject_id", "fingerprint",
}  # fmt: skip


def _legacy_body(number: str, reference: str, *, wrong: bool) -> dict[str, Any]:
    return {
        "invoiceNumber": number,
        "invoiceDate": "2026-11-20",
        "currency": "EUR",
        "vendorName": "Acme NV",
        "vendorTaxId": "BE0123456749",
        "vendorAddress": {"line1": "Street 1", "city": "Gent", "countryCode": "BE"},
        "customerName": "Buyer BV",
        "customerAddress": {"line1": "Road 2", "city": "Gent", "countryCode": "BE"},
        "lineItems": [{"description": "A", "quantity": 1, "unitPrice": 100, "vatRate": 21}],
        "totalAmount": 500 if wrong else 121,
        "senderParticipantId": SENDER,
        "receiverParticipantId": RECEIVER,
        "accessPointRef": reference,
    }


def outcome(tenant: Tenant, drafts: Sequence[Draft], draft: Draft) -> str:
    """What the sender of a draft is answered; an invoice is named by the draft that made it."""
    try:
        result = send.final_result(draft)
    except RequestRefused as refusal:
        text = tenant.plain((refusal.slug, refusal.detail, refusal.extras()))
    except ZeroDivisionError as fault:
        text = repr(fault)
    else:
        text = tenant.plain(result)
    for position, each in enumerate(drafts):
        if each.new is not None:
            text = text.replace(each.new.invoice_id, f"invoice {position}")
            text = text.replace(each.new.transmission_id, f"transmission {position}")
    return text


def together(tenant: Tenant, drafts: Sequence[Draft]) -> list[str]:
    send.run_steps(drafts)
    send.store(drafts)
    return [outcome(tenant, drafts, draft) for draft in drafts]


def alone(tenant: Tenant, drafts: Sequence[Draft]) -> list[str]:
    answers = []
    for draft in drafts:
        send.run_steps([draft])
        send.store([draft])
        answers.append(outcome(tenant, drafts, draft))
    return answers


@settings(max_examples=60)
@given(sends=SENDS, reject_duplicates=st.booleans())
def test_a_mix_of_sends_is_answered_and_stored_together_as_alone(
    app: Flask, sends: list[tuple[str, str | None, str]], reject_duplicates: bool
) -> None:
    """Refusals, faults, equal keys and equal numbers included."""
    found = []
    for run in (alone, together):
        tenant = Tenant(app, reject_duplicates=reject_duplicates)
        drafts = [
            tenant.draft(kind, key if kind in ACCEPTED else None, number)
            for kind, key, number in sends
        ]
        found.append((run(tenant, drafts), tenant.rows()))

    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_send_has_the_outcome_that_its_name_says(app: Flask, kind: str) -> None:
    """The mixes above hold accepted, refused, checked and failed sends."""
    tenant = Tenant(app, reject_duplicates=False)
    [answer] = together(tenant, [tenant.draft(kind, None, "N-1")])
    slug = SLUGS.get(kind)

    assert (slug in answer) if slug else answer.startswith("SendResult"), answer
    assert len(tenant.rows()[0]) == (kind in ACCEPTED)


ACCEPTED = ("valid", "warned", "legacy")
SLUGS = {
    "broken": "invalid-body",
    "wrong field": "invalid-field",
    "no reference": "missing-routing",
    "unknown reference": "unknown-access-point-ref",
    "wrong totals": "declared-totals-mismatch",
    "to itself": "self-invoicing",
    "against a rule": "validation-failed",
    "wrong legacy": "totals-mismatch",
    "fault": "ZeroDivisionError",
}
