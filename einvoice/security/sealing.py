"""Encryption of stored secrets: AES-256-GCM, bound to the row they belong to.

A sealed secret is key id (8 bytes) + nonce (12) + ciphertext and tag. The context (table, row and
column) is associated data, so that a sealed value copied to another row cannot be opened. The first
key of the setting seals, all of them open: to rotate, put a new key in front.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from einvoice.config import Settings, SettingsFault

KEY_BYTES = 32
KEY_FILE = "secret.key"
ID_BYTES, _NONCE = 8, 12


class SealBroken(Exception):
    """The value was sealed with an unknown key, for another row, or was changed."""


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keys by their id; `first` seals. The repr shows no key."""

    first: bytes
    keys: Mapping[bytes, AESGCM] = field(repr=False)

    @classmethod
    def of(cls, keys: list[bytes]) -> Keyring:
        """From keys of 32 bytes each; the first one seals."""
        return cls(_id_of(keys[0]), {_id_of(key): AESGCM(key) for key in keys})

    def seal(self, plain: bytes, context: str) -> bytes:
        """Encrypt for this context, with a random nonce."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = self.keys[self.first].encrypt(nonce, plain, context.encode())
        return self.first + nonce + sealed

    def knows(self, sealed: bytes) -> bool:
        """Whether a value, or its first ID_BYTES, was sealed with one of the keys."""
        return sealed[:ID_BYTES] in self.keys

    def open(self, sealed: bytes, context: str) -> bytes:
        """Decrypt. Raises SealBroken."""
        key = self.keys.get(sealed[:ID_BYTES])
        if key is None:
            raise SealBroken(f"{context}: sealed with a key that is not in EINVOICE_SECRET_KEY")
        try:
            return key.decrypt(
                sealed[ID_BYTES : ID_BYTES + _NONCE], sealed[ID_BYTES + _NONCE :], context.encode()
            )
        except (InvalidTag, ValueError) as fault:
            raise SealBroken(f"{context}: the sealed value does not belong here") from fault


def context_of(table: str, row_id: str, column: str) -> str:
    """The context of a secret in the database: its table, row and column."""
    return f"{table}/{row_id}/{column}"


@lru_cache(maxsize=4)
def keyring(settings: Settings) -> Keyring:
    """The keys of these settings; in development one is made in the data directory on first use.

    Raises SettingsFault if a key is malformed, or missing in production.
    """
    return Keyring.of(_keys(settings))


def derived(settings: Settings, purpose: str) -> dict[str, bytes]:
    """Keys for another purpose, derived from each key, by their ids; the first one is in use.

    They are not stored, and rotate with EINVOICE_SECRET_KEY. Raises SettingsFault.
    """
    return {_id_of(key).hex(): _expanded(key, purpose) for key in _keys(settings)}


def _expanded(key: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=f"einvoice {purpose}".encode()).derive(key)


def _keys(settings: Settings) -> list[bytes]:
    if settings.secret_key:
        return [_key(text) for text in settings.secret_key.split(",")]
    if settings.production:
        raise SettingsFault("EINVOICE_SECRET_KEY must be set in production")
    return [_key(_local_key(settings.data_path / KEY_FILE))]


def of_text(text: str) -> Keyring:
    """The keys of a text in the format of the setting. Raises SettingsFault."""
    return Keyring.of([_key(part) for part in text.split(",")])


def new_key() -> str:
    """A new key in the format of the setting."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def _key(text: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingsFault("EINVOICE_SECRET_KEY: each key must be 32 bytes in base64") from None
    return key


def _id_of(key: bytes) -> bytes:
    return sha256(b"einvoice key id" + key).digest()[:ID_BYTES]


def _local_key(path: Path) -> str:
    """The key in the file. Of several processes that start together, one makes it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(new_key())
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()
