"""The slot in which a request computes, as services see it.

A web process has few slots and more threads (web/admission/slots). Services that wait in a request
release its slot; in workers and commands there is none.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Slot(Protocol):
    """The slot of whatever request runs in this thread."""

    def released(self) -> AbstractContextManager[None]:
        """Surrounds a wait for a network, an outcome or a client: other requests compute."""


class NoSlot:
    """Where nothing bounds how many compute."""

    def released(self) -> AbstractContextManager[None]:
        return nullcontext()


NO_SLOT = NoSlot()
