"""Bad input is the normal case: a problem that points at what is wrong, quickly, nothing stored."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from tests import effort
from tests.web.caller import Caller, slug
from tests.web.changing import change

FILE = '[{"filename":"a.png","mimeType":"image/png","content":"YQ=="}]'
LIMIT = 0.1  # seconds of work, for bodies below 1 MiB (issue: "refusals within 100 ms")


def quickly(caller: Caller, body: bytes):
    """The answer, after checking that giving it costs no more than the limit."""
    answers = []
    assert effort.within(LIMIT, lambda: answers.append(caller.send(body)))
    return answers[-1]


def with_raw(caller: Caller, path: str, raw: str) -> bytes:
    """A valid body with one value replaced by raw JSON."""
    text = json.dumps(change(caller.body(), path, "@@@"))
    return text.replace('"@@@"', raw).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "body",
    [
        b"", b" \n", b"null", b"[]", b'"text"', b"1", b"{", b"{}x", b"{'a':1}", b'{"a":1,}',
        b'{"a":1,"a":2}', b'{"a":{"b":1,"b":1}}', b'{"a":NaN}', b'{"a":Infinity}',
        b'{"a":-Infinity}', b'{"a":01}', b'{"a":+1}', b'{"a":1.}', b'{"a":1_000}',
        b'{"a":0x10}', '{"a":１}'.encode(), b"\xff\xfe{}", b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}', '{"a":1}'.encode("utf-16"), b'{"a":"\x01"}',
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b"[" * 10_000,
        b'{"a":' + b"[" * 33 + b"]" * 33 + b"}",
        lambda: b'{"a":' + b"[{}," * 200_000 + b"1" + b"]" * 200_000 + b"}",
    ],
    ids=range(31),
)  # fmt: skip
def test_a_body_that_is_not_a_json_object_is_invalid(caller, body):
    answer = quickly(caller, body() if callable(body) else body)

    assert (answer.status_code, slug(answer)) == (400, "invalid-body")
    assert len(answer.json["detail"]) < 300
    assert caller.stored() == 0


@pytest.mark.parametrize(
    "path",
    ["/v1/invoices", "/v1/invoices/batch", "/v1/invoices/validate", "/api/invoices/send"],
)
@pytest.mark.parametrize(
    "made",
    [
        lambda: b"{" + b",".join(b'"n%d":1' % number for number in range(310_000)) + b"}",
        lambda: b'{"invoices":[' + b"1," * 3_000_000 + b"1]}",
        lambda: b'{"invoice":[' + b"[{}]," * 300_000 + b"1]}",
    ],
    ids=["names", "values", "lists"],
)
def test_a_body_of_very_many_values_is_refused_with_advice(caller, path, made):
    answer = caller.bearer("POST", path, made(), Content_Type="application/json")

    assert (answer.status_code, slug(answer)) == (400, "invalid-body")
    assert "send several smaller ones" in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "raw", "code"),
    [
        ("invoice.totals.grandTotal", "1e400", "out-of-range"),
        ("invoice.totals.grandTotal", "1e999999999", "out-of-range"),
        ("invoice.totals.grandTotal", "1e-400", "too-many-decimals"),
        ("invoice.totals.grandTotal", "1" * 30, "out-of-range"),
        ("invoice.totals.grandTotal", "1" * 100_000, "out-of-range"),
        ("invoice.totals.grandTotal", "9" * 15 + ".99", "declared-totals-mismatch"),
        ("invoice.totals.grandTotal", "1" + "0" * 15, "out-of-range"),
        ("invoice.totals.grandTotal", f"0.{'0' * 30}1", "too-many-decimals"),
        ("invoice.totals.grandTotal", '"1_000"', "wrong-type"),
        ("invoice.totals.grandTotal", '"121.00"', "wrong-type"),
        ("invoice.totals.grandTotal", '"１２１"', "wrong-type"),
        ("invoice.totals.grandTotal", "true", "wrong-type"),
        ("invoice.totals.grandTotal", "[121]", "wrong-type"),
        ("invoice.lineItems.0.taxRate", "100.01", "out-of-range"),
        ("invoice.lineItems.0.taxRate", "-1", "out-of-range"),
        ("invoice.issueDate", '"2026-02-30"', "not-a-date"),
        ("invoice.issueDate", '"2026-2-3"', "not-a-date"),
        ("invoice.issueDate", '"２０２６-11-21"', "not-a-date"),
        ("invoice.issueDate", '"2026-11-21T00:00:00Z"', "not-a-date"),
        ("invoice.issueDate", '"20261121"', "not-a-date"),
        ("invoice.issueDate", "20261121", "wrong-type"),
        ("invoice.currency", '"XXY"', "unknown-code"),
        ("invoice.currency", '"eur"', "unknown-code"),
        ("invoice.supplier.address.countryCode", '"ZZ"', "unknown-code"),
        ("invoice.supplier.name", '"a\\u0000b"', "invalid-character"),
        ("invoice.supplier.name", '"a\\u000bb"', "invalid-character"),
        ("invoice.supplier.name", '"\\uffff"', "invalid-character"),
        ("invoice.supplier.name", '"' + "n" * 513 + '"', "too-long"),
        ("invoice.supplier.name", '" "', "blank"),
        ("invoice.number", '"' + "n" * 101 + '"', "too-long"),
        ("invoice.lineItems.0.description", '"' + "d" * 4097 + '"', "too-long"),
        ("invoice.attachments", FILE.replace("a.png", "a/b.png"), "wrong-form"),
        ("invoice.attachments", FILE.replace("image/png", "text/html"), "unknown-code"),
        ("invoice.attachments", FILE.replace("YQ==", "YQ"), "not-base64"),
        ("invoice.metadata", '{"a":1}', "wrong-type"),
        ("invoice.dueDate", "{}", "wrong-type"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_reported_with_its_pointer(caller, path, raw, code):
    answer = quickly(caller, with_raw(caller, path, raw))

    assert answer.status_code == 400
    if code == "declared-totals-mismatch":
        assert slug(answer) == code
    else:
        assert slug(answer) == "invalid-field"
        [error] = answer.json["errors"]
        assert error["code"] == code
        assert error["pointer"].startswith("/" + path.replace(".", "/"))
    assert caller.stored() == 0


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("invoice.supplier.name", '"' + "n" * 512 + '"'),
        ("invoice.number", '"' + "n" * 100 + '"'),
        ("invoice.lineItems.0.description", '"' + "d" * 4096 + '"'),
        ("invoice.supplier.name", '"Ünï \\ud83d\\ude00 \\t<&>]]>"'),
        ("invoice.totals.grandTotal", "1.21e2"),
        ("invoice.totals.grandTotal", "121.00000000"),
        ("invoice.dueDate", "null"),
        ("invoice.issueDate", '"2028-02-29"'),
    ],
)
def test_values_just_inside_the_limits_are_accepted(caller, path, raw):
    answer = caller.send(with_raw(caller, path, raw))

    assert answer.status_code == 200, answer.text


def lines(count: int) -> dict[str, Any]:
    line = {"description": "d", "quantity": 1, "unitPrice": 1, "taxRate": 0}
    totals = {"subtotal": count, "taxAmount": 0, "grandTotal": count}
    return {"lineItems": [line] * count, "totals": totals}


def test_5001_lines_are_too_many(caller):
    """Refused as a whole, without an error for each."""
    body = json.dumps(caller.body(**lines(5001))).encode()
    answer = quickly(caller, body)

    assert slug(answer) == "invalid-field"
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [
        ("/invoice/lineItems", "too-many")
    ]


@pytest.mark.long
def test_5000_lines_are_sent(caller):
    assert caller.send(caller.body(**lines(5000))).status_code == 200


def test_the_first_hundred_of_many_errors_are_reported(caller):
    body = caller.body(lineItems=[{"x": 1}] * 5000)
    answer = quickly(caller, json.dumps(body).encode())

    assert len(answer.json["errors"]) == 100


def test_a_body_of_blanks_up_to_the_limit_is_refused(caller):
    answer = caller.send(b" " * 12 * 1024 * 1024)

    assert slug(answer) == "invalid-body"


def test_13_mebibytes_are_not_read(caller):
    answer = quickly(caller, b"{" + b" " * 13 * 1024 * 1024)

    assert (answer.status_code, slug(answer)) == (413, "payload-too-large")


MIB = 1 << 20


@pytest.mark.parametrize(
    "made",
    [
        lambda: b"[" * MIB,
        lambda: b'{"a":' * (MIB // 5),
        lambda: b'{"a":[' + b"{}," * (MIB // 3 - 10) + b"1]}",
        lambda: b'{"a":' + b"1" * (MIB - 10) + b"}",
        lambda: b'{"a":"' + b"\\u0041" * (MIB // 6 - 10) + b'"}',
        lambda: b"{" + b",".join(b'"%d":1' % n for n in range(90_000)) + b"}",
        lambda: b'{"invoice":{"lineItems":[' + b"0," * (MIB // 2 - 50) + b"0]}}",
        lambda: b"\xff" * MIB,
    ],
    ids=[
        "brackets", "braces", "empty objects", "digits", "escapes", "fields", "lines", "no text",
    ],
)  # fmt: skip
def test_a_refusal_takes_a_bounded_part_of_memory(caller, made):
    """The peak memory for a body of 1 MiB is a fixed multiple of it."""
    body = made()
    caller.send(body)
    tracemalloc.start()
    try:
        answer = caller.send(body)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert answer.status_code == 400
    assert len(answer.data) < 100_000
    assert most < 64 * MIB
