"""TXT records in DNS that a domain needs from which mails are sent.

>>> wanted = [Wanted(Purpose.SPF, "example.com", "v=spf1 include:sender.example ~all")]
>>> [compared] = compared_with_dns(wanted, lambda name: ("v=spf1 mx -all",))
>>> compared.state, compared.found
(<RecordState.WRONG: 'wrong'>, 'v=spf1 mx -all')
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

TextsOf = Callable[[str], Sequence[str]]
_SECONDS: Final = 3.0
_MAX_TEXTS, _MAX_CHARACTERS = 50, 4096
_MAX_SHOWN: Final = 500


class NoDnsAnswer(Exception):
    """The DNS servers do not answer."""


class Purpose(StrEnum):
    """The purpose of a record."""

    VERIFICATION = "verification"
    DKIM = "dkim"
    SPF = "spf"
    DMARC = "dmarc"


class RecordState(StrEnum):
    """State of a record in DNS; unknown: it was not asked, or did not answer."""

    FOUND = "found"
    MISSING = "missing"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A TXT record that a domain needs, and what DNS has in its place.

    value     what to put there
    required  whether no mail is sent from the domain without it
    found     what is there instead
    """

    purpose: Purpose
    name: str
    value: str
    required: bool = True
    state: RecordState = RecordState.UNKNOWN
    found: str = ""


def texts_of(name: str) -> Sequence[str]:
    """The TXT records of a name, each in one piece. Raises NoDnsAnswer."""
    # Most processes ask nothing.
    import dns.exception
    import dns.resolver

    try:
        found = dns.resolver.resolve(name, "TXT", lifetime=_SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except (dns.exception.DNSException, OSError, ValueError) as fault:
        raise NoDnsAnswer(type(fault).__name__) from fault
    texts = [b"".join(each.strings)[:_MAX_CHARACTERS] for each in found]
    return [each.decode("ascii", "replace") for each in texts[:_MAX_TEXTS]]


def compared_with_dns(wanted: Iterable[Wanted], texts: TextsOf = texts_of) -> list[Wanted]:
    """The records with what DNS has of each; after one without an answer no other is asked for."""
    compared: list[Wanted] = []
    is_away = False
    for each in wanted:
        found = _compared(each, texts) if not is_away else replace(each, state=RecordState.UNKNOWN)
        is_away = found.state is RecordState.UNKNOWN
        compared.append(found)
    return compared


def _compared(wanted: Wanted, texts: TextsOf) -> Wanted:
    try:
        found = texts(wanted.name)
    except NoDnsAnswer:
        return replace(wanted, state=RecordState.UNKNOWN)
    start, is_there = _RULES[wanted.purpose]
    own = [each for each in found if each.strip().lower().startswith(start)]
    if not own:
        return replace(wanted, state=RecordState.MISSING)
    shown = " | ".join(own)[:_MAX_SHOWN]
    if is_there(wanted.value, own):
        return replace(wanted, state=RecordState.FOUND, found=shown)
    return replace(wanted, state=RecordState.WRONG, found=shown)


def _has_text(value: str, found: Sequence[str]) -> bool:
    return value in [each.strip() for each in found]


def _has_key(value: str, found: Sequence[str]) -> bool:
    """Whether a record has the key of the value, however it is divided."""
    key = value.partition("p=")[2]
    return any(f"p={key};" in "".join(each.split()) + ";" for each in found)


def _includes(value: str, found: Sequence[str]) -> bool:
    """Whether the only SPF record has the mechanism of the value; several count as none."""
    mechanism = value.split()[1].lower()
    return len(found) == 1 and mechanism in found[0].lower().split()


def _is_one(_: str, found: Sequence[str]) -> bool:
    return len(found) == 1


_RULES: Final[dict[Purpose, tuple[str, Callable[[str, Sequence[str]], bool]]]] = {
    Purpose.VERIFICATION: ("einvoice-verification=", _has_text),
    Purpose.DKIM: ("", _has_key),
    Purpose.SPF: ("v=spf1", _includes),
    Purpose.DMARC: ("v=dmarc1", _is_one),
}


def public_key(private: bytes) -> str:
    """The public part of a private key (PEM) as DKIM publishes it: base64 of DER."""
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_pem_private_key,
    )

    key = load_pem_private_key(private, password=None).public_key()
    return base64.b64encode(
        key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).decode()


def new_key() -> bytes:
    """A new private key of DKIM (RSA, 2048 bits, PEM)."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
