"""GET /v1/invoices: the list of GET /api/invoices in the form of /v1."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE_CII
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from tests.builders import CII, RECEIVER, SENDER
from tests.web.caller import Caller, slug
from tests.web.inbox import Inbox
from tests.web.submission.documents import CII_SENDER, cii, request_of, two_lines

RENAMED = {"invoiceId", "type", "senderParticipantId", "receiverParticipantId"}
MEMBERS = {"id", "status", "format", "network", "documentType", "sender", "receiver"}
UNREACHABLE = "0088:9520000000035"


def listed(caller, **query):
    answer = caller.bearer("GET", f"/v1/invoices?{urlencode(query)}")
    assert answer.status_code == 200, answer.text
    return answer.json


def submitted(caller, body) -> str:
    answer = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    assert answer.status_code == 202, answer.text
    return str(answer.json["id"])


def test_members_are_those_of_the_other_list_in_the_form_of_v1(caller):
    """The two lists differ by the names of four members and by what only /v1 has."""
    caller.sent()
    item = listed(caller)["items"][0]
    other = caller.get("/api/invoices").json["items"][0]
    tracked = caller.bearer("GET", f"/v1/invoices/{item['id']}").json

    assert item.keys() == (other.keys() - RENAMED) | MEMBERS
    assert {n: v for n, v in item.items() if n in other} == {
        n: v for n, v in other.items() if n in item
    }
    assert {n: item[n] for n in MEMBERS} == {n: tracked[n] for n in MEMBERS}
    assert item["sender"] == {"peppolId": SENDER, "country": "BE"}
    assert item["receiver"] == {"peppolId": RECEIVER, "country": "BE"}


def test_every_listed_invoice_is_read_under_its_id_received_ones_too(caller):
    """A client that follows the list meets no 404; a bill's PDF is the one of /api."""
    bill = Inbox(caller).arrives()
    caller.sent()
    for item in listed(caller)["items"]:
        answer = caller.bearer("GET", f"/v1/invoices/{item['id']}")
        assert answer.status_code == 200, answer.text
        assert {n: item[n] for n in MEMBERS} == {n: answer.json[n] for n in MEMBERS}
        assert answer.json["response"] == item["response"]
    tracked = caller.bearer("GET", f"/v1/invoices/{bill}").json
    pdf = caller.bearer("GET", f"/v1/invoices/{bill}/pdf")

    assert (tracked["status"], tracked["networkStatus"]) == ("received", "Received")
    assert (pdf.status_code, pdf.content_type) == (200, "application/pdf")
    assert pdf.data == caller.get(f"/api/invoices/{bill}/pdf").data
    other = Caller(caller.app).bearer("GET", f"/v1/invoices/{bill}")
    assert (other.status_code, slug(other)) == (404, "not-found")


@pytest.mark.parametrize(
    ("document", "sender", "form"), [(two_lines("L-1"), SENDER, "ubl"), (cii(), CII_SENDER, "cii")]
)
def test_format_is_that_of_the_submitted_document(caller, document, sender, form):
    body = request_of(document, format=form, sender={"peppolId": sender})
    invoice_id = submitted(caller, body)

    assert [(i["id"], i["format"]) for i in listed(caller)["items"]] == [(invoice_id, form)]


def test_status_is_that_of_the_invoice_itself(caller):
    """Of a sent one, the status of GET /v1/invoices/{invoiceId}."""
    refused, queued = caller.sent(UNREACHABLE), caller.sent()
    with caller.app.app_context(), db.writing() as connection:
        of_refused = Transmission.invoice_id == refused
        settled = {"status": "Failed", "phase": "done", "settled_at": clock.now()}
        connection.execute(sa.update(Transmission).where(of_refused).values(settled))
    found = {item["id"]: item["status"] for item in listed(caller)["items"]}

    assert found == {refused: "failed", queued: "queued"}
    for invoice_id, status in found.items():
        assert caller.bearer("GET", f"/v1/invoices/{invoice_id}").json["status"] == status


@pytest.mark.parametrize(
    ("fields", "form"), [({}, "ubl"), ({"document": CII, "document_type": BIS_INVOICE_CII}, "cii"),
                         ({"document": b"<Order/>"}, None)],
)  # fmt: skip
def test_received_ones_are_listed_with_the_format_of_the_document(caller, fields, form):
    inbox = Inbox(caller)
    bill = inbox.arrives(**fields)
    (item,) = listed(caller, direction="received")["items"]

    assert (item["id"], item["status"], item["format"]) == (bill, "received", form)
    assert item["receiver"]["peppolId"] == str(inbox.receiver)
    assert item["direction"] == "received"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"number": "F-1"}, 1),
        ({"number": "F-3"}, 0),
        ({"direction": "received"}, 0),
        ({"networkStatus": "Processing"}, 2),
        ({"currency": "EUR", "limit": 1}, 1),
    ],
)
def test_filters_are_those_of_the_other_list(caller, query, count):
    for number in ("F-1", "F-2"):
        caller.sent(number=number)

    assert len(listed(caller, **query)["items"]) == count


def test_pages_hold_everything_once(caller):
    made = [caller.sent(number=f"P-{n}") for n in range(3)]
    first = listed(caller, limit=2, include="total")
    second = listed(caller, limit=2, include="total", cursor=first["nextCursor"])

    assert (first["total"], first["hasMore"], second["hasMore"]) == (3, True, False)
    assert [i["id"] for page in (first, second) for i in page["items"]] == made[::-1]


def test_a_cursor_of_the_other_list_is_refused(caller):
    """A cursor is sealed for its address."""
    for _ in range(2):
        caller.sent()
    cursor = caller.get("/api/invoices?limit=1").json["nextCursor"]

    assert slug(caller.bearer("GET", f"/v1/invoices?cursor={cursor}")) == "invalid-field"


@pytest.mark.parametrize("environment", list(Environment))
def test_another_tenant_and_environment_is_not_listed(caller, service, environment):
    caller.sent()
    others = [Caller(service, environment), Caller(service, Environment.LIVE, caller.tenant)]

    assert [listed(other)["items"] for other in others] == [[], []]


def test_the_scope_invoices_read_is_needed(service):
    caller = Caller(service, scopes=["invoices:send"])

    assert slug(caller.bearer("GET", "/v1/invoices")) == "insufficient-scope"
