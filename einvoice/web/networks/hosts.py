"""Host names of endpoints: a request for one goes to its endpoint, with its whole path.

Some networks give a partner a host name instead of an address below /networks/ (an SMP of Peppol).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from flask import Flask

from einvoice.web.runtime import runtime_of

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def init_app(app: Flask) -> None:
    """Route by host names. Register it before what changes the host (proxies)."""
    app.wsgi_app = _by_host(app, app.wsgi_app)  # type: ignore[assignment,method-assign]


def _by_host(app: Flask, inner: Wsgi) -> Wsgi:
    @cache
    def hosts() -> Mapping[str, str]:
        endpoints = runtime_of(app).endpoints
        return {each.host.lower(): name for name, each in endpoints.items() if each.host}

    def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        name = hosts().get(environ.get("HTTP_HOST", "").lower())
        if name is not None:
            environ["PATH_INFO"] = f"/networks/{name}{environ.get('PATH_INFO') or '/'}"
        return inner(environ, start_response)

    return serve
