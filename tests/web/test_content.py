"""The content of a sent or received invoice is data: the JSON of a send."""

from __future__ import annotations

import base64
import hashlib
import uuid

import pytest

from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.services.inbound.reception import Reception
from einvoice.web import json
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER
from tests.web.caller import Caller

PDF = b"%PDF-1.7 a time sheet"
FILE = (
    b"<cac:AdditionalDocumentReference><cbc:ID>ts-1</cbc:ID><cac:Attachment>"
    b'<cbc:EmbeddedDocumentBinaryObject mimeCode="%s" filename="%s">%s'
    b"</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>"
    b"<cac:AccountingSupplierParty>"
)


@pytest.fixture
def caller(make_app):
    made = Caller(make_app())
    made.own(str(samples.RECEIVER))
    return made


def receive(caller, **changes):
    """Let a network hand over a document; its id."""
    parts = runtime_of(caller.app)
    inbox = Reception(caller.app.app_context, parts.caches, parts.computing, parts.forms)
    with caller.app.app_context():
        return inbox.deliver_inbound(samples.inbound(**changes)).document_id


def with_file(name=b"sheet.pdf", kind=b"application/pdf"):
    content = FILE % (kind, name, base64.b64encode(PDF))
    return samples.inbound().document.replace(b"<cac:AccountingSupplierParty>", content, 1)


def content(caller, invoice):
    answer = caller.get(f"/api/invoices/{invoice}/content")
    assert answer.status_code == 200, answer.text
    return answer.json


def test_a_bill_is_the_json_of_a_send(caller):
    """Sent again as it is, it is accepted."""
    found = content(caller, receive(caller, number="B-7"))

    assert (found["direction"], found["syntax"]) == ("received", "ubl")
    assert found["invoice"]["number"] == "B-7"
    assert found["invoice"]["lineItems"]
    assert found["routing"]["receiverParticipantId"] == str(samples.RECEIVER)
    assert [row["category"] for row in found["vatBreakdown"]] == ["S"]
    assert (found["notCarriedOver"], found["attachments"]) == ([], [])

    sent = {name: found[name] for name in ("invoice", "routing", "options") if found[name]}
    sent["options"] = sent.get("options", {}) | {"dryRun": True}
    sent["routing"] |= {"accessPointRef": caller.reference(), "receiverParticipantId": RECEIVER}
    caller.own(sent["routing"]["senderParticipantId"])
    answer = caller.send(json.write(sent))
    assert (answer.status_code, answer.json.get("errors")) == (200, None)


def test_a_sent_invoice_says_what_was_sent(caller):
    body = caller.body(number="S-1")
    answer = caller.send(body)
    found = content(caller, answer.json["invoiceId"])

    assert (found["direction"], found["invoice"]["number"]) == ("sent", "S-1")
    lines = (found["invoice"]["lineItems"], body["invoice"]["lineItems"])
    shown, given = ([(one["description"], one["quantity"]) for one in each] for each in lines)
    assert shown == given


def test_what_no_member_says_is_listed_with_its_place_and_value(caller):
    document = samples.inbound().document
    foreign = document.replace(b"<cbc:ID>", b"<cbc:UBLVersionID>2.1</cbc:UBLVersionID><cbc:ID>", 1)
    if b"CustomizationID" in document:
        foreign = document.replace(
            b"<cbc:CustomizationID",
            b"<cbc:UBLVersionID>2.1</cbc:UBLVersionID><cbc:CustomizationID",
            1,
        )
    found = content(caller, receive(caller, document=foreign))

    (left,) = found["notCarriedOver"]
    assert (left["location"], left["value"]) == ("/Invoice[1]/UBLVersionID[1]", "2.1")


NAMES = {  # as the document has it → name and content type of the artefact
    (b"sheet.pdf", b"application/pdf"): ("sheet.pdf", "application/pdf"),
    (b"a/../b c.pdf", b"application/pdf"): ("a-..-b-c.pdf", "application/pdf"),
    (b"page.html", b"text/html"): ("page.html", "application/octet-stream"),
    ("/…".encode(), b"image/png"): ("attachment-F-1-1", "image/png"),
}


def test_attached_files_are_artefacts_with_their_digest(caller):
    for (name, kind), (shown, content_type) in NAMES.items():
        document = with_file(name, kind)
        invoice = receive(caller, document=document, instance_id=uuid.uuid4().hex)
        found = content(caller, invoice)
        (file,) = found["attachments"]
        number = found["invoice"]["number"]
        assert file["name"] == shown.replace("F-1", number), name
        assert (file["contentType"], file["sizeBytes"]) == (content_type, len(PDF)), name
        assert file["sha256"] == hashlib.sha256(PDF).hexdigest()
        listed = caller.get(f"/api/invoices/{invoice}/artefacts?type=ATTACHMENT").json["items"]
        assert listed == found["attachments"]
        answer = caller.get(f"/api/invoices/{invoice}/artefacts/{file['artefactId']}")
        assert (answer.data, answer.content_type) == (PDF, content_type)
        assert "ATTACHMENT" not in caller.artefacts(invoice)
        assert all("content" not in each for each in found["invoice"].get("attachments", ()))


UNREADABLE = {  # document → what the refusal says
    b"<Note/>": "Note is neither UBL nor CII (line 1, /Note[1])",
    b"no XML": "it is neither UBL nor CII",
    b"%PDF-1.7 broken": "it is neither UBL nor CII",
    with_file(b""): "the attribute filename is missing or empty (line ",
}


def test_a_document_without_a_readable_invoice_is_refused_with_the_reason(caller):
    for document, reason in UNREADABLE.items():
        invoice = receive(caller, document=document, instance_id=uuid.uuid4().hex)
        answer = caller.get(f"/api/invoices/{invoice}/content")
        assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (409, "conflict")
        assert reason in answer.json["detail"]


def test_the_content_is_its_tenants_and_needs_the_scope(caller, make_app):
    invoice = receive(caller, document=with_file())
    (file,) = content(caller, invoice)["attachments"]
    other = Caller(caller.app)
    without = Caller(caller.app, Environment.TEST, caller.tenant, scopes=["invoices:read"])
    path = f"/api/invoices/{invoice}"

    assert other.get(f"{path}/content").status_code == 404
    assert other.get(f"{path}/artefacts/{file['artefactId']}").status_code == 404
    assert other.get(f"{path}/artefacts?type=ATTACHMENT").status_code == 404
    assert without.get(f"{path}/content").status_code == 403
