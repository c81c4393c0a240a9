"""Export packages: many invoices with one call, packed and encrypted by KSeF.

A package is built in the background. Its parts are fetched by links, decrypted each by itself, and
joined to a zip with the invoices and their metadata. The zip is bounded in its bytes and its number
of files, and a document is unpacked when it is taken: one at a time is held.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from einvoice_ksef.answers import Area, Kind, status_of
from einvoice_ksef.calls import Calls, text_in
from einvoice_ksef.encryption import SessionKey, digest_of, new_nonce
from einvoice_ksef.keys import Keys
from einvoice_ksef.limits import Group
from einvoice_ksef.sessions import with_key

MAX_PACKAGE_BYTES: Final = 64 * 1024 * 1024
MAX_FILES: Final = (
    1_000  # a page has 100 invoices, and some may be stored at the moment of the last
)
_MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_METADATA: Final = "_metadata.json"
_ENTRY: Final = b"PK\x01\x02"  # begins each entry of the directory of a zip
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


class NotAPackage(ValueError):
    """A package that is not what its description says. The message says what is wrong."""


class StillBuilt(Exception):
    """KSeF still builds the package."""


class Package:
    """The metadata of invoices in their order (`listed`), and the documents by KSeF number."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Raises NotAPackage."""
        self._archive = archive
        self._entries = {each.filename.removesuffix(".xml"): each for each in archive.infolist()}
        try:
            listed = json.loads(self._read(self._entries.pop(_METADATA)))["invoices"]
        except (KeyError, TypeError, ValueError, RecursionError) as fault:
            raise NotAPackage(f"its metadata cannot be read: {fault}") from fault
        if not isinstance(listed, list):
            raise NotAPackage("its metadata are no list")
        self.listed: tuple[object, ...] = tuple(listed)

    def __contains__(self, number: str) -> bool:
        return number in self._entries

    def document(self, number: str) -> bytes:
        """The document of a number that is in it. Raises NotAPackage."""
        return self._read(self._entries[number])

    def _read(self, entry: zipfile.ZipInfo) -> bytes:
        """The content of an entry, whatever its header says of its size."""
        try:
            with self._archive.open(entry) as content:
                read = content.read(_MAX_FILE_BYTES + 1)
        except _BROKEN as fault:
            raise NotAPackage(f"it cannot be unpacked: {fault}") from fault
        if len(read) > _MAX_FILE_BYTES:
            raise NotAPackage(f"a file has more than {_MAX_FILE_BYTES:,} bytes")
        return read


class Exports:
    """Exports of one connection. Each call raises what `Calls.make` does."""

    def __init__(self, calls: Calls, keys: Keys) -> None:
        self._calls, self._keys = calls, keys

    def start(self, filters: Mapping[str, Any]) -> tuple[str, str]:
        """Order a package; its reference, and the nonce of its key. Raises NoKey too."""
        nonce, order = new_nonce(), {"filters": filters, "compressionType": "Zip"}
        response = with_key(
            self._keys,
            SessionKey.derived(self._calls.secret, nonce),
            lambda info: self._calls.make(
                Group.EXPORT, "POST", "invoices/exports", order | {"encryption": info}
            ),
        )
        return text_in(response, "referenceNumber"), nonce

    def fetched(self, reference: str, nonce: str) -> Package:
        """The package. Raises StillBuilt and NotAPackage."""
        response = self._calls.make(Group.EXPORT_STATUS, "GET", f"invoices/exports/{reference}")
        values = response.members()
        status = status_of(Area.EXPORT, values.get("status"))
        if status.kind is Kind.RUNNING:
            raise StillBuilt(status.text)
        if status.kind is not Kind.DONE:
            raise NotAPackage(status.text)
        try:
            parts = sorted(values["package"]["parts"], key=lambda each: int(each["ordinalNumber"]))
            size = sum(int(each["encryptedPartSize"]) for each in parts)
        except (KeyError, TypeError, ValueError) as fault:
            raise NotAPackage(f"its description cannot be read: {fault}") from fault
        if size > MAX_PACKAGE_BYTES:
            raise NotAPackage(f"it has more than {MAX_PACKAGE_BYTES:,} bytes")
        return opened(self._joined(parts, SessionKey.derived(self._calls.secret, nonce)))

    def _joined(self, parts: Iterable[Mapping[str, Any]], key: SessionKey) -> bytes:
        """The parts together; what they say of their size is not believed."""
        archive = bytearray()
        for each in parts:
            archive += self._part(each, key)
            if len(archive) > MAX_PACKAGE_BYTES:
                raise NotAPackage(f"it has more than {MAX_PACKAGE_BYTES:,} bytes")
        return bytes(archive)

    def _part(self, described: Mapping[str, Any], key: SessionKey) -> bytes:
        response = self._calls.api.download_part(str(described.get("url")))
        if response.status != 200:
            raise NotAPackage(f"a part cannot be fetched: HTTP {response.status}")
        if digest_of(response.body) != described.get("encryptedPartHash"):
            raise NotAPackage("the digest of a part is another one")
        try:
            return key.decrypted(response.body)
        except ValueError as fault:
            raise NotAPackage("a part cannot be decrypted") from fault


def opened(archive: bytes) -> Package:
    """The invoices of a zip. Raises NotAPackage."""
    if archive.count(_ENTRY) > MAX_FILES:
        raise NotAPackage(f"it has more than {MAX_FILES:,} files")
    try:
        file = zipfile.ZipFile(io.BytesIO(archive))
    except (*_BROKEN, ValueError) as fault:
        raise NotAPackage(f"it cannot be unpacked: {fault}") from fault
    return Package(file)
