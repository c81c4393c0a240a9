"""Memory that libraries in C hold, by the counters of glibc; tracemalloc sees Python's only."""

from __future__ import annotations

import ctypes

import pytest

_NAMES = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
          "fordblks", "keepcost")  # fmt: skip


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in _NAMES]


def allocated_bytes() -> int:
    """What is allocated and not freed, in all threads. Skips the test without glibc's counters."""
    read = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if read is None:
        pytest.skip("mallinfo2 of glibc 2.33 is missing")
    read.restype = _Mallinfo
    counters = read()
    return int(counters.uordblks + counters.hblkhd)
