"""The trace of the causing request, in log lines and in what a network hands over.

Log lines have the request id as `request` and the trace id of its `traceparent` as `trace_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

import structlog

from einvoice.domain.trace import Trace

_ARRIVING: ContextVar[Trace | None] = ContextVar("arriving", default=None)


def fields(trace: Trace | None) -> dict[str, str]:
    """The fields of a log line about something that the request caused."""
    if trace is None:
        return {}
    named = {"request": trace.request_id}
    return named | {"trace_id": trace.trace_id} if trace.trace_id else named


def bound(trace: Trace | None) -> AbstractContextManager[None]:
    """Within the block log lines of this context have the fields of the trace."""
    return structlog.contextvars.bound_contextvars(**fields(trace))


def bind(trace: Trace) -> None:
    """Add the fields of the trace to the log lines of this context, until `unbind`."""
    structlog.contextvars.bind_contextvars(**fields(trace))


def unbind() -> None:
    """Remove the fields of a trace from the log lines of this context."""
    structlog.contextvars.unbind_contextvars("request", "trace_id")


@contextmanager
def arriving(trace: Trace | None) -> Iterator[None]:
    """Within the block documents are received by the request of this trace."""
    reset = _ARRIVING.set(trace)
    try:
        yield
    finally:
        _ARRIVING.reset(reset)


def of_arrival() -> Trace | None:
    """The trace of the request that hands a document over; None if the service fetched it."""
    return _ARRIVING.get()
