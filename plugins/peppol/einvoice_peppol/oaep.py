"""The padding OAEP with SHA-256 and MGF1-SHA-256, removed from a block that RSA has decrypted.

Source: RFC 8017, 7.1.2 and B.2.1; empty label. For PKCS#11 tokens that do RSA alone.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

_LENGTH: Final = hashlib.sha256().digest_size
_LABEL: Final = hashlib.sha256().digest()


def unpadded(block: bytes) -> bytes:
    """The content of a block of the key's length.

    Raises ValueError, the same for every cause: a difference would help to decrypt others.
    """
    seed = _xor(block[1 : 1 + _LENGTH], _mask(block[1 + _LENGTH :], _LENGTH))
    data = _xor(block[1 + _LENGTH :], _mask(seed, len(block) - 1 - _LENGTH))
    rest = data[_LENGTH:].lstrip(b"\0")
    right = hmac.compare_digest(data[:_LENGTH], _LABEL)
    right &= hmac.compare_digest(block[:1], b"\0")
    right &= hmac.compare_digest(rest[:1], b"\1")
    if not right:
        raise ValueError("the block has no padding of OAEP")
    return rest[1:]


def _mask(seed: bytes, length: int) -> bytes:
    """MGF1."""
    blocks = range(-(-length // _LENGTH))
    made = b"".join(hashlib.sha256(seed + number.to_bytes(4, "big")).digest() for number in blocks)
    return made[:length]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
