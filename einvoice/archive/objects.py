"""The interface of an object store, and how an object is named and packed.

An object is the content of one document, original or piece of evidence. Its key is made of the
tenant and the SHA-256 of the content, so equal content of a tenant is one object, and no object of
another tenant can be named. An object is written once and never changed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import zlib
from dataclasses import dataclass
from datetime import date
from typing import Protocol

GZIP, PLAIN = "gzip", "plain"
# What compresses by less than this is stored as it is: PDFs and images are compressed already.
_WORTH_IT = 0.95
_LEVEL = 6
_TENANT = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class StoreFault(Exception):
    """The store does not answer, or refuses; the message is for operators."""


class ObjectMissing(Exception):
    """The store answers that it has no object of this key."""


class ObjectDamaged(Exception):
    """The bytes in the store are not those that were stored."""


class ObjectRetained(Exception):
    """The store keeps the object: its retention (WORM) has not ended."""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """The identity of an object: its tenant, the SHA-256 of its content, and how it is packed.

    >>> ObjectName("t1", "ab" * 32, GZIP).key[:12]
    't1/ab/ababab'

    Raises ValueError for a tenant or digest that cannot be part of a path.
    """

    tenant_id: str
    sha256: str
    encoding: str

    def __post_init__(self) -> None:
        if not (_TENANT.fullmatch(self.tenant_id) and _DIGEST.fullmatch(self.sha256)):
            raise ValueError(f"{self.tenant_id!r}, {self.sha256!r} cannot name an object")

    @property
    def key(self) -> str:
        """The path below the root of the store."""
        ending = ".gz" if self.encoding == GZIP else ""
        return f"{self.tenant_id}/{self.sha256[:2]}/{self.sha256}{ending}"


class ObjectStore(Protocol):
    """A place for objects. All calls raise StoreFault; each has a deadline."""

    name: str

    def put(self, key: str, packed: bytes, retain_until: date | None) -> None:
        """Store the bytes durably unless the key exists, which is left as it is.

        `retain_until`: the store refuses to delete it before, if it can; of two dates the later
        one holds.
        """

    def get(self, key: str) -> bytes:
        """The bytes of the object. Raises ObjectMissing."""

    def delete(self, key: str) -> None:
        """Delete the object, if it is there. Raises ObjectRetained."""

    def problems(self) -> list[str]:
        """The faults for an operator to correct: unreachable, not writable, without object lock."""


def digest(content: bytes) -> str:
    """The SHA-256 of the content, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def pack(content: bytes) -> tuple[str, bytes]:
    """The encoding and the bytes to store; equal content gives equal bytes."""
    packed = packed_as(GZIP, content)
    return (GZIP, packed) if len(packed) < _WORTH_IT * len(content) else (PLAIN, content)


def packed_as(encoding: str, content: bytes) -> bytes:
    """The bytes to store in an encoding that was chosen before."""
    return gzip.compress(content, _LEVEL, mtime=0) if encoding == GZIP else content


def unpack(packed: bytes, name: ObjectName, size: int) -> bytes:
    """The content of an object of `size` bytes. Raises ObjectDamaged."""
    content = _inflated(packed, size) if name.encoding == GZIP else packed
    if len(content) != size or digest(content) != name.sha256:
        raise ObjectDamaged(f"{name.key}: the content is not what was stored")
    return content


def _inflated(packed: bytes, size: int) -> bytes:
    """At most one byte more than expected, so that a foreign object cannot fill the memory."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            return file.read(size + 1)
    except (OSError, EOFError, zlib.error) as fault:
        raise ObjectDamaged(f"cannot be decompressed: {fault}") from fault
