"""Cross-origin requests (CORS) of the operator's dashboard, for the routes of people (20.12).

Without EINVOICE_CORS_ORIGINS no response has a header of CORS, so browsers let pages of other
origins read nothing. Credentials are in a header, never in cookies, so none are allowed.
"""

from __future__ import annotations

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from einvoice.config import Settings
from einvoice.web import roles
from einvoice.web.openapi.headers import BUDGET

MAX_AGE_SECONDS = 600
# `x-api-key` is not among them: keys do not belong into a browser.
_REQUEST_HEADERS = (
    "Accept-Language",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Prefer",
    "X-Request-Id",
)
# Besides those that browsers always show.
_RESPONSE_HEADERS = (
    "Content-Disposition",
    "ETag",
    "Idempotency-Payload-Mismatch",
    "Idempotency-Replay",
    "Location",
    "Preference-Applied",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-Id",
    *BUDGET,
)


def init_app(app: Flask, settings: Settings) -> None:
    """Answer preflight requests, and let pages of the listed origins read responses."""
    origins = settings.allowed_origins
    if not origins:
        return

    @app.before_request
    def _preflight() -> Response | None:
        method = _preflighted_method()
        if method is None or request.headers.get("Origin") not in origins:
            return None
        return _permission(method) if _is_of_people() else None

    @app.after_request
    def _readable(response: Response) -> Response:
        if _is_of_people():
            response.vary.add("Origin")
            if request.headers.get("Origin") in origins:
                response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
                response.headers["Access-Control-Expose-Headers"] = ", ".join(_RESPONSE_HEADERS)
        return response


def _preflighted_method() -> str | None:
    """The method that a preflight request asks for; None for another request."""
    if request.method != "OPTIONS":
        return None
    return request.headers.get("Access-Control-Request-Method")


def _is_of_people() -> bool:
    """Whether people call the route of the request, or the one that it is the preflight of."""
    method = _preflighted_method()
    endpoint = request.endpoint if method is None else _endpoint_of(method)
    return endpoint in roles.LEAST


def _permission(method: str) -> Response:
    """The response to a preflight request for this method."""
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = method
    response.headers["Access-Control-Allow-Headers"] = ", ".join(_REQUEST_HEADERS)
    response.headers["Access-Control-Max-Age"] = str(MAX_AGE_SECONDS)
    return response


def _endpoint_of(method: str) -> str | None:
    """The endpoint that the path of the request has for this method."""
    adapter = current_app.create_url_adapter(request)
    assert adapter is not None  # noqa: S101 - there is a request
    try:
        endpoint, _ = adapter.match(method=method)
    except HTTPException:
        return None
    return str(endpoint)
