"""The methods of each address, the queries it takes, and the media types of its responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, current_app, redirect, request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.wrappers import Response as RouteResponse

from einvoice.domain.errors import FieldError, NotAcceptable
from einvoice.web import pointers
from einvoice.web.parts import web_parts

JSON = "application/json"
PROBLEM = "application/problem+json"  # any address may respond with it
_OF_PROGRAMS = ("/api/", "/v1/", "/v2/", "/networks/", "/oauth/")


def init_app(app: Flask) -> None:
    """State the methods of an address, for OPTIONS and in the refusal of another method."""
    app.before_request(_allow_its_own)
    app.before_request(_lead_to_the_page)
    app.after_request(_state_its_own)


def named_addresses(app: Flask) -> dict[str, frozenset[str]]:
    """The methods of addresses without ids: `/api/invoices/send`, not `/api/invoices/<id>`."""
    found: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        if not rule.arguments:
            found.setdefault(rule.rule, set()).update(rule.methods or ())
    return {address: frozenset(methods) for address, methods in found.items()}


def _allow_its_own() -> None:
    """If no method matches, Allow lists the methods of the name, not of ids beside it."""
    if isinstance(request.routing_exception, MethodNotAllowed) and request.path in _named():
        request.routing_exception = _not_allowed()


def _lead_to_the_page() -> RouteResponse | None:
    """A page is read at its address with a slash at the end too. Programs get a 404 that names the
    slash, since a request of theirs is answered at one address."""
    if not isinstance(request.routing_exception, NotFound):
        return None
    path = request.path.removesuffix("/")
    if path == request.path or "//" in request.path or path.startswith(_OF_PROGRAMS):
        return None
    routes = current_app.create_url_adapter(request)
    if request.method not in {"GET", "HEAD"} or routes is None or not routes.test(path, "GET"):
        return None
    query = request.query_string.decode("latin-1")
    return redirect(quote(path) + (f"?{query}" if query else ""), code=308)


def _state_its_own(response: Response) -> Response:
    """The answer to OPTIONS has the Allow of the refusals, and no type since it has no body."""
    if request.method == "OPTIONS" and response.status_code == 200:
        if request.path in _named():
            response.headers["Allow"] = ", ".join(sorted(_named()[request.path]))
        del response.headers["Content-Type"]
    return response


def refuse_other_methods() -> None:
    """GET /api/invoices/send is 405, though `send` could be an id where GET takes one."""
    rule = request.url_rule
    if rule is not None and rule.arguments and request.path in _named():
        raise _not_allowed()


def _not_allowed() -> MethodNotAllowed:
    return MethodNotAllowed(valid_methods=sorted(_named()[request.path]))


def _named() -> Mapping[str, frozenset[str]]:
    return web_parts().named_addresses()


def refuse_parameters() -> None:
    """Raise InvalidField for a query where all that a view reads is in the body.

    `?dryRun=true` at a send must not send.
    """
    if not request.query_string or not _reads_body_only(
        current_app.view_functions[request.endpoint or ""]
    ):
        return
    message = "is not a parameter: this address takes none, and reads the body only"
    pointers.refuse(
        FieldError(pointers.below("", name), "unknown-field", message) for name in request.args
    )


@lru_cache(maxsize=1000)
def _reads_body_only(view: Callable[..., Any]) -> bool:
    """Whether a view documents a JSON body and no query."""
    notes: Mapping[str, Any] = view.__dict__.get("_apidoc", {}).get("manual_doc", {})
    places = {parameter["in"] for parameter in notes.get("parameters", ())}
    return JSON in notes.get("requestBody", {}).get("content", {}) and "query" not in places


def refuse_other_media() -> None:
    """Raise NotAcceptable before the view runs if the caller accepts none of its media types."""
    accept = request.headers.get("Accept", "*/*")
    if "*/*" in accept and "q=0" not in accept:
        return
    offered = offers(current_app.view_functions[request.endpoint or ""])
    wanted = request.accept_mimetypes
    if offered and wanted and not wanted.best_match([*offered, PROBLEM]):
        raise NotAcceptable(f"This address answers in {', '.join(offered)}.")


@lru_cache(maxsize=1000)
def offers(view: Callable[..., Any]) -> tuple[str, ...]:
    """The documented media types of a view's successful responses; none if they have no body."""
    notes: Mapping[str, Any] = view.__dict__.get("_apidoc", {})
    media: set[str] = set()
    for status, answers in notes.get("response", {}).get("responses", {}).items():
        if _success(status):
            media |= {_media(answer) for answer in answers}
    for status, answer in notes.get("manual_doc", {}).get("responses", {}).items():
        if _success(status):
            media |= set(answer.get("content", ()))
    return tuple(sorted(media - {""}))


def _success(status: object) -> bool:
    return str(status).startswith("2")


def _media(answer: Mapping[str, Any]) -> str:
    return answer.get("content_type") or (JSON if answer.get("schema") else "")
