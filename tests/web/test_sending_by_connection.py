"""The connection of a send: which is chosen, what is refused, and what is shown while it waits."""

from __future__ import annotations

import json
import uuid

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.connections import accounts, checks
from einvoice.services.connections.accounts import NewConnection
from einvoice.store.core import db
from einvoice.store.tables import Connection
from einvoice.web.runtime import runtime_of
from tests.builders import SENDER, send_body
from tests.networks.toll.clearance import ClearancePlugin
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.submission.documents import request_of, ubl

BUYER = "0190:00000003123456780000"


@pytest.fixture
def toll():
    return ClearancePlugin()


@pytest.fixture
def app(make_app, toll):
    return make_app([toll, einvoice_loopback])


@pytest.fixture
def caller(app):
    return Caller(app)


@pytest.fixture
def connect(app, caller, toll):
    """Makes connections of the caller, or of another tenant."""

    def _connect(account, tenant=None, consent=True):
        new = NewConnection(Environment.TEST, "toll", account, credentials={"clientSecret": "s3"})
        with app.app_context():
            made = accounts.create(tenant or caller.tenant, new, runtime_of(app))
            if consent:
                code = toll.authority.consent(made.account)
                checks.run(
                    made, lambda c: toll.point.authorised(c, code, ""), runtime_of(app), "Ann"
                )
            return made.id

    return _connect


def a_send(connection=None, seller="BE0123456749", **options):
    buyer = {
        "name": "Buyer BV", "taxId": "NL123456789B12", "address": {"countryCode": "NL"},
    }  # fmt: skip
    body = send_body("", number=f"T-{uuid.uuid4().hex[:6]}", buyer=buyer)
    body["invoice"]["supplier"]["taxId"] = seller
    body["routing"] = {"senderParticipantId": SENDER, "receiverParticipantId": BUYER}
    if connection is not None:
        body["routing"]["connection"] = connection
    return body | {"options": options}


def account_of(app, caller, toll, answer):
    """The account by which the invoice was sent."""
    assert answer.status_code == 200, answer.text
    caller.work()
    [message] = [m for m in toll.authority.cleared if m.startswith(answer.json["transactionId"])]
    return toll.authority.cleared[message]


def test_the_connection_for_the_tax_number_of_the_seller_is_chosen(app, caller, toll, connect):
    """In any spelling of the number."""
    connect("BE 0123456749")
    connect("NL2")

    assert account_of(app, caller, toll, caller.send(a_send())) == "BE0123456749"
    spelt = caller.send(a_send(seller="be0123 456749"))
    assert account_of(app, caller, toll, spelt) == "BE0123456749"


def test_the_connection_that_the_request_names_is_chosen(app, caller, toll, connect):
    connect("BE0123456749")
    other = connect("NL2")

    assert account_of(app, caller, toll, caller.send(a_send(other))) == "NL2"
    assert account_of(app, caller, toll, caller.send(a_send(other.upper()))) == "NL2"


def test_the_only_usable_connection_is_chosen(app, caller, toll, connect):
    connect("NL2")
    connect("NL3", consent=False)

    assert account_of(app, caller, toll, caller.send(a_send())) == "NL2"


@pytest.mark.parametrize("dry_run", [True, False])
def test_of_several_connections_the_request_has_to_name_one(caller, connect, dry_run):
    first, second = connect("NL2"), connect("NL3")
    answer = caller.send(a_send(dryRun=dry_run))

    assert (answer.status_code, slug(answer)) == (400, "ambiguous-connection")
    assert "routing.connection" in answer.json["detail"]
    assert answer.json["connections"] == [
        {"connectionId": first, "account": "NL2", "name": "NL2"},
        {"connectionId": second, "account": "NL3", "name": "NL3"},
    ]
    assert caller.stored() == 0


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_send_without_any_connection_is_refused(caller, dry_run):
    answer = caller.send(a_send(dryRun=dry_run))

    assert (answer.status_code, slug(answer)) == (400, "no-connection")
    assert caller.stored() == 0


@pytest.mark.parametrize("kind", ["another tenant's", "revoked", "unknown", "other environment"])
def test_a_connection_that_is_not_there_is_refused(app, caller, connect, kind):
    """All alike, so that nobody learns of connections of others."""
    connect("BE0123456749")
    with app.app_context():
        stranger = tenants.create("Stranger")
    given = connect("NL5", stranger if kind == "another tenant's" else None)
    if kind == "revoked":
        with app.app_context():
            accounts.revoke(caller.tenant, given)
    elif kind == "unknown":
        given = str(uuid.uuid4())
    elif kind == "other environment":
        with app.app_context():
            _to_live(given)
    answer = caller.send(a_send(given))

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    [error] = answer.json["errors"]
    assert (error["pointer"], error["code"]) == ("/routing/connection", "unknown-connection")
    assert caller.stored() == 0


def _to_live(connection_id):
    with db.writing() as database:
        database.execute(
            sa.update(Connection).where(Connection.id == connection_id).values(environment="live")
        )


def test_a_connection_at_a_network_that_needs_none_is_refused(caller):
    body = caller.body()
    body["routing"]["connection"] = str(uuid.uuid4())
    answer = caller.send(body)

    assert slug(answer) == "invalid-field"
    assert answer.json["errors"][0]["code"] == "no-connection-needed"


def test_a_document_as_xml_is_sent_by_a_connection(app, caller, toll, connect):
    connect("NL2")
    other = connect("NL3")
    document = ubl(receiver=BUYER, number="T-9", buyer=a_send()["invoice"]["buyer"])
    body = request_of(document, to=BUYER, network="toll")

    refused = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert slug(refused) == "ambiguous-connection"
    answer = caller.bearer(
        "POST", "/v1/invoices", body | {"connection": other}, Prefer="respond-async"
    )
    assert answer.status_code == 202, answer.text
    caller.work()
    assert list(toll.authority.cleared.values()) == ["NL3"]


def test_a_waiting_document_says_why_and_the_connection_how_many_wait(app, caller, toll, connect):
    """In both families of routes, until it is sent."""
    connection = connect("BE0123456749")
    toll.authority.withdrawn.add("BE0123456749")
    answer = caller.send(a_send())
    caller.work()
    caller.work()
    path = f"/api/invoices/{answer.json['invoiceId']}"
    v1 = f"/v1/invoices/{answer.json['invoiceId']}"
    shown = [caller.get(path).json, caller.bearer("GET", v1).json]

    for each in shown:
        assert each["networkStatus"] == "Processing"
        assert "The connection BE0123456749 is needs-person." in each["waitingReason"]
        assert "Authorise the connection again" in each["waitingReason"]
    with app.app_context():
        record = accounts.get(caller.tenant, connection)
        assert accounts.waiting_documents([record]) == {connection: 1}
        listed = Dashboard(app, caller.tenant).get("/api/connections").json["items"]
        (shown,) = [each for each in listed if each["connectionId"] == connection]
        assert (shown["waitingDocuments"], shown["waitingSince"]) == (
            1, clock.timestamp(accounts.waiting_since([record])[connection])
        )  # fmt: skip
        assert abs(accounts.waiting_since([record])[connection] - clock.now()).seconds < 60
        code = toll.authority.consent("BE0123456749")
        checks.run(record, lambda c: toll.point.authorised(c, code, ""), runtime_of(app), "Ann")
    caller.work()
    assert caller.get(path).json["waitingReason"] is None
    assert caller.get(path).json["networkStatus"] == "Delivered"
    (shown,) = Dashboard(app, caller.tenant).get("/api/connections").json["items"]
    assert (shown["waitingDocuments"], shown["waitingSince"]) == (0, None)


def test_a_failed_document_is_sent_again_by_its_connection_or_another(app, caller, toll, connect):
    """The one of before; once that is revoked, the one for the tax number."""
    connect("NL7")
    revoked = connect("NL8")
    toll.authority.withdrawn.add("NL8")
    answer = caller.send(a_send(revoked))
    caller.work()
    with app.app_context():
        accounts.revoke(caller.tenant, revoked)
    caller.work()
    path = f"/api/invoices/{answer.json['invoiceId']}"
    assert caller.get(path).json["reasonCode"] == "connection-revoked"
    again = caller.call("POST", f"{path}/resend", json.dumps({}).encode(),
                        Content_Type="application/json", Prefer="respond-async")  # fmt: skip
    assert account_of(app, caller, toll, again) == "NL7"
