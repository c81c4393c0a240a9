"""What anybody may send, without a credential, is read in time in proportion to its size."""

from __future__ import annotations

import contextlib
import gzip
import random

import pytest
from flask import Flask, request

from einvoice.documents import directory_csv
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.errors import RequestRefused
from einvoice.domain.trace import Trace
from einvoice.http import response_reading
from einvoice.http.faults import HttpFault
from einvoice.web import credentials, headers, json
from einvoice.web.admission import compressed_bodies
from tests import growth

APP = Flask(__name__)


def with_header(name, read):
    def work(text: str) -> None:
        with (
            APP.test_request_context(headers={name: text}),
            contextlib.suppress(RequestRefused, ValueError),
        ):
            read()

    return work


def refusing(read):
    def work(content) -> None:
        with contextlib.suppress(RequestRefused, HttpFault):
            read(content)

    return work


def form_of(content_type: str):
    def work(body: bytes) -> None:
        given = {"data": body, "content_type": content_type, "method": "POST"}
        with (
            APP.test_request_context("/", **given),
            contextlib.suppress(Exception),  # 413 and 400 of Werkzeug
        ):
            list(request.form.items(multi=True))

    return work


HEADERS = {
    "Accept-Language": headers.accepted_languages,
    "Authorization": credentials._bearer_token,
    "Idempotency-Key": headers.idempotency_key,
    "If-Match": headers.expected_versions,
    "Prefer": lambda: headers.preference(0.0),
    "Range": lambda: request.range,
    "traceparent": lambda: Trace.of("id", request.headers["traceparent"]),
    "x-api-key": credentials._key_header,
}
UNITS = ("a", " ", ",", '"', '""', "a,", "a;", "wait=", "1", "bytes=", "0-1,", "Bearer ", "de;q=")
JSON = {
    "names": ("{", '"n{0}":1,', '"z":1}'),
    "one name": ("{", '"n":1,', '"n":1}'),
    "objects": ('{"a":[', "{{}},", "{}]}"),
    "lists": ('{"a":', "[", ""),
    "decimals": ('{"a":[', "1.5e9,", "1]}"),
    "digits": ('{"a":', "1", "}"),
    "numbers": ('{"a":[', "1" * 400 + ",", "1" * 5_000 + "]}"),
    "surrogates": ('{"a":"', "\\ud83d", '"}'),
    "backslashes": ('{"a":"', "\\\\", '"}'),
    "quotes": ("{", '"', "}"),
    "blanks": ("", " ", "{}"),
}
FORMS = {
    "application/x-www-form-urlencoded": ("a=1&", "&", "%41", "%", "=", "+"),
    "multipart/form-data; boundary=b": (
        "--b\r\n", "\r\n", "--", "-", "\r",
        '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n',
        "--b\r\nContent-Disposition: form-data; " + "a=b;" * 20,
    ),
}  # fmt: skip
HEADS = ("a:\r\n", "a: b\r\n", "{0}:\r\n", "\r", ":", " ", "\r\n")


def of_units(begin: str, unit: str, end: str, size: int) -> bytes:
    times = size // len(unit)
    return (begin + "".join(unit.format(at) for at in range(times)) + end).encode()


def faults(cases) -> dict[object, str]:
    """The faults of (name, work, what makes an input of a size)."""
    found = ((name, growth.fault(work, of_size)) for name, work, of_size in cases)
    return {name: fault for name, fault in found if fault}


def test_headers_are_read_in_time_in_proportion():
    assert not faults(
        ((name, unit), with_header(name, read), lambda size, u=unit: u * (size // len(u)))
        for name, read in HEADERS.items()
        for unit in UNITS
    )


def test_json_is_read_in_time_in_proportion():
    assert not faults(
        (name, refusing(json.read_object), lambda size, p=parts: of_units(*p, size))
        for name, parts in JSON.items()
    )


@pytest.mark.parametrize("content_type", FORMS)
def test_forms_are_read_in_time_in_proportion(content_type):
    """Those of the login, of tokens of OAuth, and of the links of buyers."""
    assert not faults(
        (unit, form_of(content_type), lambda size, u=unit: u.encode() * (size // len(u)))
        for unit in FORMS[content_type]
    )


def test_answers_of_foreign_servers_are_read_in_time_in_proportion():
    """A head has 64 KB at most."""
    assert not faults(
        (
            unit,
            refusing(response_reading._parsed),
            lambda size, u=unit: of_units("HTTP/1.1 200 OK\r\n", u, "", size),
        )
        for unit in HEADS
    )


def test_compressed_bodies_are_inflated_in_time_in_proportion():
    def inflate(body: bytes) -> None:
        compressed_bodies.inflated(body, 10**9, lambda length: None)

    noise = random.Random(1).randbytes(100_000)

    assert not faults(
        [
            ("zeros", refusing(inflate), lambda size: gzip.compress(bytes(size))),
            ("noise", refusing(inflate), lambda size: gzip.compress(noise[:size])),
            ("members", refusing(inflate), lambda size: gzip.compress(b"a") * (size // 20)),
        ]
    )


@pytest.mark.parametrize("unit", ["a", ",", '"', '""', ";", "\n", ",\n", "name,", '"\n'])
def test_files_of_customers_are_read_in_time_in_proportion(unit):
    def read(content: bytes) -> None:
        directory_csv.read(CUSTOMER, content)

    assert not faults([(unit, refusing(read), lambda size: unit.encode() * (size // len(unit)))])
