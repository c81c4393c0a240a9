"""Reading an export, which nothing is believed of: names, sizes and digests are checked first.

Nothing is unpacked into the file system, so no name can be a path. Everything that is read has a
bound in advance: of an entry its size in the manifest, of a file its size in its row, and of both a
limit of their kind, so an archive that expands without end stops at the limit.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from einvoice.domain.errors import DocumentDropped
from einvoice.services.tenant_data.export_writer import (
    FORMAT,
    MANIFEST,
    VERSION,
    DroppedFile,
    Entry,
    FilePlace,
)

MAX_MANIFEST = 64 * 1024 * 1024
MAX_PART = 256 * 1024 * 1024
MAX_FILE = 256 * 1024 * 1024
MAX_PACK = 512 * 1024 * 1024
MAX_ENTRIES = 1_000_000
MAX_PACK_ENTRIES = 100_000
MAX_KIND, MAX_RULE = 32, 200  # characters
_CHUNK = 1024 * 1024
_PART = re.compile(r"tables/([a-z_]{1,40})/[0-9]{6,9}\.jsonl")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PACK = re.compile(r"files/[0-9]{6,9}\.zip")
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)

R = TypeVar("R")


class ExportBroken(Exception):
    """The file is no export that can be read; the message names the entry."""


class ExportReader:
    """An open export. Raises ExportBroken for whatever is wrong with it."""

    def __init__(self, path: Path) -> None:
        self._archive = _guarded(path.name, lambda: zipfile.ZipFile(path))
        self._open_pack: tuple[str, zipfile.ZipFile] | None = None
        try:
            self.about, self.manifest = self._read_manifest()
            self.entries = self._checked_entries()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._close_pack()
        self._archive.close()

    @property
    def parts(self) -> list[Entry]:
        """The entries with rows, in their order."""
        return [entry for entry in self.entries if entry.rows]

    def verify(self, entry: Entry) -> None:
        """Compare an entry with its digest in the manifest."""
        limit = MAX_PART if entry.rows else MAX_PACK
        if entry.size > limit:
            raise ExportBroken(f"{entry.name}: larger than {limit:,} bytes")
        digest = hashlib.sha256()
        for chunk in self._chunks(entry):
            digest.update(chunk)
        if digest.hexdigest() != entry.sha256:
            raise ExportBroken(f"{entry.name}: it was changed, its digest is not the manifest's")

    def rows(self, entry: Entry) -> Iterator[dict[str, Any]]:
        """The rows of a part that was verified."""
        content = b"".join(self._chunks(entry))
        lines = content.splitlines()
        if len(lines) != entry.rows:
            raise ExportBroken(f"{entry.name}: {len(lines)} rows, the manifest says {entry.rows}")
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise ExportBroken(f"{entry.name}: row {number} is no JSON object")
            yield row

    def file(self, place: FilePlace) -> bytes:
        """A file of a pack, compared with its size and digest."""
        where = f"{place.pack}: {place.name[:200]}"
        if place.size > MAX_FILE:
            raise ExportBroken(f"{where}: larger than {MAX_FILE:,} bytes")
        pack = self._pack(place.pack)

        def _read() -> bytes:
            with pack.open(place.name) as file:
                return file.read(place.size + 1)

        try:
            content = _guarded(where, _read)
        except KeyError:
            raise ExportBroken(f"{where}: it is missing") from None
        if len(content) != place.size or hashlib.sha256(content).hexdigest() != place.sha256:
            raise ExportBroken(f"{where}: it was changed, its digest is not that of its row")
        return content

    def _read_manifest(self) -> tuple[dict[str, Any], str]:
        names = self._archive.namelist()
        if MANIFEST not in names:
            raise ExportBroken(f"{MANIFEST} is missing: this is no export, or not the whole of it")
        if self._archive.getinfo(MANIFEST).file_size > MAX_MANIFEST:
            raise ExportBroken(f"{MANIFEST}: larger than {MAX_MANIFEST:,} bytes")
        with self._archive.open(MANIFEST) as file:
            content = _guarded(MANIFEST, lambda: file.read(MAX_MANIFEST))
        try:
            about = json.loads(content)
        except (ValueError, RecursionError):
            about = None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise ExportBroken(f"{MANIFEST}: this is no {FORMAT}")
        if about.get("version") != VERSION:
            message = f"version {str(about.get('version'))[:20]}, this service reads {VERSION}"
            raise ExportBroken(f"{MANIFEST}: {message}")
        return about, hashlib.sha256(content).hexdigest()

    def _checked_entries(self) -> list[Entry]:
        """The entries of the manifest, which must name the files of the archive."""
        entries = [_entry(each) for each in _list(self.about.get("entries"))]
        named = [entry.name for entry in entries]
        found = [name for name in self._archive.namelist() if name != MANIFEST]
        if len(self._archive.namelist()) != len(found) + 1:
            raise ExportBroken(f"{MANIFEST}: it is there twice")
        for names, message in ((found, "it is there twice"), (named, "the manifest has it twice")):
            if twice := _repeated(names):
                raise ExportBroken(f"{twice[:200]!r}: {message}")
        if more := sorted(set(found) - set(named)):
            raise ExportBroken(f"{more[0][:200]!r}: it is not in the manifest")
        if less := sorted(set(named) - set(found)):
            raise ExportBroken(f"{less[0]}: it is missing")
        return entries

    def _chunks(self, entry: Entry) -> Iterator[bytes]:
        """The content of an entry; more than its size in the manifest is not read."""
        if self._archive.getinfo(entry.name).file_size != entry.size:
            raise ExportBroken(f"{entry.name}: its size is not the manifest's")
        left = entry.size
        file = _guarded(entry.name, lambda: self._archive.open(entry.name))
        with file:
            while left > 0:
                chunk = _guarded(entry.name, lambda: file.read(_CHUNK))
                if not chunk or len(chunk) > left:
                    raise ExportBroken(f"{entry.name}: its size is not the manifest's")
                left -= len(chunk)
                yield chunk

    def _pack(self, name: str) -> zipfile.ZipFile:
        if self._open_pack is not None and self._open_pack[0] == name:
            return self._open_pack[1]
        found = next((entry for entry in self.entries if entry.name == name), None)
        if found is None or found.rows:
            raise ExportBroken(f"{name[:200]!r}: it is not in the manifest")
        self._close_pack()
        content: IO[bytes] = io.BytesIO(b"".join(self._chunks(found)))
        pack = _guarded(name, lambda: zipfile.ZipFile(content))
        if len(pack.filelist) > MAX_PACK_ENTRIES or _repeated(pack.namelist()):
            raise ExportBroken(f"{name}: it has a file twice, or too many")
        self._open_pack = name, pack
        return pack

    def _close_pack(self) -> None:
        if self._open_pack is not None:
            self._open_pack[1].close()
            self._open_pack = None


def place_of(value: Any, where: str) -> FilePlace:
    """The place of a file in a row. Raises ExportBroken."""
    try:
        place = FilePlace(**value)
    except TypeError:
        place = None
    if place is None or not _are_of_types(place):
        raise ExportBroken(f"{where}: the place of a file is malformed")
    return place


@dataclass(frozen=True, slots=True)
class LostFile:
    """A file that could not be read when it was exported, without a proof of what it was."""


def missing_file(value: Mapping[str, Any], where: str) -> DroppedFile | LostFile:
    """The proof of a file that was dropped, or that its bytes are lost. Raises ExportBroken."""
    proof = {name: content for name, content in value.items() if name != "missing"}
    if value["missing"] != DocumentDropped.slug or "rule" not in proof:
        return LostFile()  # an export of an earlier version has no rule
    try:
        dropped = DroppedFile(**proof)
    except TypeError:
        dropped = None
    if dropped is None or not _are_of_types(dropped) or not _is_stored(dropped):
        raise ExportBroken(f"{where}: the proof of a dropped file is malformed")
    return dropped


def _is_stored(dropped: DroppedFile) -> bool:
    """Whether the values fit into their columns."""
    try:
        has_zone = datetime.fromisoformat(dropped.droppedAt).tzinfo is not None
    except ValueError:
        return False
    lengths = len(dropped.kind) <= MAX_KIND and len(dropped.rule) <= MAX_RULE
    digits = _SHA256.fullmatch(dropped.sha256) is not None
    return has_zone and lengths and digits and 0 <= dropped.size <= MAX_FILE


def _entry(value: Any) -> Entry:
    try:
        entry = Entry(**value)
    except TypeError:
        entry = None
    if entry is None or not _are_of_types(entry) or entry.rows < 0 or entry.size < 0:
        raise ExportBroken(f"{MANIFEST}: an entry is malformed")
    expected = _PART if entry.rows else _PACK
    if not expected.fullmatch(entry.name):
        raise ExportBroken(f"{MANIFEST}: {entry.name[:200]!r} is not the name of an entry")
    return entry


def family_of(entry: Entry) -> str:
    """The family of a part."""
    found = _PART.fullmatch(entry.name)
    return found[1] if found else ""


def _are_of_types(record: Entry | FilePlace | DroppedFile) -> bool:
    kinds = {"str": str, "int": int}
    return all(type(getattr(record, f.name)) is kinds[str(f.type)] for f in fields(record))


def _list(value: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, list) or len(value) > MAX_ENTRIES:
        raise ExportBroken(f"{MANIFEST}: its entries are no list, or too many")
    if not all(isinstance(each, dict) for each in value):
        raise ExportBroken(f"{MANIFEST}: an entry is malformed")
    return value


def _repeated(names: Sequence[str]) -> str | None:
    """A name that is there more than once."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _guarded(where: str, read: Callable[[], R]) -> R:
    """The result of reading the archive; its faults become ExportBroken."""
    try:
        return read()
    except _FAULTS as fault:
        raise ExportBroken(f"{where}: {str(fault)[:200] or type(fault).__name__}") from fault
