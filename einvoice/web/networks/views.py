"""From HTTP to a plugin's endpoint and back, within the limits that the endpoint names."""

from __future__ import annotations

from flask import Response, request

from einvoice.domain.errors import NotFound
from einvoice.network.endpoints import Endpoint
from einvoice.network.endpoints import Request as Asked
from einvoice.web import concurrency, credentials, limits
from einvoice.web.api import Family
from einvoice.web.runtime import runtime

family = Family("networks", __name__, url_prefix="/networks", credential=credentials.public)

_METHODS = ["GET", "POST", "PUT", "DELETE"]


@family.unlisted("/<name>/", methods=_METHODS, defaults={"rest": ""}, strict_slashes=False)
@family.unlisted("/<name>/<path:rest>", methods=_METHODS)
def to_the_plugin(name: str, rest: str) -> Response:
    """Hand the request to the plugin whose endpoint this is."""
    endpoint = _endpoint(name)
    limits.count_network(f"networks/{name}", endpoint.per_minute)
    request.max_content_length = endpoint.max_bytes
    body = concurrency.request_body()
    told = endpoint.answer(
        Asked(
            method=request.method,
            path=f"/{rest}",
            body=body,
            query=request.args.to_dict(),
            headers={name.lower(): value for name, value in request.headers.items()},
            remote=request.remote_addr,
        )
    )
    response = Response(told.body, told.status, content_type=told.content_type)
    response.headers.update(dict(told.headers))
    return response


def _endpoint(name: str) -> Endpoint:
    endpoints = runtime().endpoints
    if name not in endpoints:
        raise NotFound("There is nothing at this address.")
    return endpoints[name]
