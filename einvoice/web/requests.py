"""Request ids, ids in paths, and the headers of every response (decisions 1, 19.8)."""

from __future__ import annotations

import ipaddress
import re
import uuid
from typing import Any

from flask import Flask, Response, g, request

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.trace import Trace
from einvoice.observability import logging, metrics, spans, tracing
from einvoice.observability.spans import Kind, Span
from einvoice.web.fields import stored_id

log = logging.get(__name__)

# The key of the WSGI environment for when a request of a group (web/serving/grouped_sends) began to
# wait.
BEGAN = "einvoice.began"
# A platform names a tenant by its own id, whose letters it may have chosen to be capitals.
_OF_PLATFORMS, _NAMED_BY_CALLER = "platform_", "tenant"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_WITHOUT_SPAN = frozenset({"/healthz", "/readyz"})
_VALID = re.compile(r"[A-Za-z0-9._\-]{1,64}", re.ASCII)


def init_app(app: Flask, settings: Settings) -> None:
    @app.before_request
    def _name_the_request() -> None:
        environ, headers = request.environ, request.headers
        given = headers.get("X-Request-Id", "")
        name = given if _VALID.fullmatch(given) else str(uuid.uuid4())
        trace = Trace.of(name, headers.get("traceparent"))
        g.began = environ.get(BEGAN) or clock.monotonic()
        g.request_id, g.trace = name, trace
        tracing.bind(trace)

    @app.url_value_preprocessor
    def _find_by_any_spelling(endpoint: str | None, values: dict[str, Any] | None) -> None:
        if values:
            kept = _NAMED_BY_CALLER if (endpoint or "").startswith(_OF_PLATFORMS) else None
            ours = {name: value for name, value in values.items() if name != kept}
            values.update({name: stored_id(value) for name, value in ours.items()})

    @app.after_request
    def _common_headers(response: Response) -> Response:
        response.headers.add("X-Request-Id", request_id())
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.setdefault("Cache-Control", "no-store")
        if response.status_code == 204:  # an empty response has no type
            del response.headers["Content-Type"]
        if settings.production:
            response.headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
        seconds = _seconds()
        # One that a program rehearses with (web/sandbox_problems) is no fault of the service.
        status = "provoked" if g.get("is_provoked") else str(response.status_code)
        metrics.request_answered(request.endpoint or "none", _method(), status, seconds)
        if settings.access_log:
            _log(response, seconds)
        return response

    @app.teardown_request
    def _forget(_: BaseException | None) -> None:
        tracing.unbind()

    if settings.traces:  # without, requests have no hook of spans
        app.before_request(_begin_span)
        app.after_request(_end_span)


def _seconds() -> float:
    """Seconds since the request began."""
    began: float | None = g.get("began")
    return 0.0 if began is None else clock.monotonic() - began


def _method() -> str:
    method = request.method
    return method if method in _METHODS else "other"


def _route() -> str | None:
    """The pattern of the address, never the path, which may contain a secret."""
    return request.url_rule.rule if request.url_rule else None


def _tenant() -> str | None:
    reader = g.get("session") or g.get("principal")
    return reader.tenant_id if reader else None


def _log(response: Response, seconds: float) -> None:
    """The line of the access log."""
    log.info(
        "request answered",
        method=_method(),
        route=_route() or "none",
        status=response.status_code,
        ms=round(seconds * 1000, 1),
        tenant=_tenant(),
    )


def _begin_span() -> None:
    """Begin the span of the request, as of the moment it began to wait. Health checks have none.

    What the request causes is stored and sent with the span as parent.
    """
    route = _route()
    if route in _WITHOUT_SPAN:
        return
    began = clock.nanoseconds() - round(_seconds() * 1e9)
    name = f"{_method()} {route}" if route else _method()
    span = spans.begin(name, Kind.SERVER, trace_of_request(), at=began)
    if span is not None:
        g.span, g.trace = span, span.trace
        tracing.bind(span.trace)


def _end_span(response: Response) -> Response:
    span: Span | None = g.get("span")
    if span is not None:
        attributes = {
            "http.request.method": _method(),
            "http.route": _route(),
            "http.response.status_code": response.status_code,
            "einvoice.tenant": _tenant(),
        }
        span.end(attributes, failed=response.status_code >= 500)
    return response


def request_id() -> str:
    """The id of the current request."""
    found: str = g.get("request_id") or str(uuid.uuid4())
    return found


def trace_of_request() -> Trace | None:
    """The id and trace context of the current request; None before the request has an id."""
    found: Trace | None = g.get("trace")
    return found


def client_network() -> str | None:
    """The network the request comes from: an IPv4 address, or the /64 of an IPv6 address.

    A household has a whole /64. None if the address is unknown: the request arrived over a socket
    from a proxy that does not forward the client's address.
    """
    return network_of(request.remote_addr) if request.remote_addr else None


def network_of(address: str) -> str:
    """The network as which an address is counted; other text stays unchanged.

    >>> network_of("2001:db8:0:1::7")
    '2001:db8:0:1::/64'
    >>> network_of("::ffff:192.0.2.9")
    '192.0.2.9'
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        return str(found.ipv4_mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)
