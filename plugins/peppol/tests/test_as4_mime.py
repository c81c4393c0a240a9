"""MIME parts: what widespread software sends is read, and what is malformed is refused."""

from __future__ import annotations

import base64
import tracemalloc

import pytest

from einvoice_peppol.as4 import mime
from einvoice_peppol.as4.errors import MIME_INCONSISTENCY, Refused
from einvoice_peppol.base64_text import decoded

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
        (TYPE, body(SOAP, "Content-ID: p@x\r\n\r\n")),
        (TYPE, body(SOAP, 'Content-Disposition: attachment; name="ü"\r\n' + PAYLOAD)),
        (TYPE, body(SOAP, "X: ü\r\n" + PAYLOAD).replace("ü".encode(), b"\xfc\xff")),
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
        "no angle brackets",
        "file name in UTF-8",
        "file name in Latin-1",
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


def test_a_payload_in_quoted_printable_is_decoded():
    head = "Content-Transfer-Encoding: quoted-printable\r\n" + PAYLOAD
    content = body(SOAP, head, payload=b"=00=\r\n=3D=FF a")

    assert mime.parse(TYPE, content).payload == b"\x00=\xff a"


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_an_encoded_payload_has_a_bound(monkeypatch, encoding):
    """A large one is sent as binary by all senders."""
    head = f"Content-Transfer-Encoding: {encoding}\r\n{PAYLOAD}"
    content = body(SOAP, head, payload=b"QUJD")

    monkeypatch.setattr(mime, "MAX_ENCODED_BYTES", 4)
    assert mime.parse(TYPE, content).payload
    monkeypatch.setattr(mime, "MAX_ENCODED_BYTES", 3)
    with pytest.raises(Refused, match="send it as binary"):
        mime.parse(TYPE, content)


def test_decoding_takes_a_small_multiple_of_memory():
    """White space is removed without an object for each word."""
    text = b"ab " * (1 << 20)
    tracemalloc.start()
    try:
        decoded(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 2 * len(text)


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
        (TYPE, body(SOAP, "Content-ID: <>\r\n\r\n")),
        (TYPE, body(SOAP, "\r\n")),
        (TYPE, body(SOAP, "Content-Transfer-Encoding: gzip\r\n" + PAYLOAD)),
        (TYPE, body(SOAP, "Content-Transfer-Encoding: base64\r\n" + PAYLOAD)),
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
