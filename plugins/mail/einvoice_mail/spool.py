"""Folders of received mails on disk, one of each address, until their bills are stored.

A mail is written beside its place, forced to disk and renamed, so a file is a whole mail. Its name
is a digest of its bytes, and how often it was opened: one that has stopped its reader three times
is put aside. A mail server that lost the answer sends the same bytes again: for a day after a mail
was removed it is known, and not stored again.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from einvoice import clock
from einvoice.network.checks import CheckResult, error, good, warning

MAX_FILES: Final = 1000  # of an address
MAX_FOLDER_BYTES: Final = 1024 * 1024 * 1024
MAX_TRIES: Final = 3
ASIDE: Final = "aside"
DONE: Final = "done"  # has an empty file for each mail that was removed
STALE_SECONDS: Final = 3600.0  # a mailbox is read twice a minute
_KNOWN: Final = timedelta(days=1)


class SpoolFull(Exception):
    """The folder of an address has as much as it may have."""


@dataclass(frozen=True, slots=True)
class SpoolState:
    """`oldest`: when the mail arrived that has waited longest, in Unix seconds."""

    waiting: int
    oldest: float | None
    aside: Sequence[Path]


def checked(spool: Spool) -> CheckResult:
    """Whether the mails that were taken are read."""
    state = spool.state()
    age = clock.now().timestamp() - state.oldest if state.oldest is not None else 0.0
    if age > STALE_SECONDS:
        return error(
            f"{state.waiting} mails wait for workers, the oldest for {age / 3600:.1f} hours: run "
            f"einvoice worker plugins, and let it see {spool.path} (EINVOICE_MAIL_IN_SPOOL)."
        )
    if state.aside:
        return warning(
            f"{len(state.aside)} mails stopped their reader three times and lie aside, such as "
            f"{state.aside[0]}: look at them, tell us, and delete them."
        )
    return good(f"{state.waiting} mails wait for workers.")


def _time_of(mail: Path) -> float | None:
    """When it was written; None: it has just been read and removed."""
    try:
        return clock.written_at(mail.stat().st_mtime).timestamp()
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class Spool:
    """The folders of all addresses."""

    path: Path

    def state(self) -> SpoolState:
        """The mails that wait, and those that were put aside, at all addresses."""
        found = map(_time_of, self.path.glob("*/*/*.eml"))
        waiting = [each for each in found if each is not None]
        aside = sorted(self.path.glob(f"*/*/{ASIDE}/*.eml"))
        return SpoolState(len(waiting), min(waiting, default=None), aside)

    def folder(self, access_point: str, account: str) -> Folder:
        """The folder of an address, whose name was checked."""
        return Folder(self.path / access_point / account.lower())


@dataclass(frozen=True, slots=True)
class Folder:
    """The mails of one address."""

    path: Path

    def add(self, content: bytes) -> None:
        """Store a mail durably, once. Raises SpoolFull, OSError."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = hashlib.sha256(content).hexdigest()[:40]
        waiting = self._waiting()
        if name in waiting or self._was_removed(name):
            return
        sizes = [each.st_size for each in waiting.values()]
        if len(sizes) >= MAX_FILES or sum(sizes) + len(content) > MAX_FOLDER_BYTES:
            raise SpoolFull
        part = self.path / f"{uuid.uuid4().hex}.part"
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.rename(self.path / f"{name}.0.eml")
        self._forced()

    def _was_removed(self, name: str) -> bool:
        return (self.path / DONE / name).exists() or (self.path / ASIDE / f"{name}.eml").exists()

    def waiting(self) -> list[str]:
        """The names of the mails, those that have waited longest first."""
        found = self._waiting()
        return sorted(found, key=lambda name: found[name].st_mtime_ns)

    def _waiting(self) -> dict[str, os.stat_result]:
        if not self.path.exists():
            return {}
        with os.scandir(self.path) as entries:
            files = [each for each in entries if each.name.endswith(".eml")]
        return {each.name.partition(".")[0]: each.stat() for each in files}

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
        removed = [each for each in names if each.isalnum()]
        for name in removed:
            for path in self.path.glob(f"{name}.*.eml"):
                (self.path / DONE).mkdir(exist_ok=True)
                (self.path / DONE / name).touch()
                path.unlink(missing_ok=True)
        if removed:
            self._forget()

    def _forget(self) -> None:
        """Forget the mails that were removed a day ago, and remove files that a crash has left."""
        oldest = clock.now() - _KNOWN
        for each in (*self.path.glob(f"{DONE}/*"), *self.path.glob("*.part")):
            if clock.written_at(each.stat().st_mtime) < oldest:
                each.unlink(missing_ok=True)

    def _forced(self) -> None:
        handle = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
