"""Encryption of what is sent: AES-256-CBC for invoices, RSA-OAEP for keys and tokens, digests.

The initialization vector is sent beside the ciphertext when a session is opened, and never in front
of it. A session's key is derived from a secret of the connection and a number that is used once, so
that all workers have the same key and the plugin's store has none.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

_BLOCK_BITS: Final = 128
_SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 16
_OAEP: Final = rsa_padding.OAEP(
    mgf=rsa_padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None
)


@dataclass(frozen=True, slots=True)
class SessionKey:
    """The key (32 bytes) and initialization vector (16 bytes) of a session."""

    key: bytes = field(repr=False)
    vector: bytes = field(repr=False)

    @classmethod
    def derived(cls, secret: str, nonce: str) -> SessionKey:
        """The key of the session with this nonce."""
        return cls(_derived(secret, f"key {nonce}"), _derived(secret, f"iv {nonce}")[:16])

    def encrypted(self, content: bytes) -> bytes:
        padder = padding.PKCS7(_BLOCK_BITS).padder()
        encryptor = Cipher(algorithms.AES256(self.key), modes.CBC(self.vector)).encryptor()
        padded = padder.update(content) + padder.finalize()
        return encryptor.update(padded) + encryptor.finalize()

    def decrypted(self, content: bytes) -> bytes:
        """Raises ValueError for what was not encrypted with this key."""
        unpadder = padding.PKCS7(_BLOCK_BITS).unpadder()
        decryptor = Cipher(algorithms.AES256(self.key), modes.CBC(self.vector)).decryptor()
        padded = decryptor.update(content) + decryptor.finalize()
        return unpadder.update(padded) + unpadder.finalize()


def new_secret() -> str:
    """A secret of a connection, from which the keys of its sessions are derived."""
    return secrets.token_hex(_SECRET_BYTES)


def new_nonce() -> str:
    return secrets.token_hex(_NONCE_BYTES)


def wrapped(content: bytes, key: RSAPublicKey) -> str:
    """The content encrypted by RSA-OAEP with SHA-256 and MGF1-SHA-256, in base64."""
    return base64.b64encode(key.encrypt(content, _OAEP)).decode()


def digest_of(content: bytes) -> str:
    """SHA-256 in base64.

    >>> digest_of(b"")
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


def _derived(secret: str, purpose: str) -> bytes:
    return hmac.digest(secret.encode(), purpose.encode(), "sha256")
