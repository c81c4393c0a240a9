"""The request that caused something: its id, and the W3C trace context that it came with.

>>> found = Trace.of("order-17", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
>>> found.trace_id
'0af7651916cd43dd8448eb211c80319c'
>>> Trace.parse(found.stored) == found
True
>>> Trace.of("order-17", "00-00000000000000000000000000000000-b7ad6b7169203331-01")
Trace(request_id='order-17', traceparent=None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Version 00 of https://www.w3.org/TR/trace-context/#traceparent-header; ids are not all zeros.
_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
MAX_STORED = 64 + 1 + 55


@dataclass(frozen=True, slots=True)
class Trace:
    """The id of a request (at most 64 characters, no spaces) and its `traceparent`, if any."""

    request_id: str
    traceparent: str | None = None

    @classmethod
    def of(cls, request_id: str, traceparent: str | None) -> Trace:
        """The trace of a request; a malformed `traceparent` is left out."""
        valid = traceparent is not None and _TRACEPARENT.fullmatch(traceparent)
        return cls(request_id, traceparent if valid else None)

    @classmethod
    def parse(cls, stored: str) -> Trace:
        """The trace whose text is `stored`."""
        request_id, _, traceparent = stored.partition(" ")
        return cls(request_id, traceparent or None)

    @property
    def stored(self) -> str:
        """One line of at most MAX_STORED characters."""
        return f"{self.request_id} {self.traceparent}" if self.traceparent else self.request_id

    @property
    def trace_id(self) -> str | None:
        """The trace id in `traceparent`: 32 hexadecimal digits."""
        return self.traceparent.split("-")[1] if self.traceparent else None
