"""Numbers that KSeF gives: reference numbers, and the numbers of invoices."""

from __future__ import annotations

import secrets
from datetime import datetime
from zoneinfo import ZoneInfo

WARSAW = ZoneInfo("Europe/Warsaw")


def crc8(text: str) -> int:
    """CRC-8 with polynomial 0x07, start 0, without reflection.

    >>> f"{crc8('5265877635-20250826-0100001AF629'):02X}"
    'AF'
    """
    value = 0
    for byte in text.encode("ascii"):
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ (0x07 if value & 0x80 else 0)) & 0xFF
    return value


def reference(kind: str, now: datetime) -> str:
    """A reference number of a kind: CR challenge, AU login, SO session, EE invoice, …"""
    digits = secrets.token_hex(11).upper()
    day = now.astimezone(WARSAW).strftime("%Y%m%d")
    return f"{day}-{kind}-{digits[:10]}-{digits[10:20]}-{digits[20:]}"


def ksef_number(nip: str, now: datetime) -> str:
    """The number of an invoice of this seller."""
    day = now.astimezone(WARSAW).strftime("%Y%m%d")
    start = f"{nip}-{day}-0100{secrets.token_hex(4).upper()}"
    return f"{start}-{crc8(start):02X}"
