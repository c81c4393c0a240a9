"""POST /v1/invoices/send, deprecated: flat body, tolerant totals, else a send (decisions 16)."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import pytest

from einvoice.web.public.legacy import NAMES
from tests.builders import RECEIVER, SENDER
from tests.web.caller import ASYNC, slug
from tests.web.legacy_sends import BODY, PATHS, send


def lines(*figures: tuple[float, float, float]) -> dict[str, Any]:
    return {
        "lineItems": [
            {"description": f"Item {n}", "quantity": quantity, "unitPrice": price, "vatRate": rate}
            for n, (quantity, price, rate) in enumerate(figures)
        ]
    }


@pytest.mark.parametrize("path", PATHS)
def test_a_response_is_that_of_a_send_marked_as_deprecated(caller, path):
    answer = send(caller, BODY, path, Idempotency_Key="l1")

    assert answer.status_code == 200, answer.text
    assert answer.json.keys() - {"warnings"} == {
        "invoiceId", "transactionId", "status", "networkStatus", "idempotencyKeyEcho", "provider"
    }  # fmt: skip
    assert (answer.json["status"], answer.json["networkStatus"]) == ("success", "Processing")
    assert answer.headers["Idempotency-Replay"] == "false"
    assert answer.headers["Preference-Applied"] == ASYNC
    assert answer.headers["Deprecation"].startswith("@")
    assert answer.headers["Link"] == '</api/invoices/send>; rel="successor-version"'
    assert "Sunset" not in answer.headers


def test_refusals_are_marked_as_deprecated(caller):
    for answer, status in ((send(caller, b"{"), 400), (send(caller, BODY, x_api_key=""), 401)):
        assert answer.status_code == status
        assert {"Deprecation", "Link"} <= set(answer.headers.keys())


def test_the_credential_is_that_of_the_public_api(caller):
    """Decisions 19.10 and 20.4: a missing credential is a missing x-api-key."""
    sent = caller.bearer("POST", PATHS[0], BODY, Prefer=ASYNC)
    refused = caller.client.post(PATHS[0], json={})

    assert sent.status_code == 200
    assert (refused.status_code, slug(refused)) == (401, "api-key-required")


def test_the_invoice_is_one_of_the_public_api(caller):
    """It is read with the totals of the lines and the given amount due."""
    invoice = caller.get(f"/api/invoices/{send(caller, BODY).json['invoiceId']}").json

    assert (invoice["number"], invoice["supplierName"], invoice["buyerName"]) == (
        "L-1", "Acme NV", "Buyer BV"
    )  # fmt: skip
    assert invoice["totals"] == {
        "subtotal": 100.0, "taxAmount": 21.0, "grandTotal": 121.0, "amountDue": 121.0,
        "taxAmountInTaxCurrency": None,
    }  # fmt: skip
    assert (invoice["issueDate"], invoice["dueDate"]) == ("2026-11-21", "2026-12-21")


def test_idempotency_keys_are_shared_by_all_send_routes(caller):
    """One space of keys (decisions 19.4)."""
    first = send(caller, BODY, Idempotency_Key="shared")
    again = send(caller, BODY, PATHS[1], Idempotency_Key="shared")
    newer = caller.send(Idempotency_Key="shared")

    assert again.json == first.json
    assert again.headers["Idempotency-Replay"] == "true"
    assert newer.json["invoiceId"] == first.json["invoiceId"]
    assert newer.headers["Idempotency-Payload-Mismatch"] == "true"


@pytest.mark.parametrize(
    ("figures", "total", "accepted"),
    [
        (((2, 50, 21),), 121.02, True),
        (((2, 50, 21),), 120.98, True),
        (((2, 50, 21),), 121.03, False),
        (((2, 50, 21),), 120.97, False),
        (((2, 50, 0.21),), 121, True),  # a fraction is the same rate
        (((2, 50, 0),), 100, True),
        (((1, 0.335, 21),) * 3, 1.23, True),  # each line rounds: 3 x (0.34 + 0.07)
        (((1, 0.335, 21),) * 3, 1.20, False),  # what the exact sum would be
        (((1, 10.005, 21),) * 100, 1211.00, True),  # cents of a hundred lines: 10.01 + 2.10
    ],
)
def test_lines_are_rounded_and_compared_once_with_two_cents_of_tolerance(
    caller, figures, total, accepted
):
    """|computed - totalAmount| <= 0.02 over the whole invoice (decisions 19.10)."""
    answer = send(caller, BODY | lines(*figures) | {"totalAmount": total})

    if accepted:
        assert answer.status_code == 200, answer.text
        invoice = caller.get(f"/api/invoices/{answer.json['invoiceId']}").json
        assert invoice["totals"]["amountDue"] == Decimal(str(total))
    else:
        assert (answer.status_code, slug(answer)) == (400, "totals-mismatch")
        assert answer.json["computedTotalAmount"] > 1
        assert caller.stored() == 0


def test_a_mismatch_has_the_computed_total(caller):
    answer = send(caller, BODY | {"totalAmount": 120})

    assert answer.json["computedTotalAmount"] == 121
    assert "120" in answer.json["detail"]
    assert "121" in answer.json["detail"]


def test_the_difference_is_the_rounding_amount_of_the_document(caller):
    """BT-114, so that the amount due is the given one and every rule is satisfied."""
    invoice_id = send(caller, BODY | {"totalAmount": 121.02}).json["invoiceId"]
    (ubl,) = caller.get(f"/api/invoices/{invoice_id}/artefacts?type=UBL").json["items"]
    document = caller.get(f"/api/invoices/{invoice_id}/artefacts/{ubl['artefactId']}").data

    assert b'<cbc:PayableRoundingAmount currencyID="EUR">0.02<' in document
    assert b'<cbc:PayableAmount currencyID="EUR">121.02<' in document


def test_participants_may_be_objects(caller):
    body = copy.deepcopy(BODY)
    del body["senderParticipantId"], body["receiverParticipantId"]
    body |= {"sender": {"participantId": SENDER}, "receiver": {"participantId": RECEIVER}}

    assert send(caller, body).status_code == 200


@pytest.mark.parametrize(
    ("fields", "pointers"),
    [
        ({"sender": {"participantId": SENDER}}, []),
        ({"sender": {"participantId": f" {SENDER} "}, "receiver": None}, []),
        ({"sender": {"participantId": "0208:0403019261"}}, ["/sender/participantId"]),
        (
            {"sender": {"participantId": RECEIVER}, "receiver": {"participantId": SENDER}},
            ["/sender/participantId", "/receiver/participantId"],
        ),
    ],
)
def test_an_id_given_twice_is_given_the_same(caller, fields, pointers):
    """Nothing is sent in another name than one of the two."""
    answer = send(caller, BODY | fields)

    assert [error["pointer"] for error in answer.json.get("errors", [])] == pointers
    assert answer.status_code == (400 if pointers else 200), answer.text


def test_a_given_reference_is_used(caller):
    good = send(caller, BODY | {"accessPointRef": caller.reference()})
    capitals = send(caller, BODY | {"accessPointRef": caller.reference().upper()})
    bad = send(caller, BODY | {"accessPointRef": "24e07bed-d077-469b-8d35-ba2042f58716"})

    assert good.status_code == 200, good.text
    assert capitals.status_code == 200, capitals.text
    assert slug(bad) == "unknown-access-point-ref"


@pytest.mark.parametrize(
    ("fields", "expected", "pointer"),
    [
        ({"senderParticipantId": None}, "missing-routing", None),
        ({"receiverParticipantId": ""}, "missing-routing", None),
        ({"senderParticipantId": "0208"}, "invalid-sender-id", None),
        ({"receiverParticipantId": 5}, "invalid-receiver-id", None),
        ({"receiverParticipantId": SENDER}, "self-invoicing", None),
        ({"receiverParticipantId": "0088:9520000000080"}, "receiver-not-registered", None),
        ({"receiverParticipantId": "0088:9520000000097"}, "document-type-not-supported", None),
        ({"invoiceNumber": None}, "invalid-field", "/invoiceNumber"),
        ({"lineItems": []}, "invalid-field", "/lineItems"),
        ({"totalAmount": "121"}, "invalid-field", "/totalAmount"),
        ({"vatRate": 21}, "invalid-field", "/vatRate"),
        (lines((1, 100, 101)), "invalid-field", "/lineItems/0/vatRate"),
        (lines((1, 100, -1)), "invalid-field", "/lineItems/0/vatRate"),
    ],
)
def test_each_error_has_slug_and_pointer(caller, fields, expected, pointer):
    answer = send(caller, BODY | fields)

    assert (answer.status_code, slug(answer)) == (400, expected)
    if pointer:
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
    assert caller.stored() == 0


def test_refusals_and_warnings_use_the_names_of_the_body(caller):
    """Warnings name vendorTaxId, not invoice.supplier.taxId."""
    poor = {name: value for name, value in BODY.items() if name not in ("vendorTaxId", "dueDate")}
    refused = send(caller, poor)
    warned = send(caller, BODY | {"vendorAddress": {"city": "Gent"}})
    unknown = send(caller, BODY | {"accessPointRef": "no such"})

    assert slug(refused) == "validation-failed"
    assert {finding["field"] for finding in refused.json["findings"]} == {"vendorTaxId"}
    assert all("(vendorTaxId)" in words for words in refused.json["validationErrors"])
    fields = {w["code"]: w["field"] for w in warned.json["warnings"]}
    assert fields["country-derived"] == "vendorAddress.countryCode"
    assert unknown.json["detail"].startswith("accessPointRef is not the reference")
    for answer in (refused, unknown):
        assert "invoice.supplier" not in answer.text


@pytest.mark.parametrize(
    ("shared", "own"),
    [
        ("invoice.lineItems[12].taxRate", "lineItems[12].vatRate"),
        ("(invoice.totals.grandTotal)", "(totalAmount)"),
        ("invoice.buyer.address.countryCode", "customerAddress.countryCode"),
        ("invoice.buyerReference", "invoice.buyerReference"),
        ("my.invoice.number", "my.invoice.number"),
    ],
)
def test_a_name_is_translated_whole_or_not_at_all(shared, own):
    assert NAMES.in_template(shared) == own


def test_an_idempotency_key_is_echoed_unchanged(caller):
    """Even one that looks like the name of a field."""
    answer = send(caller, BODY, idempotency_key="invoice.number")

    assert answer.json["idempotencyKeyEcho"] == "invoice.number"
    assert answer.headers["Idempotency-Key"] == "invoice.number"


# A value of the caller's that reads like the name of a field in the body of a send.
VALUE = "invoice.currency"
QUOTING = {
    "detail of an id": ({"receiverParticipantId": VALUE}, "{detail}"),
    "detail of a field": ({"currency": VALUE}, "{detail}"),
    "detail of a duplicate": ({"invoiceNumber": VALUE}, "{detail}"),
    "message of an error": ({"vendorAddress": {"countryCode": VALUE}}, "{errors[0][message]}"),
    "pointer of an unknown field": ({VALUE: 1}, "{errors[0][pointer]}"),
    "detail of an unknown field": ({VALUE: 1}, "{detail}"),
    "explanation": ({"receiverParticipantId": f"0088:{VALUE}"}, "{findings[0][explanation]}"),
}


@pytest.mark.parametrize(("fields", "member"), QUOTING.values(), ids=QUOTING)
def test_a_refusal_quotes_a_value_unchanged(caller, fields, member):
    """Names are translated when a text is built, not searched for in texts with values."""
    caller.switch(reject_duplicate_numbers=True)
    send(caller, BODY | {"invoiceNumber": VALUE})
    answer = send(caller, BODY | fields)

    assert answer.status_code in (400, 409), answer.text
    assert VALUE in member.format_map(answer.json)


def test_a_warning_quotes_a_value_unchanged(caller):
    """Also on a replay, whose warnings are stored."""
    send(caller, BODY | {"invoiceNumber": VALUE})
    for _ in range(2):
        answer = send(caller, BODY | {"invoiceNumber": VALUE}, Idempotency_Key="again")

        warning = next(w for w in answer.json["warnings"] if w["code"] == "possible-duplicate")
        assert warning["field"] == "invoiceNumber"
        assert warning["message"] == f"An invoice {VALUE} was sent before."
    assert answer.headers["Idempotency-Replay"] == "true"


def test_suggestions_use_the_names_of_the_body(caller):
    """In texts of rules that name a field, and in those with the field of the finding."""
    unnamed = send(caller, BODY | {"vendorTaxId": None})
    gln = send(caller, BODY | {"receiverParticipantId": "0088:1234567890123"})

    assert unnamed.json["findings"][0]["suggestion"].count("vendorTaxId") == 1
    assert "(receiverParticipantId)" in gln.json["validationErrors"][0]
    assert gln.json["detail"].endswith(gln.json["validationErrors"][0])
    for answer in (unnamed, gln):
        assert "invoice.s" not in answer.text
        assert "routing." not in answer.text


def test_the_invoice_itself_keeps_the_names_of_a_send(caller):
    """GET /api/invoices/{invoiceId} is the same for invoices of all routes."""
    poor = BODY | {"vendorAddress": {"city": "Gent"}}
    warned = send(caller, poor)
    found = caller.get(f"/api/invoices/{warned.json['invoiceId']}")

    fields = {w["code"]: w["field"] for w in found.json["warnings"]}
    assert fields["country-derived"] == "invoice.supplier.address.countryCode"
