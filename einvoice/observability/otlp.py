"""Spans by OpenTelemetry's SDK, sent as OTLP over HTTP (the extra `otel`).

The SDK reads its own variables (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME,
OTEL_TRACES_SAMPLER, OTEL_BSP_… and others). Spans that have ended are queued in memory, at most
OTEL_BSP_MAX_QUEUE_SIZE (2,048), and sent by a thread; what finds the queue full is dropped. After a
fork the SDK starts the thread again in the child.
"""

from __future__ import annotations

import logging as library_logging
import threading
from collections.abc import Sequence
from datetime import timedelta
from importlib import import_module
from typing import Any

from einvoice import clock
from einvoice.domain.trace import Trace
from einvoice.observability import logging
from einvoice.observability.spans import Attributes, Kind, Recorder
from einvoice.release import RELEASE

# Modules of packages that need not be installed, as Any: types must not depend on them.
_trace: Any = import_module("opentelemetry.trace")
_context: Any = import_module("opentelemetry.context")
_sdk: Any = import_module("opentelemetry.sdk.trace")
_export: Any = import_module("opentelemetry.sdk.trace.export")
_resources: Any = import_module("opentelemetry.sdk.resources")
_http: Any = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")

log = logging.get(__name__)

EXIT_SECONDS = 2.0
_SILENCE = timedelta(minutes=10)  # between two log lines about spans that are not exported
_KINDS = {kind: _trace.SpanKind[kind.value] for kind in Kind}


def recorder() -> Recorder:
    """A recorder that exports. Raises ValueError if a variable of the SDK is invalid."""
    # The exporter reports each batch; `_ReportingExporter` reports changes. Some records of the
    # SDK quote variables, which may hold a credential.
    library_logging.getLogger("opentelemetry").setLevel(library_logging.CRITICAL)
    provider = _sdk.TracerProvider(resource=_resource(), shutdown_on_exit=False)
    exporter = _ReportingExporter(_http.OTLPSpanExporter())
    provider.add_span_processor(_export.BatchSpanProcessor(exporter))
    return OtlpRecorder(provider)


def _resource() -> Any:
    """Name and version of the service; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win."""
    ours = _resources.Resource({"service.name": "einvoice", "service.version": RELEASE})
    return ours.merge(_resources.OTELResourceDetector().detect())


class OtlpRecorder:
    """Spans of one provider."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("einvoice")

    def begin(self, name: str, kind: Kind, parent: Trace, at: int) -> OtlpSpan:
        context = _context_of(parent)
        span = self._tracer.start_span(name, context, kind=_KINDS[kind], start_time=at)
        return OtlpSpan(span, parent)

    def close(self) -> None:
        """Export what has ended, for EXIT_SECONDS at most, whatever the collector does."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(EXIT_SECONDS)


class OtlpSpan:
    """A span, and the trace of what it causes."""

    __slots__ = ("_span", "trace")

    def __init__(self, span: Any, parent: Trace) -> None:
        self._span = span
        self.trace = _trace_of(span.get_span_context(), parent)

    def end(self, attributes: Attributes, *, failed: bool = False, at: int | None = None) -> None:
        span = self._span
        if not span.is_recording():
            return
        span.set_attributes({name: v for name, v in attributes.items() if v is not None})
        if failed:
            span.set_status(_trace.StatusCode.ERROR)
        span.end(clock.nanoseconds() if at is None else at)


def _context_of(parent: Trace) -> Any:
    """The context of a span under this parent, or of a first span without a traceparent."""
    base = _context.Context()
    if parent.traceparent is None:
        return base
    _, trace_id, span_id, flags = parent.traceparent.split("-")
    above = _trace.SpanContext(
        int(trace_id, 16),
        int(span_id, 16),
        is_remote=True,
        trace_flags=_trace.TraceFlags(int(flags, 16)),
    )
    return _trace.set_span_in_context(_trace.NonRecordingSpan(above), base)


def _trace_of(context: Any, parent: Trace) -> Trace:
    if not context.is_valid:  # OTEL_SDK_DISABLED
        return parent
    made = f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
    return Trace(parent.request_id, made)


class _ReportingExporter:
    """An exporter that raises nothing, with a log line when it begins and ceases to fail."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._failing_since: float | None = None
        self._reported = 0.0

    def export(self, batch: Sequence[Any]) -> Any:
        fault = None
        try:
            result = self._exporter.export(batch)
        except Exception as raised:  # noqa: BLE001 - spans are lost, the service goes on
            result, fault = _export.SpanExportResult.FAILURE, type(raised).__name__
        self._report(well=result is _export.SpanExportResult.SUCCESS, fault=fault, lost=len(batch))
        return result

    def _report(self, *, well: bool, fault: str | None, lost: int) -> None:
        now = clock.monotonic()
        if well:
            if self._failing_since is not None:
                log.info("spans are exported again", after=round(now - self._failing_since))
            self._failing_since = None
        elif self._failing_since is None or now - self._reported >= _SILENCE.total_seconds():
            log.warning("spans are not exported", fault=fault, lost=lost)
            self._reported = now
            self._failing_since = now if self._failing_since is None else self._failing_since

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return bool(self._exporter.force_flush(timeout_millis))
