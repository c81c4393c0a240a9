"""Large bodies of endpoints of plugins: in files; one endpoint has a few at once.

A body is in memory up to `MEMORY_BYTES`, and beyond that on disk, in a file without a name. The
bound is a number of files on disk: small bodies of other senders go on arriving beside large ones.
"""

from __future__ import annotations

import tempfile
import threading
from typing import IO

from einvoice.domain.errors import TooBusy
from einvoice.share import Limit, Share

MEMORY_BYTES = 1024**2

_on_disk: dict[tuple[str, int], Share[None, threading.Lock]] = {}


def limit_of_files(at_once: int) -> Limit:
    """Files of one endpoint on disk."""
    return Limit(at_once)


class Spool:
    """The body of one request for an endpoint. `at_once`: files of this endpoint in the process."""

    def __init__(self, endpoint: str, at_once: int) -> None:
        made = Share[None, threading.Lock](limit_of_files(at_once))
        self._files = _on_disk.setdefault((endpoint, at_once), made)
        self._counted = False
        self.length = 0
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(MEMORY_BYTES)  # noqa: SIM115 `close`

    def write(self, part: bytes) -> None:
        """Add a part. Raises TooBusy if there is no file left for it, or no room on the disk."""
        self.length += len(part)
        if self.length > MEMORY_BYTES and not self._counted:
            self._take_share()
        try:
            self.file.write(part)
        except OSError as fault:
            raise TooBusy("The body cannot be stored now.") from fault

    def rewound(self) -> IO[bytes]:
        """The file, at its beginning."""
        self.file.seek(0)
        return self.file

    def close(self) -> None:
        """Delete the file. May be called twice."""
        self.file.close()
        if self._counted:
            self._counted = False
            self._files.release(None)

    def _take_share(self) -> None:
        if not self._files.enter(None):
            raise TooBusy(f"This address takes {self._files.limit.in_all} large bodies at once.")
        self._counted = True
