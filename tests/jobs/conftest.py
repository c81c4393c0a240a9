from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def handlers() -> Iterator[None]:
    """Restore the signal handlers that RQ replaces."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
