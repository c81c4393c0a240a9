"""KSeF numbers, and the addresses of QR code I, by which a printed invoice is verified.

>>> KsefNumber.parse("5265877635-20250826-0100001AF629-AF").nip
'5265877635'
>>> KsefNumber.parse("5265877635-20250826-0100001AF629-AE")
Traceback (most recent call last):
einvoice_ksef.numbers.InvalidNumber: '5265877635-20250826-0100001AF629-AE' has a wrong checksum
>>> checksum("5265877635-20250626-010080DD2B5E")
'26'
"""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import date
from typing import Final, Self

_DATA: Final = 32  # characters before the checksum and its hyphen
_FORM: Final = re.compile(
    r"(?P<nip>[1-9]\d{9}|M\d{9}|[A-Z]{3}\d{7})-(?P<day>\d{8})-[0-9A-F]{12}-[0-9A-F]{2}", re.ASCII
)
_POLYNOMIAL: Final = 0x07
_TEST_HOST: Final = "qr-test.ksef.mf.gov.pl"
_HOSTS: Final = {
    "ksef-live": "qr.ksef.mf.gov.pl",
    "ksef-demo": "qr-demo.ksef.mf.gov.pl",
    "ksef-test": _TEST_HOST,
}


class InvalidNumber(ValueError):
    """A text that is no KSeF number."""


@dataclass(frozen=True, slots=True)
class KsefNumber:
    """A number that KSeF has given. Parsing is the only check.

    nip  the number of the seller
    day  when the invoice was accepted
    """

    text: str
    nip: str
    day: date

    @classmethod
    def parse(cls, text: str) -> Self:
        """The number in a text. Raises InvalidNumber for a wrong form, day or checksum."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise InvalidNumber(f"{text!r} has not the form of a KSeF number")
        if checksum(text[:_DATA]) != text[-2:]:
            raise InvalidNumber(f"{text!r} has a wrong checksum")
        try:
            day = date.fromisoformat(match["day"])
        except ValueError:
            raise InvalidNumber(f"{text!r} has no day") from None
        return cls(text, match["nip"], day)

    def __str__(self) -> str:
        return self.text


def is_number(text: str) -> bool:
    """Whether a text has the form of a KSeF number, whatever its checksum."""
    return _FORM.fullmatch(text) is not None


def is_valid(text: str) -> bool:
    """Whether a text is a KSeF number with its checksum."""
    try:
        KsefNumber.parse(text)
    except InvalidNumber:
        return False
    return True


def checksum(data: str) -> str:
    """CRC-8 of a text: polynomial 0x07, from 0, not reflected; two hexadecimal digits."""
    register = 0
    for byte in data.encode("ascii"):
        register ^= byte
        for _ in range(8):
            carry = register & 0x80
            register = (register << 1 & 0xFF) ^ (_POLYNOMIAL if carry else 0)
    return f"{register:02X}"


def hash_of(document: bytes) -> str:
    """SHA-256 of a document in Base64 for addresses, without padding."""
    return urlsafe_b64encode(hashlib.sha256(document).digest()).rstrip(b"=").decode("ascii")


def host_of(access_point: str) -> str:
    """Where the codes of an access point lead, by its name; of an unknown one to TEST.

    >>> host_of("ksef-live")
    'qr.ksef.mf.gov.pl'
    """
    return _HOSTS.get(access_point, _TEST_HOST)


def verification_url(host: str, nip: str, issued: date, digest: str) -> str:
    """The address in QR code I.

    host    such as qr.ksef.mf.gov.pl
    digest  of the document (`hash_of`)

    >>> verification_url("qr.example", "1111111111", date(2026, 2, 1), "UtQp9Gpc51y")
    'https://qr.example/invoice/1111111111/01-02-2026/UtQp9Gpc51y'
    """
    return f"https://{host}/invoice/{nip}/{issued:%d-%m-%Y}/{digest}"
