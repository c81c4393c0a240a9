"""Files of forms, and of ZIPs among them."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass

from flask import request
from werkzeug.datastructures import FileStorage, MultiDict

from einvoice.web.admission import request_bodies

MAX_UNPACKED = 64 * 1024 * 1024  # bytes of the files of a form, with its ZIPs unpacked
MAX_ENTRIES = 10_000  # files of the ZIPs of a form: reading their list takes 12 us for each
_PART_BYTES = 256 * 1024
_ZIP = b"PK"
_ENTRY = b"PK\x01\x02"  # begins each entry of the list (APPNOTE.TXT, 4.3.12)
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


@dataclass(frozen=True, slots=True)
class File:
    """A file by its own name; one of a ZIP by the name that it has there."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Files:
    """The first files of a form. `left`: how many more there are."""

    first: list[File]
    left: int


def uploaded() -> MultiDict[str, FileStorage]:
    """The files of the form that the request has, by their fields."""
    with request_bodies.receiving_body():
        return request.files


def files(field: str, most: int) -> Files:
    """At most so many files of a field, with those that its ZIPs hold, of MAX_UNPACKED at most.

    A ZIP that cannot be opened is a file of its own, which holds no invoice. One with which the
    ZIPs list more than MAX_ENTRIES files is left out.
    """
    taken = _Taken(most)
    for one in uploaded().getlist(field):
        if one.filename:
            taken.add(one.filename, one.read())
    return Files(taken.first, taken.left)


class _Taken:
    """The files that were taken of a form, and what may still be: `places` and `room` in bytes.

    What was unpacked is counted, also where it was not taken: it took as long.
    """

    def __init__(self, most: int) -> None:
        self.first: list[File] = []
        self.left = 0
        self._places, self._room, self._entries = most, MAX_UNPACKED, MAX_ENTRIES

    def add(self, name: str, content: bytes) -> None:
        """Take a file, or those that a ZIP holds."""
        listed = content.count(_ENTRY) if content.startswith(_ZIP) else 0
        self._entries -= listed
        if listed and self._entries < 0:
            self.left += listed
        elif listed and (unpacked := self._unpacked(content)) is not None:
            self.first += unpacked
            self._places -= len(unpacked)
        elif self._places <= 0 or len(content) > self._room:
            self.left += 1
        else:
            self.first.append(File(name, content))
            self._places -= 1
            self._room -= len(content)

    def _unpacked(self, content: bytes) -> list[File] | None:
        """The files of a ZIP in their order, as far as there is room; None if it is damaged."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                entries = [each for each in archive.infolist() if _is_file(each)]
                found = [self._read(archive, entry) for entry in entries[: max(self._places, 0)]]
        except _FAULTS:
            return None
        taken = [each for each in found if each is not None]
        self.left += len(entries) - len(taken)
        return taken

    def _read(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> File | None:
        if self._room < 0:
            return None
        parts: list[bytes] = []
        with archive.open(entry) as file:
            while self._room >= 0 and (part := file.read(min(_PART_BYTES, self._room + 1))):
                parts.append(part)
                self._room -= len(part)  # here, since the next part may be damaged
        name = entry.filename.rpartition("/")[2]
        return File(name, b"".join(parts)) if self._room >= 0 else None


def _is_file(entry: zipfile.ZipInfo) -> bool:
    return not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
