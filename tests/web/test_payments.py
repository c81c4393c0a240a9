"""Payments of sent invoices: what is stored, shown, told, and refused."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.services.inbound import payments
from einvoice.store.core import db
from einvoice.store.invoices import payments as stored
from einvoice.store.tables import AuditEntry, Event, Invoice
from tests.web.caller import Caller, slug


@pytest.fixture
def caller(app):
    return Caller(app)


def post(caller, path, body, **headers):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return caller.call("POST", path, raw, Content_Type="application/json", **headers)


def pay(caller, invoice, amount=121.0, date="2026-11-21", **more):
    headers = {name: more.pop(name) for name in ("Idempotency_Key",) if name in more}
    body = {"amount": amount, "date": date} | more
    return post(caller, f"/api/invoices/{invoice}/payments", body, **headers)


def shown(caller, invoice):
    found = caller.get(f"/api/invoices/{invoice}").json
    return found["amountPaid"], found["paid"]


def test_payments_add_up_to_the_amount_due(caller):
    """A correction is negative, and more than is due is paid too."""
    invoice = caller.sent()
    steps = [(100, 100, False), (21, 121, True), (-1, 120, False), (5.5, 125.5, True)]
    assert shown(caller, invoice) == (None, False)
    for amount, whole, paid in steps:
        answer = pay(caller, invoice, amount)
        assert answer.status_code == 200, answer.text
        assert (answer.json["amountPaid"], answer.json["paid"]) == (whole, paid)
        assert shown(caller, invoice) == (whole, paid)
    listed = caller.get(f"/api/invoices/{invoice}/payments").json["items"]
    assert [each["amount"] for each in listed] == [100, 21, -1, 5.5]


def test_each_payment_is_an_event(caller):
    invoice = caller.sent()
    payment = pay(caller, invoice, 121, reference="B-7").json["paymentId"]
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Event.payload).where(Event.type == "invoice.paid")
        (event,) = connection.execute(query.where(Event.tenant_id == caller.tenant)).scalars()

    named = ("invoiceId", "paymentId", "amount", "date", "reference", "amountPaid", "paid")
    assert [event[name] for name in named] == [
        invoice, payment, 121.0, "2026-11-21", "B-7", 121.0, True,
    ]  # fmt: skip


def test_a_repeated_request_pays_once(caller):
    """By its Idempotency-Key, as every POST."""
    invoice = caller.sent()
    first, again = (pay(caller, invoice, 50, Idempotency_Key="bank-7") for _ in range(2))

    assert first.json == again.json
    assert shown(caller, invoice) == (50.0, False)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"amount": 0, "date": "2026-11-21"}, "/amount"),
        ({"amount": -1, "date": "2026-11-21"}, "/amount"),
        ({"amount": 1.001, "date": "2026-11-21"}, "/amount"),
        ({"amount": "1", "date": "2026-11-21"}, "/amount"),
        ({"amount": 1, "date": "2999-01-01"}, "/date"),
        ({"amount": 1, "date": "yesterday"}, "/date"),
        ({"amount": 1}, "/date"),
        ({"amount": 1, "date": "2026-11-21", "reference": "x" * 100_000}, "/reference"),
        ({"amount": 1, "date": "2026-11-21", "currency": "EUR"}, "/currency"),
    ],
)
def test_what_is_wrong_with_a_payment_is_said_at_its_field(caller, body, pointer):
    invoice = caller.sent()
    refused = post(caller, f"/api/invoices/{invoice}/payments", body)

    assert (refused.status_code, slug(refused)) == (400, "invalid-field")
    assert pointer in [each["pointer"] for each in refused.json["errors"]]
    assert shown(caller, invoice) == (None, False)


def test_a_payment_is_of_tomorrow_at_the_latest(caller):
    """There is a place on earth where it is tomorrow."""
    days = [(clock.today() + timedelta(days=n)).isoformat() for n in (1, 2)]
    invoice = caller.sent()

    assert [pay(caller, invoice, date=day).status_code for day in days] == [200, 400]


def test_an_invoice_has_a_bounded_number_of_payments(caller, monkeypatch):
    """Of each invoice by itself."""
    monkeypatch.setattr(payments, "MAX_PAYMENTS", 2)
    first, second = caller.sent(), caller.sent()
    answers = [pay(caller, each, 1).status_code for each in (first, first, second, first)]

    assert answers == [200, 200, 200, 409]
    assert [shown(caller, each)[0] for each in (first, second)] == [2, 1]


@pytest.mark.parametrize(
    ("direction", "kind", "status"),
    [
        ("sent", "creditNote", 200),
        ("received", "invoice", 409),
        ("sent", "selfBilledInvoice", 409),
        ("received", "selfBilledInvoice", 200),
    ],
)
def test_only_what_the_tenant_has_sold_is_paid_to_it(caller, direction, kind, status):
    """Also what a buyer has billed in its name; not what it has billed for a supplier."""
    invoice = caller.sent()
    its = sa.update(Invoice).where(Invoice.id == invoice)
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(its.values(direction=direction, kind=kind))
    answer = pay(caller, invoice)

    assert answer.status_code == status
    assert shown(caller, invoice)[1] is (True if status == 200 else None)


def test_who_has_stated_a_payment_is_in_the_audit_log(caller):
    invoice = caller.sent()
    payment = pay(caller, invoice, 50).json["paymentId"]
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(AuditEntry.target, AuditEntry.detail)
        query = query.where(AuditEntry.action == "payment.recorded")
        (entry,) = connection.execute(query.where(AuditEntry.tenant_id == caller.tenant)).all()

    assert (entry.target, entry.detail) == (invoice, {"paymentId": payment, "amount": "50"})


def test_payments_without_a_message_are_found_by_their_invoices(caller):
    first, second = caller.sent(), caller.sent()
    one, told, _ = (pay(caller, each, 1).json["paymentId"] for each in (first, first, second))
    with caller.app.app_context(), db.writing() as connection:
        stored.set_message(connection, told, "msg_1")
        untold = stored.untold(connection, [first])

    assert [each.id for each in untold] == [one]


def test_another_tenants_invoice_is_not_found(caller, app):
    invoice = caller.sent()
    other = Caller(app)

    assert pay(other, invoice).status_code == 404
    assert other.get(f"/api/invoices/{invoice}/payments").status_code == 404
    assert shown(caller, invoice) == (None, False)


def test_a_key_without_the_scope_to_send_cannot_state_payments(caller, app):
    invoice = caller.sent()
    reader = Caller(app, tenant=caller.tenant, scopes=["invoices:read"])

    assert pay(reader, invoice).status_code == 403
    assert reader.get(f"/api/invoices/{invoice}/payments").status_code == 200


def several(caller, *payments):
    return post(caller, "/api/payments", {"payments": list(payments)})


def of(invoice, amount=121.0):
    return {"invoiceId": invoice, "amount": amount, "date": "2026-11-21"}


def test_payments_of_several_invoices_are_stored_in_one_request(caller):
    first, second = caller.sent(), caller.sent()
    answer = several(caller, of(second, 1), of(first), of(second, 120))

    assert answer.status_code == 200, answer.text
    assert [(e["invoiceId"], e["amountPaid"], e["paid"]) for e in answer.json["items"]] == [
        (second, 1.0, False), (first, 121.0, True), (second, 121.0, True),
    ]  # fmt: skip


def test_one_that_is_wrong_lets_none_be_stored(caller, app):
    """Each is named with its place: of another tenant, unknown, wrong, or taking back too much."""
    mine, theirs = caller.sent(), Caller(app).sent()
    refused = several(caller, of(mine), of(theirs), of("nothing"), of(mine, 0))
    late = several(caller, of(mine), of(mine, -200))

    assert [each["pointer"] for each in refused.json["errors"]] == [
        "/payments/1/invoiceId", "/payments/2/invoiceId", "/payments/3/amount",
    ]  # fmt: skip
    assert [each["pointer"] for each in late.json["errors"]] == ["/payments/1/amount"]
    assert shown(caller, mine) == (None, False)


@pytest.mark.parametrize("count", [0, 101])
def test_a_request_has_one_to_a_hundred_payments(caller, count):
    refused = several(caller, *[of("x")] * count)

    assert refused.status_code == 400
