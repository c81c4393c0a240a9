"""Whether web and the workers that write exports share a directory.

Each worker of the lane `plugins` keeps a file with a name of its own in its directory of exports,
and notes the name in the database. Web refuses an export while it does not see the file of a
worker that noted one lately: the worker's directory is another one, as in pods without a shared
volume, and nobody could download what it writes.
"""

from __future__ import annotations

import socket
import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import ExportsNotShared
from einvoice.observability import logging
from einvoice.store.core import db
from einvoice.store.installation import service_states

log = logging.get(__name__)

ANNOUNCE_SECONDS: Final = 60.0
SILENT_AFTER: Final = timedelta(minutes=5)  # the worker has ended
_NOTE, _MARK = "exports:", ".worker-"


class ExportPlace:
    """The directory of one worker process."""

    def __init__(self, settings: Settings) -> None:
        self._directory = settings.export_path
        self._name = uuid.uuid4().hex
        self._next = 0.0

    def announce(self) -> None:
        """Note the directory, once in ANNOUNCE_SECONDS. Raises OSError, SQLAlchemyError."""
        if clock.monotonic() < self._next:
            return
        self._next = clock.monotonic() + ANNOUNCE_SECONDS
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._directory / f"{_MARK}{self._name}").touch(mode=0o600)
        now = clock.now()
        with db.writing() as connection:
            service_states.forget(connection, _NOTE, now - clock.lasting(SILENT_AFTER))
            service_states.write(
                connection, _NOTE + self._name, now, {"host": socket.gethostname()}
            )

    def leave(self) -> None:
        """The worker ends: nothing is written here any more."""
        with suppress(OSError):
            (self._directory / f"{_MARK}{self._name}").unlink(missing_ok=True)
        with db.writing() as connection:
            service_states.forget(
                connection, _NOTE + self._name, clock.now() + clock.lasting(SILENT_AFTER)
            )


def unseen(settings: Settings) -> list[str]:
    """The hosts of workers that write into directories that this process does not see."""
    oldest = clock.now() - clock.lasting(SILENT_AFTER)
    return [
        str((note.value or {}).get("host", "?"))
        for note in service_states.find(_NOTE)
        if note.noted_at >= oldest
        and not (settings.export_path / f"{_MARK}{note.name.removeprefix(_NOTE)}").exists()
    ]


def check(settings: Settings) -> None:
    """Raises ExportsNotShared if what a worker writes cannot be downloaded here."""
    hosts = unseen(settings)
    if hosts:
        log.error("exports refused: a worker has another directory", hosts=hosts)
        raise ExportsNotShared(
            "Exports cannot be made at this installation: its workers write them where they cannot "
            "be downloaded. Ask its operator, who finds the reason with einvoice doctor."
        )
