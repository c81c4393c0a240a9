"""Files of metrics that a full disk does not turn into a crash.

prometheus_client maps a sparse file into memory. Writing to a page that the disk has no room for
ends the process with SIGBUS. Here the room is reserved before a page is used; where there is none,
the process keeps its metrics to itself and goes on: a count is never worth a process.
"""

from __future__ import annotations

import mmap
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

from einvoice.observability import logging

log = logging.get(__name__)

INITIAL_BYTES = 1 << 16
# What an entry needs beside its key: length, padding, value and time.
_ENTRY_BYTES = 32
_HEADER = struct.Struct("i")


def install() -> None:
    """Use these files for all metrics. Call it before the first metric is created."""
    values.MmapedDict = MetricFile  # type: ignore[attr-defined]


class MetricFile(MmapedDict):
    """The values of a process in a file with reserved room, or in memory if there is none."""

    _f: BinaryIO | None  # type: ignore[assignment]
    _m: mmap.mmap
    _capacity: int
    _used: int
    _positions: dict[str, int]

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        try:
            if not read_mode:
                _reserve(Path(filename))
            super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]
        except OSError as fault:
            if read_mode:
                raise
            self._begin_in_memory(filename, fault)

    def _begin_in_memory(self, filename: str, fault: OSError) -> None:
        self._fname, self._f = filename, None
        self._m, self._capacity = mmap.mmap(-1, INITIAL_BYTES), INITIAL_BYTES
        self._positions, self._used = {}, _HEADER.size * 2
        self._m[: _HEADER.size] = _HEADER.pack(self._used)
        _say_lost(filename, fault)

    @property
    def is_shared(self) -> bool:
        """Whether other processes can read the values in the file."""
        return self._f is not None

    def _init_value(self, key: str) -> None:
        while self._used + len(key.encode()) + _ENTRY_BYTES > self._capacity:
            self._grow(self._capacity * 2)
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def _grow(self, capacity: int) -> None:
        if self._f is not None:
            try:
                _allocate(self._f.fileno(), capacity)
                self._m = mmap.mmap(self._f.fileno(), capacity)
            except OSError as fault:
                _say_lost(self._fname, fault)
                self._f.close()
                self._f = None  # the file keeps what it has
        if self._f is None:
            larger = mmap.mmap(-1, capacity)
            larger[: self._used] = self._m[: self._used]
            self._m = larger
        self._capacity = capacity


def _reserve(path: Path) -> None:
    """Reserve the room of the file. Raises OSError, and leaves no empty file behind."""
    with path.open("a+b") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            _allocate(file.fileno(), max(size, INITIAL_BYTES))
        except OSError:
            if size == 0:
                with suppress(OSError):
                    path.unlink()
            raise


def _allocate(file: int, size: int) -> None:
    """Reserve the first `size` bytes of the file on its disk; what is there stays."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    there = os.fstat(file).st_size  # macOS
    os.pwrite(file, bytes(max(0, size - there)), there)


def _say_lost(filename: str, fault: OSError) -> None:
    name = Path(filename).name
    log.warning("metrics of this process are not shared", file=name, fault=fault.strerror)
