"""Waiting until something is so."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(is_true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.2)
