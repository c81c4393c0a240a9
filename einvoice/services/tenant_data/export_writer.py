"""Writing an export: a ZIP of JSON Lines and packs of files (docs/export.md).

Memory does not grow with the tenant. Rows are written in parts, and files in packs, which are ZIP
archives themselves: the directory of one archive with all files would be held in memory until its
end, by who writes it and by everyone who opens it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from einvoice.archive.directory import synchronise
from einvoice.domain.errors import DocumentDropped

FORMAT, VERSION = "einvoice-tenant-export", 1
MANIFEST = "manifest.json"
MAX_PART_ROWS = 2_000
MAX_PART_BYTES = 4 * 1024 * 1024  # reached by the last row of a part
MAX_PACK_FILES = 1_000
MAX_PACK_BYTES = 32 * 1024 * 1024  # reached by the last file of a pack
_CHUNK = 1024 * 1024
_COMPRESSED = (
    "application/pdf", "application/zip", "application/gzip", "image/jpeg", "image/png",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the archive. `rows`: of a part; 0 for a pack."""

    name: str
    size: int
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a file is: its name in a pack, with its size and digest."""

    pack: str
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DroppedFile:
    """A file whose bytes were dropped at the end of their retention: what they were, and why.

    droppedAt  RFC 3339, in UTC
    """

    kind: str
    sha256: str
    size: int
    rule: str
    droppedAt: str  # noqa: N815 - the name of a member


def proof_of(dropped: DocumentDropped) -> DroppedFile:
    """The record of bytes that were dropped."""
    return DroppedFile(dropped.kind, dropped.sha256, dropped.size, dropped.rule, dropped.dropped_at)


def appear(draft: Path, path: Path) -> None:
    """Give a finished file its name, durably: what it has may be deleted here afterwards."""
    synchronise(draft)
    draft.replace(path)
    synchronise(path.parent)


class _Part:
    """Rows of a family that are not written yet."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.size = 0
        self.written = 0  # parts

    @property
    def is_full(self) -> bool:
        return len(self.lines) >= MAX_PART_ROWS or self.size >= MAX_PART_BYTES


class ExportWriter:
    """Writes one export; `finish` writes what is left, and the manifest at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._entries: list[Entry] = []
        self._parts: dict[str, _Part] = {}
        self._packs = 0
        self._pack: zipfile.ZipFile | None = None
        self._pack_file: IO[bytes] = tempfile.SpooledTemporaryFile(MAX_PACK_BYTES)  # noqa: SIM115
        self._pack_size = 0

    def row(self, family: str, row: Mapping[str, Any]) -> None:
        """Add a row of a family; parts are written as they fill."""
        part = self._parts.setdefault(family, _Part())
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        part.lines.append(line)
        part.size += len(line)
        if part.is_full:
            self._write_part(family, part)

    def file(self, name: str, content: bytes, content_type: str = "") -> FilePlace:
        """Add a file to the open pack."""
        if self._pack is None:
            self._pack = zipfile.ZipFile(self._pack_file, "w", compresslevel=1)
        how = zipfile.ZIP_STORED if content_type in _COMPRESSED else zipfile.ZIP_DEFLATED
        self._pack.writestr(_new_entry(name), content, compress_type=how)
        self._pack_size += len(content)
        place = FilePlace(f"files/{self._packs + 1:06d}.zip", name, len(content), _sha256(content))
        if len(self._pack.filelist) >= MAX_PACK_FILES or self._pack_size >= MAX_PACK_BYTES:
            self._write_pack()
        return place

    def finish(self, about: Mapping[str, Any]) -> str:
        """Write what is left and the manifest with these members; its SHA-256."""
        for family, part in self._parts.items():
            if part.lines:
                self._write_part(family, part)
        self._write_pack()
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            **about,
            "entries": [asdict(entry) for entry in self._entries],
        }
        content = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        self._archive.writestr(_new_entry(MANIFEST), content)
        return _sha256(content)

    def release(self) -> None:
        """Release what is open. Without `finish` before, the file has no manifest."""
        if self._pack is not None:
            self._pack.close()
        self._pack_file.close()
        self._archive.close()

    def _write_part(self, family: str, part: _Part) -> None:
        part.written += 1
        name = f"tables/{family}/{part.written:06d}.jsonl"
        content = b"".join(part.lines)
        self._archive.writestr(_new_entry(name), content)
        self._entries.append(Entry(name, len(content), _sha256(content), len(part.lines)))
        part.lines, part.size = [], 0

    def _write_pack(self) -> None:
        if self._pack is None:
            return
        self._pack.close()
        self._packs += 1
        name = f"files/{self._packs:06d}.zip"
        digest, size = hashlib.sha256(), 0
        self._pack_file.seek(0)
        entry = _new_entry(name, zipfile.ZIP_STORED)
        with self._archive.open(entry, "w", force_zip64=True) as target:
            for chunk in _chunks(self._pack_file):
                digest.update(chunk)
                size += target.write(chunk)
        self._entries.append(Entry(name, size, digest.hexdigest(), 0))
        self._pack_file.seek(0)
        self._pack_file.truncate()
        self._pack, self._pack_size = None, 0


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _new_entry(name: str, how: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """An entry without a time, so that equal data are equal bytes."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = how
    entry.external_attr = 0o600 << 16
    return entry


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def export_writer(file: IO[bytes]) -> Iterator[ExportWriter]:
    """An ExportWriter that releases its files when the block fails."""
    writer = ExportWriter(file)
    try:
        yield writer
    finally:
        writer.release()
