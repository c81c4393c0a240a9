"""OAEP, removed from blocks that the library of the tests has padded."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from einvoice_peppol import oaep
from einvoice_peppol.as4.encryption import OAEP

KEY = rsa.generate_private_key(65537, 2048)


def block(content: bytes) -> bytes:
    """The padded block: RSA with the private key, done by hand."""
    numbers = KEY.private_numbers()
    ciphertext = int.from_bytes(KEY.public_key().encrypt(content, OAEP), "big")
    return pow(ciphertext, numbers.d, numbers.public_numbers.n).to_bytes(256, "big")


@pytest.mark.parametrize("content", [b"", b"\0", b"k" * 16, b"\0\1\0", bytes(190)])
def test_the_content_of_a_block_is_found(content):
    assert oaep.unpadded(block(content)) == content


@pytest.mark.parametrize("place", [0, 1, 32, 33, 64, 100])
def test_a_block_with_a_changed_byte_is_refused_with_one_message(place):
    """Whatever was changed: the first byte, the seed, the hash or the padding."""
    changed = bytearray(block(b"k" * 100))
    changed[place] ^= 1

    with pytest.raises(ValueError, match=r"^the block has no padding of OAEP$"):
        oaep.unpadded(bytes(changed))
