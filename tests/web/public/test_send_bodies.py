"""Decisions 19.1 to 19.3: what a send body may be, and which refusal comes first."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from einvoice.domain.errors import InvalidField, MissingRouting, RequestRefused
from einvoice.domain.identifiers import ParticipantId
from einvoice.web.shared.send_bodies import read_send
from einvoice.web.shared.send_schemas import MAX_LINES
from tests import effort

SENDS = Path(__file__).parents[2] / "samples" / "sends"
MINIMAL = json.loads((SENDS / "minimal.json").read_text())


def body(*changes: tuple[str, Any], drop: tuple[str, ...] = ()) -> bytes:
    """The minimal send with values put at dotted paths; numbers in a path are list positions."""
    value = copy.deepcopy(MINIMAL)
    for path, new in changes:
        _at(value, path)(new)
    for path in drop:
        *above, last = path.split(".")
        parent = value
        for key in above:
            parent = parent[int(key) if key.isdigit() else key]
        del parent[last]
    return json.dumps(value).encode()


def _at(value: Any, path: str) -> Callable[[Any], None]:
    *above, last = path.split(".")
    for key in above:
        value = value[int(key) if key.isdigit() else key]
    return lambda new: value.__setitem__(int(last) if last.isdigit() else last, new)


def refusal(sent: bytes) -> RequestRefused:
    with pytest.raises(RequestRefused) as refused:
        read_send(sent)
    return refused.value


def pointers(sent: bytes) -> list[tuple[str, str]]:
    refused = refusal(sent)
    assert isinstance(refused, InvalidField)
    return [(error.pointer, error.code) for error in refused.errors]


def test_a_good_body_is_read_into_values():
    send = read_send(body())

    assert send["routing"].sender == ParticipantId("0208", "0123456749")
    assert send["routing"].receiver == ParticipantId("0088", "9520000000004")
    assert send["routing"].access_point_ref == "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"
    assert send["options"] == {}
    assert send["invoice"]["issueDate"] == date(2026, 11, 21)
    assert send["invoice"]["totals"]["grandTotal"] == Decimal("151.86")
    assert send["invoice"]["lineItems"][0]["quantity"] == Decimal(2)


def test_every_optional_field_is_read():
    send = read_send((SENDS / "complete.json").read_bytes())

    assert send["options"] == {
        "dryRun": False, "includeDocument": False, "embedPdf": False, "totals": "exact",
    }  # fmt: skip
    assert send["invoice"]["attachments"][0]["content"] == b"1,2\n"
    assert send["invoice"]["metadata"] == {"erpId": "4711"}


def test_amounts_keep_every_digit():
    """0.10: a double would lose these."""
    sent = body().replace(b"125.5", b"123456789012345.12345678")

    assert str(read_send(sent)["invoice"]["totals"]["subtotal"]) == "123456789012345.12345678"


SENDER = "routing.senderParticipantId"
RECEIVER = "routing.receiverParticipantId"
REFERENCE = "routing.accessPointRef"
NOT_AN_ID = "208:0123456749"
SELF = [(RECEIVER, "0208:0123456749")]
WRONG = [("invoice.currency", "EUX"), ("unknown", 1)]


@pytest.mark.parametrize(
    ("sent", "slug"),
    [
        (b"", "invalid-body"),
        (b"[]", "invalid-body"),
        (b"{}", "missing-routing"),
        (body((REFERENCE, None), (SENDER, 5), *WRONG), "missing-routing"),
        (body((SENDER, 5), (RECEIVER, 5), *WRONG), "invalid-sender-id"),
        (body((RECEIVER, NOT_AN_ID), *WRONG), "invalid-receiver-id"),
        (body(*SELF, *WRONG), "self-invoicing"),
        (body(*WRONG), "invalid-field"),
        (body(("invoice.totals.subtotal", 1), *WRONG), "invalid-field"),
    ],
)  # fmt: skip
def test_the_first_refusal_in_order_is_given(sent, slug):
    """19.1: body, missing-routing, sender, receiver, self-invoicing, then fields; totals later."""
    assert refusal(sent).slug == slug


def test_bad_text_is_an_invalid_body_before_routing_is_looked_at():
    sent = b'{"a": "\\ud800"}'

    assert refusal(sent).slug == "invalid-body"
    assert refusal(b'{"a": ' + b"[" * 32 + b"]" * 32 + b"}").slug == "invalid-body"


@pytest.mark.parametrize("name", ["senderParticipantId", "receiverParticipantId", "accessPointRef"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_what_routing_lacks_is_missing_routing(name, value):
    """19.1: null or "" in routing is missing-routing."""
    refused = refusal(body((f"routing.{name}", value)))

    assert isinstance(refused, MissingRouting)
    assert f"routing.{name}" in str(refused)


@pytest.mark.parametrize("routing", [None, "", [], "x", 5, {}])
def test_routing_that_is_no_object_lacks_everything(routing):
    refused = refusal(body(("routing", routing)))

    assert refused.slug == "missing-routing"
    assert str(refused).count("routing.") == 3


@pytest.mark.parametrize(
    ("invoice", "slug"),
    [
        (None, "missing-routing"),
        ("", "missing-routing"),
        ({}, "invalid-field"),
        ([], "invalid-field"),
        (5, "invalid-field"),
    ],
)
def test_an_absent_invoice_is_missing_an_empty_one_is_incomplete(invoice, slug):
    """The contract counts the invoice data among the four; what it lacks inside is a field."""
    assert refusal(body(("invoice", invoice))).slug == slug


@pytest.mark.parametrize(
    "wrong",
    [
        5,
        True,
        [],
        {},
        0,
        "0208",
        "0208:",
        ":1",
        "02O8:1",
        "0208:a b",
        "0208:" + "1" * 131,
        "\uff10208:1",
    ],
)
@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("senderParticipantId", "invalid-sender-id"),
        ("receiverParticipantId", "invalid-receiver-id"),
    ],
)
def test_an_id_not_of_the_form_is_refused_by_its_own_slug(name, slug, wrong):
    assert refusal(body((f"routing.{name}", wrong))).slug == slug


@pytest.mark.parametrize(
    "right",
    [
        "0208:0123456748",
        "9999:x",
        "0231:300123456700003",
        "0208:" + "1" * 130,
        " 0106:12345678 ",
        "0230:a:b",
    ],
)
def test_form_is_all_that_is_asked_of_an_id(right):
    """19.1: a wrong check digit or an unknown scheme is for the rules to judge."""
    assert str(read_send(body((SENDER, right)))["routing"].sender) == right.strip()


def test_sender_and_receiver_are_compared_without_regard_to_case():
    changes = [
        (SENDER, "9930:DE1"),
        (RECEIVER, "9930:de1"),
    ]

    assert refusal(body(*changes)).slug == "self-invoicing"


REQUIRED = [
    "number", "issueDate", "currency", "supplier", "supplier.name", "buyer", "buyer.name",
    "lineItems", "lineItems.0.description", "lineItems.0.quantity", "lineItems.0.unitPrice",
    "lineItems.1.taxRate",
    "totals", "totals.subtotal", "totals.taxAmount", "totals.grandTotal",
]  # fmt: skip


@pytest.mark.parametrize("path", REQUIRED)
@pytest.mark.parametrize("how", ["absent", "null"])
def test_what_is_required_is_named(path, how):
    """19.3"""
    full = f"invoice.{path}"
    sent = body(drop=(full,)) if how == "absent" else body((full, None))

    assert pointers(sent) == [("/" + full.replace(".", "/"), "required")]


OPTIONAL = ["dueDate", "supplier.taxId", "supplier.address", "buyer.address", "buyer.taxId"]


@pytest.mark.parametrize("path", OPTIONAL)
def test_all_else_is_optional(path):
    """19.3"""
    assert read_send(body(drop=(f"invoice.{path}",)))


@pytest.mark.parametrize(
    ("path", "longest"),
    [
        ("number", 100),
        ("supplier.name", 512),
        ("buyer.name", 512),
        ("lineItems.0.description", 4096),
        ("note", 4096),
        ("buyerReference", 200),
    ],
)
def test_texts_have_limits(path, longest):
    """19.3: just inside and just outside."""
    full = f"invoice.{path}"

    assert read_send(body((full, "x" * longest)))
    assert pointers(body((full, "x" * (longest + 1)))) == [
        ("/" + full.replace(".", "/"), "too-long")
    ]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("invoice.issueDate", "2026-02-30", "not-a-date"),
        ("invoice.currency", "EUX", "unknown-code"),
        ("invoice.currency", "eur", "unknown-code"),
        ("invoice.supplier.address.countryCode", "EL", "unknown-code"),
        ("invoice.supplier.endpointId", "9520000000004", "wrong-form"),
        ("invoice.lineItems.0.quantity", "2", "wrong-type"),
        ("invoice.lineItems.0.quantity", True, "wrong-type"),
        ("invoice.lineItems.0.taxRate", -1, "out-of-range"),
        ("invoice.lineItems.0.taxRate", 100.5, "out-of-range"),
        ("invoice.lineItems.0.taxCategory", "X", "unknown-code"),
        ("invoice.lineItems.0.unitCode", "hour", "too-long"),
        ("invoice.lineItems.0.unitCode", "hr", "wrong-form"),
        ("invoice.lineItems.0.priceBaseQuantity", 0, "out-of-range"),
        ("invoice.type", "receipt", "unknown-code"),
        ("invoice.supplier.name", "a\x01b", "invalid-character"),
        ("invoice.supplier.name", "\t", "blank"),
        ("invoice.lineItems", [], "too-few"),
        ("invoice.embedPdf", "yes", "wrong-type"),
        ("invoice.colour", "red", "unknown-field"),
        (REFERENCE, 5, "wrong-type"),
        ("routing.via", "x", "unknown-field"),
        ("options", [], "wrong-type"),
        ("comment", None, "unknown-field"),
    ],
)
def test_a_wrong_field_is_named_by_pointer_and_code(path, value, code):
    assert pointers(body((path, value))) == [("/" + path.replace(".", "/"), code)]


@pytest.mark.parametrize(
    "number", [b"1e400", b"1e99999999999999999999", b"1" * 30, b"1" * 1_000_000, b"1." + b"1" * 31]
)
def test_numbers_beyond_the_bounds_are_the_fields_fault(number):
    """0.10 and 19.2, before any arithmetic."""
    sent = body().replace(b"125.5", number)

    [(pointer, _)] = pointers(sent)

    assert pointer == "/invoice/totals/subtotal"
    assert effort.within(0.1, lambda: refusal(sent))


def test_negative_quantities_are_legal():
    """19.1"""
    assert read_send(body(("invoice.lineItems.0.quantity", -2)))


LINE = MINIMAL["invoice"]["lineItems"][0]


def test_five_thousand_lines_and_no_more():
    """19.3"""
    assert read_send(body(("invoice.lineItems", [LINE] * MAX_LINES)))
    assert pointers(body(("invoice.lineItems", [LINE] * (MAX_LINES + 1)))) == [
        ("/invoice/lineItems", "too-many")
    ]


def test_all_offending_fields_come_at_once():
    changes = [("invoice.lineItems.1.quantity", "1"), ("invoice.currency", "EUX"), ("extra", 1)]

    assert pointers(body(*changes, drop=("invoice.number",))) == [
        ("/invoice/number", "required"),
        ("/invoice/currency", "unknown-code"),
        ("/invoice/lineItems/1/quantity", "wrong-type"),
        ("/extra", "unknown-field"),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        (
            "invoice.lineItems",
            [{"description": "", "quantity": "2", "unitPrice": None, "x": 1}] * 5000,
        ),
        ("invoice.lineItems", [*[LINE] * 4999, {}]),
        ("invoice", {f"k{i}": 1 for i in range(1_000)}),
        ("invoice.note", "\x00" * 150_000),
        ("invoice.attachments", [{"content": "!" * 900_000}]),
    ],
    ids=["bad lines", "one bad line", "unknown names", "control characters", "not base64"],
)
def test_a_body_below_one_mebibyte_is_refused_within_100_ms(changes):
    """The list of errors stays short enough to read: at most a hundred."""
    sent = body(changes)
    assert len(sent) < 1024 * 1024

    assert 1 <= len(pointers(sent)) <= 100
    assert effort.within(0.1, lambda: refusal(sent))
