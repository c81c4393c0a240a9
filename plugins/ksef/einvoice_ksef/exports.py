"""Export packages: many invoices with one call, packed and encrypted by KSeF.

A package is built in the background. Its parts are fetched by links, decrypted each by itself, and
joined to a zip with the invoices and their metadata.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from einvoice_ksef.answers import Area, Kind, members, status_of
from einvoice_ksef.calls import Calls
from einvoice_ksef.encryption import SessionKey, digest_of, new_nonce
from einvoice_ksef.keys import Keys
from einvoice_ksef.limits import Group
from einvoice_ksef.sessions import with_key

MAX_PACKAGE_BYTES: Final = 64 * 1024 * 1024
_MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_METADATA: Final = "_metadata.json"


class NotAPackage(ValueError):
    """A package that is not what its description says. The message says what is wrong."""


class StillBuilt(Exception):
    """KSeF still builds the package."""


@dataclass(frozen=True, slots=True)
class Package:
    """The metadata of invoices in their order, and the documents by KSeF number."""

    listed: tuple[Mapping[str, Any], ...]
    documents: Mapping[str, bytes] = field(repr=False)


class Exports:
    """Exports of one connection. Each call raises what `Calls.make` does."""

    def __init__(self, calls: Calls, keys: Keys) -> None:
        self._calls, self._keys = calls, keys

    def start(self, filters: Mapping[str, Any]) -> tuple[str, str]:
        """Order a package; its reference, and the nonce of its key. Raises NoKey too."""
        nonce = new_nonce()
        response = with_key(
            self._keys,
            SessionKey.derived(self._calls.secret, nonce),
            lambda info: self._calls.make(
                Group.EXPORT, "POST", "invoices/exports", {"encryption": info, "filters": filters}
            ),
        )
        return str(members(response)["referenceNumber"]), nonce

    def fetched(self, reference: str, nonce: str) -> Package:
        """The package. Raises StillBuilt and NotAPackage."""
        response = self._calls.make(Group.EXPORT_STATUS, "GET", f"invoices/exports/{reference}")
        values = members(response)
        status = status_of(Area.EXPORT, values.get("status"))
        if status.kind is Kind.RUNNING:
            raise StillBuilt(status.text)
        if status.kind is not Kind.DONE:
            raise NotAPackage(status.text)
        parts = sorted(values["package"]["parts"], key=lambda each: int(each["ordinalNumber"]))
        if sum(int(each["encryptedPartSize"]) for each in parts) > MAX_PACKAGE_BYTES:
            raise NotAPackage(f"it has more than {MAX_PACKAGE_BYTES:,} bytes")
        key = SessionKey.derived(self._calls.secret, nonce)
        return opened(b"".join(self._part(each, key) for each in parts))

    def _part(self, described: Mapping[str, Any], key: SessionKey) -> bytes:
        response = self._calls.api.download_part(str(described["url"]))
        if response.status != 200:
            raise NotAPackage(f"a part cannot be fetched: HTTP {response.status}")
        if digest_of(response.body) != described["encryptedPartHash"]:
            raise NotAPackage("the digest of a part is another one")
        try:
            return key.decrypted(response.body)
        except ValueError as fault:
            raise NotAPackage("a part cannot be decrypted") from fault


def opened(archive: bytes) -> Package:
    """The invoices of a zip. Raises NotAPackage."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            files = {entry.filename: _read(file, entry) for entry in file.infolist()}
        listed = json.loads(files.pop(_METADATA))["invoices"]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as fault:
        raise NotAPackage(f"it cannot be unpacked: {fault}") from fault
    except (KeyError, TypeError, ValueError) as fault:
        raise NotAPackage(f"its metadata cannot be read: {fault}") from fault
    documents = {name.removesuffix(".xml"): content for name, content in files.items()}
    return Package(tuple(listed), documents)


def _read(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The content of an entry, whatever its header says of its size."""
    with file.open(entry) as content:
        read = content.read(_MAX_FILE_BYTES + 1)
    if len(read) > _MAX_FILE_BYTES:
        raise NotAPackage(f"a file has more than {_MAX_FILE_BYTES:,} bytes")
    return read
