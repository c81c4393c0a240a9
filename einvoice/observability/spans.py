"""Spans of requests, jobs, attempts and webhooks, if EINVOICE_TRACES says so.

A span begins under the trace of the request that caused it; `Span.trace` is what its own effects
are stored and sent with. Attributes are ids, slugs and numbers: no personal data, no content, no
secret. This module imports nothing of OpenTelemetry; observability/span_export installs a recorder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Protocol

from einvoice import clock
from einvoice.domain.trace import Trace

Attributes = Mapping[str, str | int | bool | None]


class Kind(StrEnum):
    """How a span relates to its parent, as OpenTelemetry names it."""

    SERVER = "SERVER"
    CONSUMER = "CONSUMER"
    CLIENT = "CLIENT"
    INTERNAL = "INTERNAL"


class Span(Protocol):
    """A span that has begun."""

    @property
    def trace(self) -> Trace:
        """The trace of what the span causes: the request's id, and the span as parent."""

    def end(self, attributes: Attributes, *, failed: bool = False, at: int | None = None) -> None:
        """End the span. Attributes that are None are left out; `at` is as in `begin`."""


class Recorder(Protocol):
    """Makes spans and exports them. Its methods neither wait nor raise."""

    def begin(self, name: str, kind: Kind, parent: Trace, at: int) -> Span:
        """Begin a span under the parent, or the first one of a trace."""

    def close(self) -> None:
        """Export what has ended, within a few seconds."""


_recorder: Recorder | None = None
_JOB_BEGAN: ContextVar[int | None] = ContextVar("job_began", default=None)


def use(recorder: Recorder | None) -> None:
    """Record spans of this process, or none."""
    global _recorder
    _recorder = recorder


def is_on() -> bool:
    """Whether spans are recorded."""
    return _recorder is not None


def begin(name: str, kind: Kind, parent: Trace | None, *, at: int | None = None) -> Span | None:
    """Begin a span; None if spans are off, or nothing is known of the request that caused it.

    at  nanoseconds since 1970; None: now
    """
    if _recorder is None or parent is None:
        return None
    return _recorder.begin(name, kind, parent, clock.nanoseconds() if at is None else at)


def close() -> None:
    """Export what has ended. Call it when the process ends; it takes at most a few seconds."""
    if _recorder is not None:
        _recorder.close()


@contextmanager
def job() -> Iterator[None]:
    """Within the block spans of what a job does begin with the job."""
    reset = _JOB_BEGAN.set(clock.nanoseconds())
    try:
        yield
    finally:
        _JOB_BEGAN.reset(reset)


def job_began() -> int | None:
    """When the job of this context began, in nanoseconds since 1970; None outside of a job."""
    return _JOB_BEGAN.get()
