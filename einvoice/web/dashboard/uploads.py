"""Files of forms, and of ZIPs among them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from flask import request
from werkzeug.datastructures import FileStorage, MultiDict

from einvoice.web import concurrency

MAX_UNPACKED = 64 * 1024 * 1024  # bytes of the files of a form, those of its ZIPs unpacked
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
    with concurrency.receiving_body():
        return request.files


def files(field: str, most: int) -> Files:
    """At most so many files of a field, with those that its ZIPs hold, of MAX_UNPACKED at most.

    A ZIP that cannot be opened is a file of its own, which holds no invoice.
    """
    given = [each for each in uploaded().getlist(field) if each.filename]
    first: list[File] = []
    left, room = 0, MAX_UNPACKED
    for one in given:
        for file in _opened(one.filename or "", one.read(), most, room):
            if file is None or len(first) == most or len(file.content) > room:
                left += 1
            else:
                first.append(file)
                room -= len(file.content)
    return Files(first, left)


def _opened(name: str, content: bytes, most: int, room: int) -> list[File | None]:
    if not content.startswith(b"PK"):
        return [File(name, content)]
    try:
        return list(_unpacked(content, most, room))
    except _FAULTS:
        return [File(name, content)]


def _unpacked(content: bytes, most: int, room: int) -> Iterator[File | None]:
    """Its files in their order; None for each that is left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [each for each in archive.infolist() if _is_file(each)]
        for place, entry in enumerate(entries):
            if place >= most or room <= 0:
                yield None
                continue
            with archive.open(entry) as file:
                read = file.read(room + 1)
            room -= len(read)
            yield File(entry.filename.rpartition("/")[2], read) if room >= 0 else None


def _is_file(entry: zipfile.ZipInfo) -> bool:
    return not entry.is_dir() and not entry.filename.startswith("__MACOSX/")
