"""Objects as files below a directory, such as a mounted file system with snapshots.

A file is written beside its place, synchronised, read back and then linked: it appears whole or
not at all. A file system keeps no retention dates; the service does.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from einvoice.archive.objects import ObjectMissing, StoreFault

_DRAFTS = ".drafts"
# What a mounted file system says that cannot make the entries of a directory durable by themselves.
_NOT_OF_DIRECTORIES = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EACCES}


class DirectoryStore:
    """Files in directories of a tenant and the first two digits of the SHA-256."""

    name = "directory"

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, key: str, packed: bytes, retain_until: date | None) -> None:
        with _faults(self._root):
            self._refuse_absent()
            path = self._root / key
            if not path.exists():
                self._write(path, packed)
            for directory in (path.parent, path.parent.parent, self._root):
                synchronise(directory)

    def _write(self, path: Path, packed: bytes) -> None:
        draft = self._draft(packed)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):  # another process was first
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)

    def _draft(self, packed: bytes) -> Path:
        drafts = self._root / _DRAFTS
        drafts.mkdir(mode=0o700, exist_ok=True)
        draft = drafts / f"{os.getpid()}-{secrets.token_hex(8)}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
        with os.fdopen(descriptor, "wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
        return draft

    def get(self, key: str) -> bytes:
        with _faults(self._root):
            try:
                return (self._root / key).read_bytes()
            except FileNotFoundError as fault:
                self._refuse_absent()
                raise ObjectMissing(key) from fault

    def _refuse_absent(self) -> None:
        """A disk that is not mounted must not look like an empty one, nor be written below."""
        if not self._root.is_dir():
            raise StoreFault(f"the archive directory {self._root} is not there")

    def delete(self, key: str) -> None:
        with _faults(self._root):
            (self._root / key).unlink(missing_ok=True)

    def problems(self) -> list[str]:
        if not self._root.is_dir():
            return [f"EINVOICE_ARCHIVE_DIRECTORY: {self._root} is not a directory"]
        try:
            with _faults(self._root):
                self._draft(b"einvoice doctor").unlink()
        except StoreFault as fault:
            return [str(fault)]
        return []


def synchronise(path: Path) -> None:
    """Make a file, or the entries of a directory, durable.

    Not every file system that is mounted can do the latter, which is passed over. Raises OSError,
    also for a directory: a disk that is broken or full is no matter of its kind.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as fault:
        if fault.errno not in _NOT_OF_DIRECTORIES or not path.is_dir():
            raise


@contextmanager
def _faults(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise StoreFault(f"the archive directory {root}: {fault.strerror}") from fault
