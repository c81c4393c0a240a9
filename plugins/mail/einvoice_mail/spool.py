"""Folders of received mails on disk, one of each address, until their bills are stored.

A mail is written beside its place, forced to disk and renamed, so a file is a whole mail. Its name
has how often it was opened: one that has stopped its reader three times is put aside.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAX_FILES: Final = 1000  # of an address
MAX_FOLDER_BYTES: Final = 1024 * 1024 * 1024
MAX_TRIES: Final = 3
ASIDE: Final = "aside"


class SpoolFull(Exception):
    """The folder of an address has as much as it may have."""


@dataclass(frozen=True, slots=True)
class Spool:
    """The folders of all addresses."""

    path: Path

    def folder(self, access_point: str, account: str) -> Folder:
        """The folder of an address, whose name was checked."""
        return Folder(self.path / access_point / account.lower())


@dataclass(frozen=True, slots=True)
class Folder:
    """The mails of one address."""

    path: Path

    def add(self, content: bytes) -> None:
        """Store a mail durably. Raises SpoolFull, OSError."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        sizes = [each.stat().st_size for each in self.path.glob("*.eml")]
        if len(sizes) >= MAX_FILES or sum(sizes) + len(content) > MAX_FOLDER_BYTES:
            raise SpoolFull
        name = uuid.uuid4().hex
        part = self.path / f"{name}.part"
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self.path / f"{name}.0.eml")
        self._forced()

    def waiting(self) -> list[str]:
        """The names of the mails, those that have waited longest first."""
        found = sorted(self.path.glob("*.eml"), key=lambda each: each.stat().st_mtime)
        return [each.name.partition(".")[0] for each in found]

    def opened(self, name: str) -> bytes | None:
        """The mail, counted as opened; None: it is not there, or was put aside."""
        for path in self.path.glob(f"{name}.*.eml"):
            tries = int(path.name.split(".")[1])
            if tries >= MAX_TRIES:
                (self.path / ASIDE).mkdir(exist_ok=True)
                path.rename(self.path / ASIDE / f"{name}.eml")
                return None
            opened = path.with_name(f"{name}.{tries + 1}.eml")
            path.rename(opened)
            return opened.read_bytes()
        return None

    def remove(self, names: Iterable[str]) -> None:
        """Remove mails whose bills are stored."""
        for name in names:
            if name.isalnum():
                for path in self.path.glob(f"{name}.*.eml"):
                    path.unlink(missing_ok=True)

    def _forced(self) -> None:
        handle = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
