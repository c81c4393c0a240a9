"""The HTTP layer: families of routes, credentials, contracts of bodies, problem documents.

A family is a package (public, submission, account, …) and does not import another one; code of
several families is in `shared` or beside it. Imports services, but neither store nor cli.
"""

from __future__ import annotations

from functools import cache, partial
from threading import Lock
from typing import cast

from apispec import APISpec
from flask import Flask
from flask_smorest import Api
from werkzeug.middleware.proxy_fix import ProxyFix

from einvoice.config import Settings
from einvoice.release import RELEASE
from einvoice.web import (
    addresses,
    compression,
    cors,
    credentials,
    finding_language,
    json,
    limits,
    parts,
    problems,
    requests,
)
from einvoice.web.admission import callers, heads, slots
from einvoice.web.api import Family
from einvoice.web.compression import FixedText
from einvoice.web.dashboard import pages
from einvoice.web.families import FAMILIES
from einvoice.web.networks import hosts
from einvoice.web.openapi.document import document_text
from einvoice.web.operator import pages as operator_pages
from einvoice.web.parts import WebParts
from einvoice.web.runtime import runtime_of
from einvoice.web.shared import batch_entries


class _Api(Api):  # type: ignore[misc]
    """flask-smorest without its own error responses and components: ours are in web/openapi.

    The views are described when the document is first requested: that takes two thirds of the time
    an application needs to start, and workers and commands never need it.
    """

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self._families: list[Family] = []
        self._gathering = Lock()
        self._made: FixedText | None = None

    def register_blueprint(self, blp: Family) -> None:
        self._app.register_blueprint(blp)
        self._families.append(blp)

    def described(self) -> APISpec:
        """The document of all registered families."""
        with self._gathering:
            while self._families:
                family = self._families.pop(0)
                family.register_views_in_doc(
                    self, self._app, self.spec, name=family.name, parameters=None
                )
        return cast("APISpec", self.spec)

    def made(self) -> FixedText:
        """/openapi.json, made at the first call: routes do not change afterwards."""
        if self._made is None:
            text = document_text(self._app, self.described())
            self._made = FixedText.of(text.encode())
        return self._made

    def _register_error_handlers(self) -> None:
        """Leave them to web/problems."""

    def _register_responses(self) -> None:
        """Leave them to web/openapi/problems."""

    def _register_etag_headers(self) -> None:
        """Leave them to web/openapi/headers."""

    def _register_pagination_header(self) -> None:
        """Lists page in their bodies, not in a header."""


def init_app(app: Flask, settings: Settings) -> None:
    """Register families, problems, request ids and health with the application."""
    app.json = json.Provider(app)
    app.url_map.merge_slashes = False  # an address with a doubled slash is not found
    app.config.update(
        MAX_CONTENT_LENGTH=settings.max_body_bytes,
        PROPAGATE_EXCEPTIONS=False,
        API_TITLE=settings.provider,
        API_VERSION=RELEASE,
        OPENAPI_VERSION="3.1.0",
    )
    hosts.init_app(app)
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, hops, hops, hops, hops)  # type: ignore[method-assign]
    compression.init_app(app)
    app.after_request(finding_language.label_language)
    requests.init_app(app, settings)
    cors.init_app(app, settings)
    heads.init_app(app)
    callers.init_app(app)
    slots.init_app(app)
    limits.init_app(app)
    app.before_request(credentials.count_unrouted_request)
    problems.init_app(app)
    app.register_error_handler(404, operator_pages.not_found)
    app.register_error_handler(405, pages.not_allowed)
    api = _Api(app)
    for family in FAMILIES:
        api.register_blueprint(family)
    addresses.init_app(app)
    parts.install(app, WebParts(cache(partial(addresses.named_addresses, app)), api.made))


def largest_body(app: Flask) -> int:
    """The most bytes that any route reads of a body; endpoints with spools have their own limit."""
    every = runtime_of(app).endpoints.values()
    endpoints = (endpoint.max_bytes for endpoint in every if not endpoint.spooled)
    return max(runtime_of(app).settings.max_body_bytes, batch_entries.MAX_BYTES, *endpoints)
