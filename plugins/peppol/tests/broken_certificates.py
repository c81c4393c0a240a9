"""Certificates that cannot be read or used: a good one with some of its bytes replaced."""

from __future__ import annotations

from collections.abc import Iterator

_SHA256_RSA = bytes.fromhex("2a864886f70d01010b")
_RSA = bytes.fromhex("2a864886f70d010101")
_UNKNOWN = bytes.fromhex("2a864886f70d01017f")
_SHA1_RSA = bytes.fromhex("2a864886f70d010105")
_PSS = bytes.fromhex("2a864886f70d01010a")
_MD2_RSA = bytes.fromhex("2a864886f70d010102")
_AUTHORITY_KEY, _SUBJECT_KEY = bytes.fromhex("551d23"), bytes.fromhex("551d0e")
_KEY_USAGE, _EXTENDED_USAGE = bytes.fromhex("551d0f"), bytes.fromhex("551d25")
_CONSTRAINTS, _NAMES = bytes.fromhex("551d13"), bytes.fromhex("551d11")

_CHANGES = {
    "version 5": (b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x04"),
    "version 1 with extensions": (b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x00"),
    "unknown signature": (_SHA256_RSA, _UNKNOWN),
    "SHA-1": (_SHA256_RSA, _SHA1_RSA),
    "MD2": (_SHA256_RSA, _MD2_RSA),
    "PSS without parameters": (_SHA256_RSA, _PSS),
    "unknown key": (_RSA, _UNKNOWN),
    "key as of a signature": (_RSA, _SHA256_RSA),
    "extension twice": (_AUTHORITY_KEY, _SUBJECT_KEY),
    "usage of another form": (_KEY_USAGE, _EXTENDED_USAGE),
    "constraints of another form": (_EXTENDED_USAGE, _CONSTRAINTS),
    "names of another form": (_AUTHORITY_KEY, _NAMES),
    "month 99": (b"\x17\x0d26", b"\x17\x0d99"),
    "date of letters": (b"\x17\x0d2", b"\x17\x0dx"),
    "name that is not UTF-8": (b"POP", b"\xff\xfe\xfd"),
    "name of another tag": (b"\x0c\x09POP", b"\x01\x09POP"),
    "name of BMPString": (b"\x0c\x09POP", b"\x1e\x09POP"),
    "name of T61String": (b"\x0c\x09POP", b"\x14\x09\xff\xfe\xfd"),
    "country of three letters": (b"\x13\x02BE", b"\x13\x02\xff\xfe"),
}


def of(der: bytes) -> Iterator[tuple[str, bytes]]:
    """The name of each defect, and the certificate with it."""
    for name, (old, new) in _CHANGES.items():
        assert old in der, name
        yield name, der.replace(old, new)
    yield "empty", b""
    yield "a byte", b"0"
    yield "cut", der[:-1]
    yield "longer", der + b"0"
    yield "text", b"-----BEGIN CERTIFICATE-----"
    yield "twice", der + der
    yield "too large", der + bytes(20_000)
