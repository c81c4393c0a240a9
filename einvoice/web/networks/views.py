"""Requests below /networks/, handed to the endpoint of a plugin within the endpoint's limits."""

from __future__ import annotations

from typing import IO

from flask import Response, request

from einvoice.domain.errors import NotFound, TooBusy
from einvoice.network import calls
from einvoice.network.endpoints import Endpoint
from einvoice.network.endpoints import Request as PushedRequest
from einvoice.network.endpoints import Response as PushedResponse
from einvoice.observability import tracing
from einvoice.web import credentials, limits
from einvoice.web.admission import request_bodies, slots
from einvoice.web.api import Family
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime

family = Family(
    "networks",
    __name__,
    url_prefix="/networks",
    credential=credentials.public,
    tag="",
    ids_only=False,
)  # no route of it is in the document

_METHODS = ["GET", "POST", "PUT", "DELETE"]


@family.unlisted("/<name>/", methods=_METHODS, defaults={"rest": ""}, strict_slashes=False)
@family.unlisted("/<name>/<path:rest>", methods=_METHODS)
@limits.per_network(lambda: f"networks/{_name()}", lambda: _endpoint(_name()).per_minute)
def call_endpoint(name: str, rest: str) -> Response:
    """Call the endpoint of the plugin; other requests compute meanwhile."""
    endpoint = _endpoint(name)
    request.max_content_length = endpoint.max_bytes
    if endpoint.spooled:
        with request_bodies.request_file(endpoint.name, endpoint.at_once) as file:
            return _called(endpoint, _pushed(rest, file=file))
    return _called(endpoint, _pushed(rest, body=request_bodies.request_body(as_sent=True)))


def _pushed(rest: str, *, body: bytes = b"", file: IO[bytes] | None = None) -> PushedRequest:
    return PushedRequest(
        method=request.method,
        path=f"/{rest}",
        body=body,
        query=request.args.to_dict(),
        headers={name.lower(): value for name, value in request.headers.items()},
        remote=request.remote_addr,
        file=file,
    )


def _called(endpoint: Endpoint, pushed: PushedRequest) -> Response:
    with slots.released(), tracing.arriving(trace_of_request()):
        answer = _answer(endpoint, pushed)
    response = Response(answer.body, answer.status, content_type=answer.content_type)
    response.headers.update(dict(answer.headers))
    return response


def _answer(endpoint: Endpoint, pushed: PushedRequest) -> PushedResponse:
    try:
        return calls.endpoints.call(
            endpoint.name, lambda: endpoint.answer(pushed), calls.ENDPOINT_SECONDS
        )
    except calls.PluginBusy as fault:
        raise TooBusy(f"This endpoint cannot take the request now: {fault}.") from fault


def _name() -> str:
    """The name in the path."""
    return str((request.view_args or {})["name"])


def _endpoint(name: str) -> Endpoint:
    endpoints = runtime().endpoints
    if name not in endpoints:
        raise NotFound("There is nothing at this address.")
    return endpoints[name]
