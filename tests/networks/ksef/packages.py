"""Archives of invoices: packed and encrypted for exports, and unpacked from batches."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Mapping

from tests.networks.ksef import keys
from tests.networks.ksef.books import Session
from tests.networks.ksef.checking import Wrong
from tests.networks.ksef.sessions import decrypted

MAX_FILES = 10_000


def unpacked(session: Session) -> list[tuple[str, bytes]]:
    """(name, content) of the invoices of a batch. Raises Wrong with the status of the session."""
    assert session.key is not None
    plain = []
    for _, hashed, blob in session.parts:
        content = blob.content or b""
        if keys.digest(content) != hashed:
            raise Wrong(405)
        part = decrypted(content, session.key, session.vector)
        if part is None:
            raise Wrong(435)
        plain.append(part)
    archive = b"".join(plain)
    if (len(archive), keys.digest(archive)) != session.archive:
        raise Wrong(405)
    try:
        files = _tar(archive) if session.compression == "TarGz" else _zip(archive)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, OSError, EOFError) as fault:
        raise Wrong(430) from fault
    if len(files) > MAX_FILES:
        raise Wrong(420)
    return files


def _zip(archive: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return [(name, opened.read(name)) for name in opened.namelist()]


def _tar(archive: bytes) -> list[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as opened:
        members = [(each.name, opened.extractfile(each)) for each in opened]
        return [(name, content.read()) for name, content in members if content is not None]


def packed(files: Mapping[str, bytes], compression: str = "Zip") -> bytes:
    """An archive with files."""
    made = io.BytesIO()
    if compression == "TarGz":
        with tarfile.open(fileobj=made, mode="w:gz") as tar:
            for name, content in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    else:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    return made.getvalue()
