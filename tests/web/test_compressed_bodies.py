"""Bodies sent with Content-Encoding: inflated within their limits, or refused."""

from __future__ import annotations

import gzip
import io
import json
import random
import zlib
from functools import cache

import pytest
from flask import request

from einvoice.domain.errors import InvalidBody, PayloadTooLarge, UnsupportedEncoding
from einvoice.web.admission import compressed_bodies, request_bodies
from einvoice.web.admission.environ import GROWN
from tests.builders import send_body
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.web.submission.documents import encoded, request_of, two_lines

GZIP = {"Content_Encoding": "gzip"}
JSON = {"Content_Type": "application/json"}
XML = {"Content_Type": "application/xml"}
VALIDATE = "/v1/invoices/validate"
MIB = 1024**2
ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
# More than gzip looks back, so that it is compressed no further where it is repeated.
_NOISE = bytes(random.Random(7).choices(b"abcdefghijklmnopqrstuvwxyz0123456789<>/ ", k=100_000))


@cache
def bomb() -> bytes:
    """100 MiB of one character, made without holding them."""
    packing, part = zlib.compressobj(wbits=31), b" " * MIB
    return b"".join([*(packing.compress(part) for _ in range(100)), packing.flush()])


def inflated(body: bytes, most: int = 12 * MIB) -> bytes:
    return compressed_bodies.inflated(body, most, lambda length: None)


def noise(length: int) -> bytes:
    """Text that compresses to about three quarters of its size."""
    return (_NOISE * (length // len(_NOISE) + 1))[:length]


# -- the bytes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 1000, MIB - 1, MIB, MIB + 1, 3 * MIB])
def test_a_body_is_inflated_whole(length):
    body = noise(length)

    assert inflated(gzip.compress(body)) == body


@pytest.mark.parametrize(("most", "fits"), [(5000, True), (4999, False)])
def test_the_limit_is_that_of_the_inflated_body(most, fits):
    body = gzip.compress(noise(5000))
    if fits:
        assert len(inflated(body, most)) == 5000
    else:
        with pytest.raises(PayloadTooLarge, match="4,999 bytes"):
            inflated(body, most)


def test_a_bomb_is_refused_after_two_mebibytes():
    """A text of one character has a ratio of 1:1000, 100 MiB of it in 100 KiB."""
    counted = []
    assert len(bomb()) < 110_000

    with pytest.raises(PayloadTooLarge):
        compressed_bodies.inflated(bomb(), 12 * MIB, counted.append)
    assert sum(counted) <= 12 * MIB
    with pytest.raises(PayloadTooLarge, match="200 times"):
        compressed_bodies.inflated(gzip.compress(b" " * (11 * MIB)), 12 * MIB, counted.append)


@pytest.mark.parametrize(("length", "fits"), [(2 * MIB, True), (2 * MIB + 1, False)])
def test_the_ratio_counts_above_two_mebibytes(length, fits):
    body = gzip.compress(b" " * length)
    if fits:
        assert len(inflated(body)) == length
    else:
        with pytest.raises(PayloadTooLarge):
            inflated(body)


def test_each_part_is_counted_before_the_next_one():
    """So that a process that holds too much stops."""
    counted: list[int] = []

    def grown(length: int) -> None:
        counted.append(length)
        if len(counted) == 2:
            raise MemoryError

    with pytest.raises(MemoryError):
        compressed_bodies.inflated(gzip.compress(noise(5 * MIB)), 12 * MIB, grown)
    assert counted == [MIB, MIB]


DOCUMENT = gzip.compress(b"a document " * 20)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (DOCUMENT[:-1], "ends too early"),
        (DOCUMENT[:12], "ends too early"),
        (DOCUMENT[:3], "ends too early"),
        (DOCUMENT + b"x", "something after"),
        (DOCUMENT + DOCUMENT, "something after"),
        (DOCUMENT[:-8] + bytes(8), "is not gzip"),
        (DOCUMENT[:10] + b"\xff" + DOCUMENT[11:], "is not gzip"),
        (b'{"a": 1}', "is not gzip"),
        (zlib.compress(b"a"), "is not gzip"),
    ],
    ids=[
        "cut by a byte", "only its head", "a part of its head", "garbage behind", "two members",
        "wrong checksum", "damaged", "not compressed", "zlib",
    ],
)  # fmt: skip
def test_what_is_not_one_complete_gzip_member_is_refused(body, words):
    with pytest.raises(InvalidBody, match=words):
        inflated(body)


@pytest.mark.parametrize(
    ("said", "compressed"),
    [
        ("", False), ("identity", False), ("gzip", True), ("GZIP", True), ("x-gzip", True),
        ("identity, gzip", True), (" gzip ,", True),
    ],
)  # fmt: skip
def test_gzip_is_recognised_by_content_encoding(said, compressed):
    assert compressed_bodies.is_compressed(said) is compressed


@pytest.mark.parametrize("said", ["br", "deflate", "zstd", "compress", "gzip, gzip", "gzip, br"])
def test_another_encoding_is_refused(said):
    with pytest.raises(UnsupportedEncoding, match="send it as gzip"):
        compressed_bodies.is_compressed(said)


# -- requests --------------------------------------------------------------------------------------


def test_a_send_may_be_compressed(caller):
    """And its replay too, or not: the key stands for the inflated body."""
    body = json.dumps(caller.body()).encode()
    key = {"Idempotency_Key": "gz-1"}
    first = caller.send(gzip.compress(body), **GZIP, **key)
    again = caller.send(body, **key)

    assert first.status_code == 200, first.text
    assert again.json["invoiceId"] == first.json["invoiceId"]
    assert "Idempotency-Payload-Mismatch" not in again.headers


@ONE_DATABASE
@pytest.mark.parametrize("path", [VALIDATE, "/v1/invoices/convert"])
@pytest.mark.parametrize(
    ("body", "media"),
    [
        (two_lines("G-1"), XML),
        (json.dumps({"invoice": encoded(two_lines("G-1"))}).encode(), JSON),
        (json.dumps(send_body("x")).encode(), JSON),
    ],
)
def test_documents_may_be_compressed(caller, path, body, media):
    plain = caller.bearer("POST", path, body, **media)
    answer = caller.bearer("POST", path, gzip.compress(body), **media, **GZIP)

    assert answer.status_code == 200, answer.text
    assert answer.json.keys() == plain.json.keys()


@ONE_DATABASE
def test_a_batch_has_its_own_limit(caller):
    """A batch of 13 MiB is refused by no other limit."""
    one = request_of(two_lines("G-2"), filler=noise(13 * MIB).decode())
    body = json.dumps({"invoices": [one]}).encode()
    packed = gzip.compress(body, 1)
    answer = caller.bearer("POST", "/v1/invoices/batch", packed, **JSON, **GZIP)
    other = caller.bearer("POST", VALIDATE, packed, **JSON, **GZIP)

    assert (answer.status_code, answer.json["rejected"]) == (200, 1)
    assert (other.status_code, slug(other)) == (413, "payload-too-large")
    assert "inflated" in other.json["detail"]


@ONE_DATABASE
@pytest.mark.parametrize(("length", "status"), [(12 * MIB, 200), (12 * MIB + 1, 413)])
def test_the_limit_of_a_document_is_12_mebibytes(caller, length, status):
    document = b"<a>" + noise(length - 7).translate(None, b"<>/").ljust(length - 7, b"a") + b"</a>"
    assert len(document) == length
    answer = caller.bearer("POST", VALIDATE, gzip.compress(document, 1), **XML, **GZIP)

    assert answer.status_code == status


@ONE_DATABASE
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (DOCUMENT[:-1], (400, "invalid-body")),
        (DOCUMENT + b"x", (400, "invalid-body")),
        (b"{}", (400, "invalid-body")),
        (b"", (400, "invalid-body")),
        (gzip.compress(b""), (400, "invalid-body")),
        (bomb, (413, "payload-too-large")),
    ],
    ids=["cut", "garbage behind", "not gzip", "empty", "empty inside", "bomb"],
)
def test_a_refusal_is_a_problem(caller, body, expected):
    answer = caller.send(body() if callable(body) else body, **GZIP)

    assert (answer.status_code, slug(answer)) == expected


@ONE_DATABASE
@pytest.mark.parametrize("encoding", ["br", "deflate", "zstd"])
@pytest.mark.parametrize("path", ["/api/invoices/send", VALIDATE, "/v1/invoices/batch"])
def test_another_encoding_is_415_and_names_gzip(caller, path, encoding):
    body = json.dumps(send_body("x")).encode()
    headers = {"x-api-key": caller.key} if path.startswith("/api") else {}
    named = {"Content_Encoding": encoding} | JSON | headers
    answer = caller.bearer("POST", path, body, **named)

    assert (answer.status_code, slug(answer)) == (415, "unsupported-media-type")
    assert "gzip" in answer.json["detail"]
    assert answer.headers["Accept-Encoding"] == "gzip"


@ONE_DATABASE
def test_forms_may_be_compressed(service):
    """A CSV file in a multipart form, and the form of the token endpoint."""
    head = 'Content-Disposition: form-data; name="file"; filename="a.csv"'
    form = f"--x\r\n{head}\r\n\r\nName,TaxId\nBuyer,BE0403019261\n\r\n--x--\r\n".encode()
    imported = Dashboard(service).call(
        "POST", "/api/customers/import", data=gzip.compress(form), **GZIP,
        Content_Type="multipart/form-data; boundary=x",
    )  # fmt: skip
    refused = service.test_client().post(
        "/oauth/token",
        data=gzip.compress(b"grant_type=password"),
        headers={
            "Content-Encoding": "gzip", "Content-Type": "application/x-www-form-urlencoded",
        },
    )  # fmt: skip

    assert imported.status_code == 200, imported.text
    assert refused.json["error"] == "unsupported_grant_type"


@ONE_DATABASE
def test_a_server_that_counts_bodies_counts_inflated_bytes(caller):
    """And may refuse them (web/serving/intake)."""
    counted: list[int] = []
    body = json.dumps(send_body("x")).encode()
    caller.client.post(
        VALIDATE,
        data=gzip.compress(body),
        headers={"Authorization": f"Bearer {caller.key}", "Content-Encoding": "gzip"},
        environ_overrides={GROWN: counted.append},
    )

    assert sum(counted) == len(body)


def test_the_length_of_an_inflated_body_is_its_own(service):
    """For code that reads it afterwards, even if it was read before."""
    body = gzip.compress(b"a" * 500)
    headers = {"Content-Encoding": "gzip"}
    with service.test_request_context("/", method="POST", data=body, headers=headers):
        before = request.content_length
        with request_bodies.receiving_body():
            after = request.content_length

    assert (before, after) == (len(body), 500)


@ONE_DATABASE
def test_a_chunked_body_may_be_compressed(caller):
    """It has no Content-Length."""
    answer = caller.client.post(
        VALIDATE,
        input_stream=io.BytesIO(gzip.compress(two_lines("G-3"))),
        headers={
            "Authorization": f"Bearer {caller.key}", "Content-Encoding": "gzip",
            "Content-Type": "application/xml", "Transfer-Encoding": "chunked",
        },
        environ_overrides={"wsgi.input_terminated": True},
    )  # fmt: skip

    assert answer.json["trafficLight"] == "green"
