"""A receiver of OTLP over HTTP on loopback, which keeps the spans that it is sent."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it was sent, with the attributes of its resource. Ids are hexadecimal."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    kind: int
    start: int
    end: int
    failed: bool
    attributes: dict[str, Any]
    resource: dict[str, Any]

    @property
    def traceparent(self) -> str:
        """The begin of the traceparent of what the span causes, without its flags."""
        return f"00-{self.trace_id}-{self.span_id}-"


@dataclass
class Collector:
    """`bodies` are the requests; `silent` set, they get no answer."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)
    silent: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environ(self) -> dict[str, str]:
        """The variables of a process that sends its spans here, soon after they end."""
        return {
            "EINVOICE_TRACES": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    @property
    def spans(self) -> list[ReceivedSpan]:
        return [span for body in list(self.bodies) for span in _spans_of(body)]


def _spans_of(body: bytes) -> Iterator[ReceivedSpan]:
    for group in ExportTraceServiceRequest.FromString(body).resource_spans:
        resource = _values(group.resource.attributes)
        for span in (span for scope in group.scope_spans for span in scope.spans):
            yield ReceivedSpan(
                span.name,
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex(),
                span.kind,
                span.start_time_unix_nano,
                span.end_time_unix_nano,
                span.status.code == 2,
                _values(span.attributes),
                resource,
            )


def _values(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that answers as one does, at `/v1/traces`."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if collector.silent.is_set():
                collector.ended.wait()
                return
            assert self.path == "/v1/traces"
            compressed = self.headers.get("content-encoding") == "gzip"
            collector.bodies.append(gzip.decompress(body) if compressed else body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
