"""Call a WSGI application for a request that has arrived completely."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

from einvoice.web.admission.environ import ARRIVED
from einvoice.web.sent_files import SentFile

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

Environ = dict[str, Any]
_FIXED: Environ = {
    "GATEWAY_INTERFACE": "CGI/1.1",
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "Granian",
    "wsgi.errors": sys.stderr,
    "wsgi.input_terminated": True,
    "wsgi.multiprocess": False,
    "wsgi.multithread": True,
    "wsgi.run_once": False,
    "wsgi.version": (1, 0),
    ARRIVED: True,
}
_names = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


def response_of(
    app: WSGIApplication, environ: Environ
) -> tuple[int, list[tuple[str, str]], bytes | SentFile]:
    """Status, headers and body of the response of an application; a Flask response is one, too."""
    status = 500
    headers: list[tuple[str, str]] = []

    def start(line: str, given: list[tuple[str, str]], _: object = None) -> None:
        nonlocal status, headers
        status, headers = int(line[:3]), given

    parts = app(environ, start)  # type: ignore[arg-type]
    if isinstance(parts, SentFile):
        return status, headers, parts
    try:
        return status, headers, b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()


def environ_of(scope: Any, body: bytes) -> Environ:
    """The WSGI environment of a request, as granian's WSGI worker makes it.

    A body that came in chunks has arrived, and so has a length. Werkzeug reads one without a length
    up to the limit of its route, as if it ended there.
    """
    path, query = scope.path, scope.query_string
    host, port = address_of(scope.server)
    environ = {
        **_FIXED,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "REMOTE_ADDR": address_of(scope.client)[0],
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": path if path.isascii() else path.encode().decode("latin-1"),
        "QUERY_STRING": query if query.isascii() else query.encode().decode("latin-1"),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(body),
    }
    _add_headers(environ, scope)
    if environ.pop("HTTP_TRANSFER_ENCODING", None) is not None:
        environ["CONTENT_LENGTH"] = str(len(body))
    return environ


def _add_headers(environ: Environ, scope: Any) -> None:
    headers = scope.headers
    for header, value in headers.items():
        name = _names.get(header) or _name(header)
        if name in environ:
            environ[name] += (";" if header == "cookie" else ",") + value
        else:
            environ[name] = value
    for header in headers.keys():  # noqa: SIM118 values that are not ASCII are not among the items
        environ.setdefault(_names.get(header) or _name(header), "")
    if "HTTP_HOST" not in environ:
        environ["HTTP_HOST"] = scope.authority or ""


def _name(header: str) -> str:
    name = "HTTP_" + header.upper().replace("-", "_")
    if len(_names) < 1000:
        _names[header] = name
    return name


def length_of(headers: Any) -> int | None:
    """Content-Length; None for a chunked body."""
    given = headers.get("content-length", "")
    return int(given) if given.isdigit() else None


def address_of(text: str) -> tuple[str, str]:
    """Address and port of "127.0.0.1:80", "[::1]:80", or the path of a Unix socket.

    >>> address_of("[::1]:80")
    ('::1', '80')
    """
    if not text.rpartition(":")[2].isdigit():
        return text, "0"
    host, _, port = text.rpartition(":")
    return host.strip("[]"), port
