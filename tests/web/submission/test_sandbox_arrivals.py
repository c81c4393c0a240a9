"""POST /api/sandbox/inbound: my document arrives as a bill, by the path of a received one."""

from __future__ import annotations

import base64
import json
import re

import pytest
import sqlalchemy as sa

from einvoice.documents import pdf
from einvoice.domain.environments import Environment
from einvoice.domain.events import TRANSACTION_RECEIVED
from einvoice.network import samples
from einvoice.store.core import db
from einvoice.store.tables import Event, Invoice
from tests.builders import send_body
from tests.documents.pdf.samples import ACME, an_invoice
from tests.web.caller import Caller, slug
from tests.web.submission.documents import cii

PATH = "/api/sandbox/inbound"
OWN = str(samples.RECEIVER)  # of the documents: nobody claims it here
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


def arrive(caller, document, query="", media="application/xml", **headers):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    media = media if isinstance(document, bytes) else "application/json"
    return caller.call("POST", f"{PATH}{query}", body, Content_Type=media, **headers)


def bill(caller, answer):
    assert answer.status_code == 201, answer.text
    found = caller.get(answer.headers["Location"])
    assert found.json["invoiceId"] == answer.json["invoiceId"]
    return found.json


def events_of(caller):
    query = sa.select(Event.type, Event.invoice_id)
    mine = query.where(Event.tenant_id == caller.tenant)
    with caller.app.app_context(), db.reading() as connection:
        return [tuple(row) for row in connection.execute(mine)]


def document(**changes) -> bytes:
    return samples.inbound(**changes).document


def test_ubl_arrives_as_a_bill_from_the_ends_that_it_names(caller):
    answer = arrive(caller, document(number="B-1"))
    found = bill(caller, answer)

    assert (found["number"], found["direction"], found["networkStatus"]) == (
        "B-1", "received", "Received",
    )  # fmt: skip
    assert found["receiverParticipantId"] == OWN
    assert found["senderParticipantId"] == str(samples.SENDER)
    assert answer.json["duplicate"] is False
    assert {"ORIGINAL", "RECEIPT", "UBL"} <= caller.artefacts(found["invoiceId"]).keys()
    assert events_of(caller) == [(TRANSACTION_RECEIVED, found["invoiceId"])]


def test_the_body_of_a_send_arrives_from_its_sender(caller):
    """With its files, and as the kind that it says."""
    file = {"filename": "sheet.pdf", "mimeType": "application/pdf", "content": "JVBERi0xLjc="}
    for kind in ("invoice", "creditNote", "selfBilledInvoice"):
        body = send_body("", type=kind, number=f"J-{kind}", attachments=[file])
        body["routing"] = {"senderParticipantId": "9915:supplier", "receiverParticipantId": OWN}
        found = bill(caller, arrive(caller, body))
        assert (found["type"], found["number"]) == (kind, f"J-{kind}")
        assert found["senderParticipantId"] == "9915:supplier"
        content = caller.get(f"/api/invoices/{found['invoiceId']}/content").json
        assert [each["name"] for each in content["attachments"]] == ["sheet.pdf"], kind


def test_cii_arrives_with_the_ubl_that_is_made_of_it(caller):
    original = cii(receiver=OWN, number="C-1")
    found = bill(caller, arrive(caller, original))

    assert (found["number"], found["receiverParticipantId"]) == ("C-1", OWN)
    assert {"ORIGINAL", "UBL"} <= caller.artefacts(found["invoiceId"]).keys()
    content = caller.get(f"/api/invoices/{found['invoiceId']}/content").json
    assert (content["syntax"], content["invoice"]["number"]) == ("cii", "C-1")


def test_a_pdf_arrives_as_the_invoice_that_is_attached_to_it(caller):
    """It is kept as it came; beside it stands the UBL of its CII."""
    file = pdf.render_factur_x(an_invoice(), ACME, cii(receiver=OWN, number="P-1"))
    found = bill(caller, arrive(caller, file, media="application/pdf"))
    original = caller.artefacts(found["invoiceId"])["ORIGINAL"]

    assert (found["number"], found["receiverParticipantId"]) == ("P-1", OWN)
    assert original["contentType"] == "application/pdf"
    content = caller.get(f"/api/invoices/{found['invoiceId']}/content").json
    assert content["invoice"]["number"] == "P-1"

    empty, to = b"%PDF-1.7 nothing attached", f"?receiverParticipantId={OWN}"
    found = bill(caller, arrive(caller, empty, to, media="application/pdf"))
    assert [each["code"] for each in found["warnings"]] == ["unreadable-document"]


def test_a_document_in_base64_has_the_ends_that_are_said_beside_it(caller):
    body = {
        "invoice": base64.b64encode(document()).decode(),
        "sender": {"peppolId": "9915:somebody"},
        "receiver": {"peppolId": "9915:someone"},
    }
    found = bill(caller, arrive(caller, body))

    assert (found["senderParticipantId"], found["receiverParticipantId"]) == (
        "9915:somebody", "9915:someone",
    )  # fmt: skip


AS_WRONG = {  # what arrives → traffic light, code of a warning
    document().replace(b"<cbc:IssueDate>", b"<cbc:IssueDate>x"): ("red", None),
    document()[:-20]: ("red", "unreadable-document"),
    b"\x00 no XML": ("red", "unreadable-document"),
}


def test_a_document_is_stored_whatever_is_wrong_with_it(caller):
    caller.own("9915:of-what-is-wrong")
    for wrong, (light, code) in AS_WRONG.items():
        found = bill(caller, arrive(caller, wrong))
        codes = [each["code"] for each in found["warnings"]]
        assert found["trafficLight"] == light, wrong
        assert code is None or code in codes


def test_an_unnamed_end_is_the_simulated_sender_or_the_first_own_id(caller):
    nobody = re.sub(rb"<cbc:EndpointID.*?</cbc:EndpointID>", b"", document())
    caller.own("9915:first-own-id")
    found = bill(caller, arrive(caller, nobody))

    assert found["senderParticipantId"] == "0088:9520000000004"
    assert found["receiverParticipantId"] == "9915:first-own-id"

    without = Caller(caller.app)
    answer = arrive(without, nobody)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (
        400, "/receiverParticipantId",
    )  # fmt: skip
    assert arrive(without, nobody, "?receiverParticipantId=9915:mine").status_code == 201


def test_a_message_of_one_id_arrives_once_and_another_document_under_it_is_a_bill(caller):
    first = arrive(caller, document(number="D-1"), "?messageId=m-1")
    again = arrive(caller, document(number="D-2"), "?messageId=m-1")
    assert (first.status_code, again.status_code) == (201, 201)
    codes = [each["code"] for each in bill(caller, again)["warnings"]]
    assert "message-id-reused" in codes

    same = document(number="D-3")
    first = arrive(caller, same, "?messageId=m-3")
    second = arrive(caller, same, "?messageId=m-3")
    assert (second.status_code, second.json["duplicate"]) == (200, True)
    assert second.json["invoiceId"] == first.json["invoiceId"]

    third = arrive(caller, same)  # the supplier sends it once more
    codes = [each["code"] for each in bill(caller, third)["warnings"]]
    assert "possible-duplicate" in codes


def test_a_key_repeats_the_first_answer(caller):
    same = document()
    first = arrive(caller, same, Idempotency_Key="k-1")
    second = arrive(caller, same, Idempotency_Key="k-1")

    assert second.headers["Idempotency-Replay"] == "true"
    assert second.json == first.json
    assert caller.count(Invoice) == 1


def test_message_ids_count_within_the_tenant(caller):
    """Another one's message of the same id, ends and bytes is no duplicate, and stays there."""
    other, same = Caller(caller.app), document()
    first = arrive(caller, same, "?messageId=m-9")
    second = arrive(other, same, "?messageId=m-9")

    assert second.status_code == 201
    assert second.json["invoiceId"] != first.json["invoiceId"]
    assert other.get(first.headers["Location"]).status_code == 404


def test_live_keys_and_keys_without_the_scope_let_nothing_arrive(caller):
    live = Caller(caller.app, Environment.LIVE, caller.tenant)
    reader = Caller(caller.app, Environment.TEST, caller.tenant, scopes=["invoices:read"])

    assert slug(arrive(live, document())) == "not-found"
    assert slug(arrive(reader, document())) == "insufficient-scope"
    assert caller.count(Invoice) == 0


def test_an_end_in_the_query_that_is_no_participant_id_is_refused_by_its_name(caller):
    """In its form, with nothing but separators behind the scheme, too."""
    for name in ("senderParticipantId", "receiverParticipantId"):
        for wrong in ("acme", "0208:%20/"):
            answer = arrive(caller, document(), f"?{name}={wrong}")
            assert slug(answer) == "invalid-field", (name, wrong)
            assert [each["pointer"] for each in answer.json["errors"]] == [f"/{name}"]


def test_a_type_that_no_network_is_answered_as_accepted_is_a_conflict(caller):
    order = b'<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>'
    answer = arrive(caller, order, f"?receiverParticipantId={OWN}")

    assert slug(answer) == "conflict"
    assert "Order" in answer.json["detail"]
