"""MIME parts: what widespread software sends is read, and what is malformed is refused."""

from __future__ import annotations

import base64

import pytest

from einvoice_peppol.as4 import mime
from einvoice_peppol.as4.errors import MIME_INCONSISTENCY, Refused

TYPE = 'multipart/related; type="application/soap+xml"; boundary="b"'
SOAP = "Content-Type: application/soap+xml\r\n\r\n<soap/>"
PAYLOAD = "Content-ID: <p@x>\r\n\r\n"
BYTES = bytes(range(256)) + b"\r\n--c\r\n\n"


def body(*parts: str, payload: bytes = BYTES, end: str = "\r\n--b--") -> bytes:
    """The parts between boundaries; the payload follows the last head."""
    return "".join(f"\r\n--b\r\n{part}" for part in parts).encode() + payload + end.encode()


def test_what_is_written_is_read_back():
    """A payload of all bytes and line ends is unchanged."""
    written = mime.write(b"<soap/>", "p@x", BYTES, boundary="einvoice-1")

    assert mime.parse(written.content_type, written.body) == mime.Parts(b"<soap/>", BYTES, "p@x")


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        (TYPE, body(SOAP, PAYLOAD)),
        (TYPE, body(SOAP, PAYLOAD)[2:]),
        (TYPE, b"preamble\r\n" + body(SOAP, PAYLOAD, end="\r\n--b--\r\nepilogue")),
        (TYPE.replace('"b"', "b"), body(SOAP, PAYLOAD)),
        (TYPE.upper().replace('"B"', '"b"'), body(SOAP, PAYLOAD)),
        (TYPE, body(SOAP, PAYLOAD).replace(b"\r\n--b", b"\n--b")),
        (TYPE, body(SOAP, PAYLOAD).replace(b"--b\r\n", b"--b \t\r\n")),
        (TYPE, body(SOAP, PAYLOAD).replace(b"Content-ID:", b"content-id:")),
        (TYPE, body(SOAP, PAYLOAD).replace(b"Content-ID: ", b"Content-ID:\r\n ")),
        (TYPE, body(SOAP, "Content-Transfer-Encoding: Binary\r\n" + PAYLOAD)),
    ],
    ids=[
        "plain",
        "no first line end",
        "preamble",
        "no quotes",
        "case",
        "LF",
        "blanks",
        "case of head",
        "folded",
        "binary",
    ],
)
def test_forms_of_other_software_are_read(content_type, content):
    assert mime.parse(content_type, content) == mime.Parts(b"<soap/>", BYTES, "p@x")


def test_a_boundary_may_have_a_colon():
    """Oxalis writes uuid:…, in quotes."""
    content = body(SOAP, PAYLOAD).replace(b"--b", b"--uuid:1")

    assert mime.parse(TYPE.replace('"b"', '"uuid:1"'), content).payload == BYTES


def test_a_payload_in_base64_is_decoded():
    head = "Content-Transfer-Encoding: base64\r\n" + PAYLOAD
    content = body(SOAP, head, payload=base64.encodebytes(BYTES))

    assert mime.parse(TYPE, content).payload == BYTES


GOOD = body(SOAP, PAYLOAD)


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("", GOOD),
        ("text/xml", GOOD),
        ("multipart/related", GOOD),
        ("multipart/mixed; boundary=b", GOOD),
        ('multipart/related; boundary=""', GOOD),
        ('multipart/related; boundary="' + "b" * 71 + '"', GOOD),
        ('multipart/related; boundary="ü"', GOOD),
        (TYPE + "; x=" + "y" * 1000, GOOD),
        (TYPE, b""),
        (TYPE, b"nothing"),
        (TYPE, body(SOAP)),
        (TYPE, body(SOAP, PAYLOAD, PAYLOAD)),
        (TYPE, body(SOAP, PAYLOAD, end="")),
        (TYPE, body(PAYLOAD, SOAP)),
        (TYPE, body(SOAP, "Content-ID: p@x\r\n\r\n")),
        (TYPE, body(SOAP, "\r\n")),
        (TYPE, body(SOAP, "Content-Transfer-Encoding: gzip\r\n" + PAYLOAD)),
        (TYPE, body(SOAP, "Content-Transfer-Encoding: base64\r\n" + PAYLOAD)),
        (TYPE, body(SOAP, "X: ü\r\n" + PAYLOAD)),
        (TYPE, body(SOAP, f"X: {'y' * 9000}\r\n" + PAYLOAD)),
        (TYPE, GOOD.replace(b"--b\r\n", b"--bb\r\n")),
    ],
)
def test_what_is_malformed_is_refused(content_type, content):
    with pytest.raises(Refused) as refusal:
        mime.parse(content_type, content)

    assert refusal.value.code is MIME_INCONSISTENCY


def test_a_message_cut_at_any_place_is_refused():
    for end in range(len(GOOD)):
        with pytest.raises(Refused):
            mime.parse(TYPE, GOOD[:end])


def test_many_parts_are_not_collected():
    """Parsing ends at the third part."""
    with pytest.raises(Refused):
        mime.parse(TYPE, b"\r\n--b\r\n\r\n" * 100_000)
