"""POST /v1/invoices and GET /v1/invoices/{id}: ready documents on the way of a send."""

from __future__ import annotations

import base64
import itertools
import json
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

import einvoice_loopback
from einvoice.documents.tax_data import TaxDataReport, write_tax_data
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, BIS_INVOICE_CII
from einvoice.domain.tax_data import ReporterRole, ReportType, Scope
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Transmission
from tests.builders import RECEIVER, SENDER
from tests.rules.pint_samples import PINT_AE
from tests.web.caller import Caller, slug
from tests.web.submission.documents import CII_SENDER, cii, encoded, request_of, two_lines, ubl

PATH = "/v1/invoices"
ASYNC = {"Prefer": "respond-async"}
FROM_CII = {"format": "cii", "sender": {"peppolId": CII_SENDER}}


def submit(caller: Caller, body, **headers: str):
    return caller.bearer("POST", PATH, body, **(ASYNC | headers))


def answered(caller: Caller, body, **headers: str):
    """Submit and wait, with workers running meanwhile."""
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(submit, caller, body, **({"Prefer": "wait=25"} | headers))
        for seconds in itertools.count():
            caller.work(seconds)
            if asked in wait([asked], timeout=0.01).done:
                break
        return asked.result()


def test_a_document_is_accepted_with_202_and_location(caller):
    answer = submit(caller, request_of(two_lines("S-1")), Idempotency_Key="k1")

    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/v1/invoices/{answer.json['id']}"
    assert answer.headers["Idempotency-Replay"] == "false"
    assert answer.headers["Idempotency-Key"] == "k1"
    assert answer.headers["Preference-Applied"] == "respond-async"
    assert (answer.json["status"], answer.json["networkStatus"]) == ("processing", "Processing")
    assert answer.json["transactionId"].startswith("txn_")
    assert answer.json["sender"] == {"peppolId": SENDER, "country": "BE"}
    assert answer.json["receiver"] == {"peppolId": RECEIVER, "country": "BE"}
    assert (answer.json["format"], answer.json["network"]) == ("ubl", "peppol")
    assert (answer.json["number"], answer.json["documentType"]) == ("S-1", "invoice")
    assert answer.json["warnings"] == []
    assert answer.json["validation"]["trafficLight"] == "green"
    assert answer.json["validation"]["processingTimeMs"] > 0
    assert (answer.json["idempotencyKeyEcho"], answer.json["provider"]) == ("k1", "eInvoice")


def test_a_document_in_another_encoding_is_sent_in_utf_8(caller):
    """The bytes that were submitted stay the ORIGINAL."""
    text = two_lines("S-Zoë").decode()
    text = text[text.index("?>") + 2 :] if text.startswith("<?xml") else text
    document = f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode("iso-8859-1")
    answer = submit(caller, request_of(document))

    assert answer.status_code == 202, answer.text
    assert answer.json["validation"]["trafficLight"] == "amber"
    with caller.app.app_context(), db.reading() as connection:
        found = sa.select(Invoice.document, Invoice.original, Invoice.number)
        sent = connection.execute(found.where(Invoice.id == answer.json["id"])).one()
    assert sent.document.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert ("S-Zoë" in sent.document.decode(), sent.number) == (True, "S-Zoë")
    assert sent.original == document


def test_a_document_of_a_specification_known_by_name_becomes_no_other(caller):
    """Its identifier would be replaced by that of BIS Billing."""
    bis = b"urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
    document = two_lines("S-pint").replace(bis, b"urn:peppol:pint:billing-1@zz-1")
    answer = submit(caller, request_of(document))

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert "follows Peppol PINT (ZZ), which peppol does not carry here" in answer.json["detail"]


def test_a_tax_data_document_is_no_invoice_to_send(caller):
    """It is valid, and nothing that a receiver could take."""
    report = TaxDataReport(
        "AE", ReportType.SUBMIT, ReporterRole.SENDER, Scope.DOMESTIC, ("0235", "1987654321"),
        "000773", "000001", datetime(2026, 11, 20, tzinfo=UTC),
    )  # fmt: skip
    answer = submit(caller, request_of(write_tax_data(report, PINT_AE.encode())))

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_a_receiver_that_answers_late_is_waited_for(caller):
    """After a second the document is delivered, and the answer says so."""
    late = "0088:9520000000165"
    answer = answered(caller, request_of(two_lines("S-late", receiver=late), to=late))

    assert (answer.status_code, answer.json["status"]) == (200, "delivered")


def test_delivered_within_the_wait_is_200(caller):
    """The wait ends with the final status, two seconds after the first outcome."""
    answer = answered(caller, request_of(two_lines("S-2")), Idempotency_Key="k2")
    again = submit(caller, request_of(two_lines("S-2")), Idempotency_Key="k2")

    assert answer.status_code == 200, answer.text
    assert (answer.json["status"], answer.json["networkStatus"]) == ("delivered", "Delivered")
    assert "Location" not in answer.headers
    assert (again.status_code, again.json) == (200, answer.json)
    assert again.headers["Idempotency-Replay"] == "true"


def test_a_replay_has_the_first_status_and_get_the_current_one(caller):
    """A replay is 202 processing; the current status is at Location."""
    body = request_of(two_lines("S-3"))
    first = submit(caller, body, Idempotency_Key="k3")
    place = first.headers["Location"]
    caller.work_until(lambda: caller.bearer("GET", place).json["status"] == "delivered")
    again = submit(caller, body, Idempotency_Key="k3")

    assert (again.status_code, again.json) == (202, first.json)


@pytest.mark.parametrize(
    ("receiver", "retryable"), [("0088:9520000000059", False), ("0088:9520000000066", True)]
)
def test_a_rejection_within_the_wait_is_network_failed(caller, receiver, retryable):
    """With the id of the stored invoice; the key is released."""
    body = request_of(two_lines("S-4", receiver=receiver), receiver)
    answer = answered(caller, body, Idempotency_Key="k4")

    assert (answer.status_code, slug(answer)) == (400, "network-failed")
    assert answer.json["retryable"] is retryable
    kept = caller.bearer("GET", f"{PATH}/{answer.json['id']}").json
    assert (kept["status"], kept["networkStatus"]) == ("failed", "Failed")
    assert kept["retryable"] is retryable
    assert kept["failureReason"]
    assert caller.count(IdempotencyKey) == 0


def test_the_submitted_bytes_are_stored_and_sent(caller):
    """ORIGINAL has the submitted bytes, with comments and line breaks."""
    document = two_lines("S-5").replace(b"?>\n", b"?>\n<!-- ours -->\r\n\n")
    invoice_id = submit(caller, request_of(document)).json["id"]
    items = caller.get(f"/api/invoices/{invoice_id}/artefacts").json["items"]
    content = {
        item["type"]: caller.get(f"/api/invoices/{invoice_id}/artefacts/{item['artefactId']}")
        for item in items
    }

    assert content["ORIGINAL"].data == document
    assert content["UBL"].data == document
    assert content["ORIGINAL"].content_type == "application/xml"
    report = json.loads(content["VALIDATION_REPORT"].data)
    assert (report["trafficLight"], report["format"]) == ("green", "ubl")


def test_the_public_api_knows_the_invoice_too(caller):
    """Ids are shared (decisions 19.11); the amounts are those of the document."""
    answer = submit(caller, request_of(two_lines("S-6")))
    invoice = caller.get(f"/api/invoices/{answer.json['id']}").json

    assert (invoice["number"], invoice["networkStatus"]) == ("S-6", "Processing")
    assert invoice["totals"] == {
        "subtotal": 150.0, "taxAmount": 31.5, "grandTotal": 181.5, "amountDue": 181.5,
        "taxAmountInTaxCurrency": None,
    }  # fmt: skip
    assert (invoice["supplierName"], invoice["buyerName"]) == ("Acme NV", "Buyer BV")


def test_an_invoice_of_the_public_api_can_be_tracked_here(caller):
    tracked = caller.bearer("GET", f"{PATH}/{caller.sent(number='P-1')}").json

    assert (tracked["number"], tracked["status"]) == ("P-1", "queued")
    assert (tracked["format"], tracked["network"]) == ("ubl", "peppol")
    assert tracked["validation"]["processingTimeMs"] is None


def test_tracking_returns_all_members(caller):
    answer = answered(caller, request_of(two_lines("S-7")))
    tracked = caller.bearer("GET", f"{PATH}/{answer.json['id']}").json

    assert (tracked["status"], tracked["networkStatus"]) == ("delivered", "Delivered")
    assert tracked["deliveredAt"].endswith("Z")
    assert tracked["validation"] == answer.json["validation"]
    assert [h["event"] for h in tracked["history"]][:2] == ["received", "validated"]
    assert tracked["history"][-1]["event"] == "delivered"
    assert {"UBL", "ORIGINAL", "RECEIPT"} <= {item["type"] for item in tracked["artefacts"]}
    assert tracked["responses"] == []
    assert tracked["grandTotal"] == 181.5


def test_the_response_of_the_buyer_is_reported(caller):
    """The code and reasons of an Invoice Response."""
    receiver = "0088:9520000000103"
    invoice_id = answered(caller, request_of(two_lines("S-8", receiver=receiver), receiver)).json[
        "id"
    ]

    def responses() -> list:
        return caller.bearer("GET", f"{PATH}/{invoice_id}").json["responses"]

    caller.work_until(responses)
    found = responses()

    assert (found[0]["type"], found[0]["responseCode"]) == ("INVOICE_RESPONSE", "RE")
    assert found[0]["reasons"]


# -- CII -------------------------------------------------------------------------------------------


def transmitted(caller: Caller, invoice_id: str) -> tuple[str, bytes]:
    """Document type and document as sent to the network."""
    query = (
        sa.select(Transmission.document_type, Invoice.document)
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .where(Invoice.id == invoice_id)
    )
    with caller.app.app_context(), db.reading() as connection:
        kind, document = connection.execute(query).one()
    return kind, document


def test_cii_goes_as_cii_to_a_receiver_who_takes_it(caller):
    document = cii()
    answer = submit(caller, request_of(document, **FROM_CII))

    assert answer.status_code == 202, answer.text
    assert answer.json["format"] == "cii"
    assert [w["code"] for w in answer.json["warnings"]] == ["gtin-check-digit-wrong"]
    assert answer.json["validation"]["format"] == "cii"
    assert transmitted(caller, answer.json["id"]) == (str(BIS_INVOICE_CII), document)


class UblOnly:
    """The simulator without support for CII."""

    EINVOICE_INTERFACE = einvoice_loopback.EINVOICE_INTERFACE

    @staticmethod
    @einvoice_loopback.hookimpl
    def einvoice_access_points(settings, inbox):
        (point,) = einvoice_loopback.einvoice_access_points(settings, inbox)
        point.capabilities = replace(point.capabilities, formats=("ubl",))
        return [point]


def test_cii_is_converted_to_ubl_with_a_warning(build):
    """The same content, validated again; the original stays unchanged."""
    caller = Caller(build([UblOnly]))
    document = cii(number="C-1")
    answer = submit(caller, request_of(document, **FROM_CII))

    assert answer.status_code == 202, answer.text
    codes = [w["code"] for w in answer.json["warnings"]]
    assert codes == ["converted-to-ubl", "gtin-check-digit-wrong"]
    kind, sent = transmitted(caller, answer.json["id"])
    assert kind == str(BIS_INVOICE)
    assert b"<cbc:ID>C-1</cbc:ID>" in sent
    checked = caller.bearer("POST", f"{PATH}/validate", sent, Content_Type="application/xml")
    assert (checked.json["trafficLight"], checked.json["format"]) == ("green", "ubl")
    artefacts = caller.bearer("GET", f"{PATH}/{answer.json['id']}").json["artefacts"]
    assert {"UBL", "ORIGINAL"} <= {item["type"] for item in artefacts}


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected", "pointer"),
    [
        ({"sender": {}}, "missing-routing", None),
        ({"receiver": None}, "missing-routing", None),
        ({"sender": {"peppolId": " "}}, "missing-routing", None),
        ({"invoice": ""}, "missing-routing", None),
        ({"sender": {"peppolId": "0208"}}, "invalid-sender-id", None),
        ({"sender": {"peppolId": 7}}, "invalid-sender-id", None),
        ({"receiver": {"peppolId": "0088:"}}, "invalid-receiver-id", None),
        ({"receiver": {"peppolId": SENDER}}, "self-invoicing", None),
        ({"format": "pdf"}, "invalid-field", "/format"),
        ({"network": "Peppol!"}, "invalid-field", "/network"),
        ({"invoice": "abc"}, "invalid-field", "/invoice"),
        ({"extra": 1}, "invalid-field", "/extra"),
        ({"network": "ksef"}, "network-not-supported", None),
        ({"format": "cii"}, "invalid-field", "/format"),
        ({"sender": {"peppolId": "0208:0403019261"}}, "invalid-field", "/sender/peppolId"),
        ({"receiver": {"peppolId": "0088:9520000000011"}}, "invalid-field", "/receiver/peppolId"),
        ({"sender": {"peppolId": SENDER, "country": "NL"}}, "invalid-field", "/sender/country"),
        ({"invoice": encoded(b"%PDF-1.7")}, "validation-failed", None),
        ({"invoice": encoded("<a/>".encode("utf-16"))}, "validation-failed", None),
        ({"invoice": encoded(b"<!DOCTYPE a><a/>")}, "validation-failed", None),
        ({"invoice": encoded(b"<Order/>")}, "validation-failed", None),
    ],
)
def test_a_submission_that_cannot_be_sent_is_refused_with_its_slug(
    caller, fields, expected, pointer
):
    """Nothing is stored, the key neither."""
    answer = submit(caller, request_of(two_lines("R-1")) | fields, Idempotency_Key="k")

    assert (answer.status_code, slug(answer)) == (400, expected)
    if pointer:
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert answer.headers["Idempotency-Key"] == "k"
    assert caller.stored() == 0


def test_all_contradictions_are_reported_at_once(caller):
    body = request_of(two_lines("R-2"), format="cii", sender={"peppolId": "0208:0403019261"})
    answer = submit(caller, body)

    assert {e["pointer"] for e in answer.json["errors"]} == {"/format", "/sender/peppolId"}
    assert {e["code"] for e in answer.json["errors"]} == {"contradicts-document"}


def test_a_red_document_is_blocked_with_its_traffic_light(caller):
    wrong = two_lines("R-3").replace(b">181.50<", b">181.51<")
    answer = submit(caller, request_of(wrong))

    assert (answer.status_code, slug(answer)) == (400, "validation-failed")
    assert answer.json["validationErrors"][0].startswith("BR-CO-15: ")
    assert answer.json["validation"]["trafficLight"] == "red"
    assert answer.json["validation"]["findings"][0]["ruleId"] == "BR-CO-15"
    assert caller.stored() == 0


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("0088:9520000000080", "receiver-not-registered"),
        ("0088:9520000000097", "document-type-not-supported"),
    ],
)
def test_a_receiver_who_cannot_take_it_is_named(caller, receiver, expected):
    answer = submit(caller, request_of(two_lines("R-4", receiver=receiver), receiver))

    assert (answer.status_code, slug(answer)) == (400, expected)
    assert answer.json["receiverParticipantId"] == receiver


def test_an_unknown_network_is_refused_with_the_known_ones(caller):
    answer = submit(caller, request_of(two_lines("R-5"), network="zatca"))

    assert answer.json["supportedNetworks"] == ["peppol", "simulator"]


def test_live_submissions_need_an_owned_sender_and_an_access_point(service):
    caller = Caller(service, Environment.LIVE)
    receiver = "0088:9520000000998"
    body = request_of(two_lines("R-6", receiver=receiver), receiver)
    before = submit(caller, body)
    caller.own(SENDER)
    after = submit(caller, body)

    assert (before.status_code, slug(before)) == (403, "sender-not-owned")
    assert (after.status_code, slug(after)) == (503, "access-point-unavailable")


def test_a_key_for_certain_receivers_reaches_no_others(service):
    caller = Caller(service, allowed_receivers=["0088:9520000000011"])
    answer = submit(caller, request_of(two_lines("R-7")))

    assert (answer.status_code, slug(answer)) == (403, "receiver-not-allowed")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_each_route_requires_its_scope(service, method):
    caller = Caller(service, scopes=["participants:read"])
    path = PATH if method == "POST" else f"{PATH}/24e07bed-d077-469b-8d35-ba2042f58716"
    answer = caller.bearer(method, path, request_of(two_lines("R-8")) if method == "POST" else None)

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


# -- idempotency -----------------------------------------------------------------------------------


def test_idempotency_keys_are_separate_from_the_public_api(caller):
    """/v1/invoices has its own space (decisions 19.4)."""
    sent = caller.send(Idempotency_Key="same")
    submitted = submit(caller, request_of(two_lines("I-1")), Idempotency_Key="same")

    assert submitted.status_code == 202
    assert submitted.json["id"] != sent.json["invoiceId"]


def test_the_same_document_in_another_form_is_a_replay(caller):
    """With line breaks in base64, or a given format: the key identifies document and parties."""
    document = two_lines("I-2")
    submit(caller, request_of(document), Idempotency_Key="k")
    wrapped = request_of(document, format="auto", invoice=base64.encodebytes(document).decode())
    again = submit(caller, wrapped, Idempotency_Key="k")

    assert again.headers["Idempotency-Replay"] == "true"
    assert "Idempotency-Payload-Mismatch" not in again.headers


@pytest.mark.parametrize("body", [request_of(two_lines("I-4")), b"{", request_of(b"no XML")])
def test_another_document_with_a_known_key_gets_the_first_result(caller, body):
    """Also one that could not be sent."""
    first = submit(caller, request_of(two_lines("I-3")), Idempotency_Key="k")
    again = submit(caller, body, Idempotency_Key="k")

    assert (again.status_code, again.json["id"]) == (202, first.json["id"])
    assert again.headers["Idempotency-Payload-Mismatch"] == "true"
    assert again.json["warnings"][-1]["code"] == "idempotency-payload-mismatch"
    assert caller.count(Invoice) == 1


def test_a_number_sent_before_is_a_warning_or_refused(caller):
    first = submit(caller, request_of(ubl(number="D-1")))
    second = submit(caller, request_of(ubl(number="D-1")))
    caller.switch(reject_duplicate_numbers=True)
    third = submit(caller, request_of(ubl(number="D-1")))

    assert [w["code"] for w in second.json["warnings"]] == ["possible-duplicate"]
    assert (third.status_code, slug(third)) == (409, "duplicate-invoice")
    assert third.json["existingId"] == first.json["id"]


def test_only_sent_invoices_of_the_tenant_are_found(service, caller):
    invoice_id = submit(caller, request_of(two_lines("N-1"))).json["id"]
    for other in (Caller(service), Caller(service, Environment.LIVE, caller.tenant)):
        answer = other.bearer("GET", f"{PATH}/{invoice_id}")
        assert (answer.status_code, slug(answer)) == (404, "not-found")
    for text in ("x", "%00", "a" * 3000, "é"):
        assert slug(caller.bearer("GET", f"{PATH}/{text}")) == "not-found"
