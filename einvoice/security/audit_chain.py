"""Digests of the audit log: entries, the seals that chain them, and the head that anchors a chain.

The digest of an entry covers its open fields and one salted digest for each of its parts, which may
hold data of a person. Erasing a part deletes its values and its salt and keeps the digest, so the
entry still proves that it was there, and the values cannot be guessed from it.

A seal covers the sequence and digest of each of its entries, its own number and the seal before
it. The head covers the number of seals, so that a chain cannot lose its end. Its code is made with
a key that is not in the database: who can write the tables cannot write another chain.

>>> values = {part: ["x"] for part in PARTS}
>>> salted = new_salts()
>>> whole = entry_digest(["t", "key.created"], values, salted, {})
>>> gone = {"person": part_digest("person", values["person"], salted["person"])}
>>> rest = {part: salt for part, salt in salted.items() if part != "person"}
>>> entry_digest(["t", "key.created"], values | {"person": ["erased"]}, rest, gone) == whole
True
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

PERSON, TARGET, DETAIL = "person", "target", "detail"
PARTS = (PERSON, TARGET, DETAIL)
FIRST = ""  # the digest before the first seal
_SALT_BYTES = 16


def new_salts() -> dict[str, str]:
    """A salt for each part of a new entry."""
    return {part: secrets.token_hex(_SALT_BYTES) for part in PARTS}


def part_digest(part: str, values: Sequence[Any], salt: str) -> str:
    """The digest of the values of one part."""
    return _digest([part, salt, *values])


def entry_digest(
    fields: Sequence[Any],
    values: Mapping[str, Sequence[Any]],
    salts: Mapping[str, str],
    erased: Mapping[str, str],
) -> str:
    """The digest of an entry: its open fields, and each part by its salt or as it was erased.

    Raises KeyError for a part that has neither a salt nor a digest.
    """
    parts = [
        part_digest(part, values[part], salts[part]) if part in salts else erased[part]
        for part in PARTS
    ]
    return _digest([*fields, *parts])


def seal_digest(
    before: str, tenant_id: str, number: int, sealed_at: str, entries: Sequence[Sequence[Any]]
) -> str:
    """The digest of a seal; `entries`: sequence and digest of each, `before`: the last seal's."""
    return _digest([before, tenant_id, number, sealed_at, entries])


def head_mac(keys: Mapping[str, bytes], tenant_id: str, seals: int, digest: str) -> str:
    """The code of a head by the first key, after the key's id."""
    key_id = next(iter(keys))
    return f"{key_id}:{_mac(keys[key_id], tenant_id, seals, digest)}"


def is_head(keys: Mapping[str, bytes], mac: str, tenant_id: str, seals: int, digest: str) -> bool:
    """Whether one of the keys made the code for this head."""
    key_id, _, code = mac.partition(":")
    key = keys.get(key_id)
    return key is not None and hmac.compare_digest(code, _mac(key, tenant_id, seals, digest))


def _mac(key: bytes, tenant_id: str, seals: int, digest: str) -> str:
    return hmac.new(key, _canonical([tenant_id, seals, digest]), hashlib.sha256).hexdigest()


def _digest(value: Sequence[Any]) -> str:
    return hashlib.sha256(_canonical(value)).hexdigest()


def _canonical(value: Sequence[Any]) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
