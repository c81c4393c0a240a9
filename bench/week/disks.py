"""The disk of the data directory: small, so that it can be full. Needs the right to mount."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEGABYTES = 300  # `einvoice doctor` asks for 200 of them to be free
_CHUNK = b"\0" * 65_536


@dataclass(frozen=True)
class Disk:
    """A directory. `is_small`: on a disk of its own, and not just a directory."""

    path: Path
    is_small: bool

    @property
    def _ballast(self) -> Path:
        return self.path / "ballast"

    def fill(self) -> None:
        """Leave no byte free."""
        with contextlib.suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while self.is_small:
                file.write(_CHUNK)

    def clear(self) -> None:
        """Make room again."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def disk(path: Path) -> Iterator[Disk]:
    """A small disk at the path; gone afterwards."""
    path.mkdir(mode=0o700)
    mounted = _mount(
        "mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m,mode=0700", "tmpfs", str(path)
    )
    try:
        yield Disk(path, mounted)
    finally:
        if mounted:
            _mount("umount", "-l", str(path))


def _mount(*command: str) -> bool:
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
