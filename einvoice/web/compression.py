"""Compression of answers with gzip, for callers that accept it (decisions 21.2).

Text of MIN_BYTES or more is compressed; PDFs, archives and images are compressed already. An
answer in one piece stays one: its length is known, and the server sends it with the headers.

A compressed answer has the entity tag of the plain one with `-gzip` before its end, because
a strong tag names one sequence of bytes (RFC 9110, section 8.8.3). Views get the tags of a request
without it.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, request

from einvoice.web.responses import add_vary

MIN_BYTES = 1024
# Of lists, 4 takes a quarter of the time of 9 or less, and makes a sixth more bytes.
_LEVEL, _PAGE_LEVEL, _BEST = 4, 6, 9  # a page is 0.5 KB shorter, and takes 0.1 ms more
_MARK = "-gzip"
_ACCEPTED = "Accept-Encoding"
_COMPRESSED_COPY = "einvoice.compressed_copy"
_CONDITIONS = ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH")
_SUBTYPES = ("json", "xml", "javascript")


def init_app(app: Flask) -> None:
    """Compress the answers of the application. Register it first: its part comes last."""
    app.wsgi_app = _reading_tags(app.wsgi_app)  # type: ignore[method-assign]
    app.after_request(compress)


def compress(response: Response) -> Response:
    """The response, compressed if that is worth it and the caller accepts it."""
    if response.status_code == 304:
        return _confirmed(response)
    parts = response.response
    if not isinstance(parts, list) or sum(map(len, parts)) < MIN_BYTES:
        return response
    if not is_text(response.mimetype or ""):
        return response
    add_vary(response, _ACCEPTED)
    if "Content-Encoding" not in response.headers and accepts_gzip():
        level = _PAGE_LEVEL if response.mimetype == "text/html" else _LEVEL
        _replace_body(response, gzip.compress(response.get_data(), level, mtime=0))
    return response


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text that does not change while the process runs, and its entity tag."""

    plain: bytes
    compressed: bytes
    tag: str

    @classmethod
    def of(cls, content: bytes) -> FixedText:
        tag = hashlib.sha256(content).hexdigest()[:32]
        return cls(content, gzip.compress(content, _BEST, mtime=0), tag)

    def response(self, content_type: str) -> Response:
        """The response to the request: 304 if its copy is this one."""
        response = Response(self.plain, content_type=content_type)
        response.headers["Cache-Control"] = "public, max-age=3600"
        add_vary(response, _ACCEPTED)
        response.set_etag(self.tag)
        response.make_conditional(request)
        if response.status_code != 304 and accepts_gzip():
            _replace_body(response, self.compressed)
        return response


def _replace_body(response: Response, compressed: bytes) -> None:
    response.set_data(compressed)
    response.headers["Content-Encoding"] = "gzip"
    _mark_tag(response)


def accepts_gzip() -> bool:
    """Whether the request accepts gzip: by name or by `*`, with a quality above 0."""
    given = request.environ.get("HTTP_ACCEPT_ENCODING")
    return bool(given) and request.accept_encodings.quality("gzip") > 0


def is_text(media: str) -> bool:
    """Whether a media type is text, JSON or XML.

    >>> [is_text(m) for m in ("text/csv", "application/problem+json", "application/pdf")]
    [True, True, False]
    """
    return media.startswith("text/") or media.endswith(_SUBTYPES)


def _confirmed(response: Response) -> Response:
    """304: a compressed copy is named by its tag."""
    if _COMPRESSED_COPY in request.environ:
        add_vary(response, _ACCEPTED)
        _mark_tag(response)
    return response


def _mark_tag(response: Response) -> None:
    tag = response.headers.get("ETag", "")
    if tag.endswith('"'):
        response.headers["ETag"] = f'{tag[:-1]}{_MARK}"'


def _reading_tags(serve: Any) -> Any:
    """Remove the mark from the entity tags of requests. No hook: those cost every request more."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        for name in _CONDITIONS:
            if name in environ and f'{_MARK}"' in environ[name]:
                environ[name] = environ[name].replace(f'{_MARK}"', '"')
                environ[_COMPRESSED_COPY] = True
        answered: Iterable[bytes] = serve(environ, start_response)
        return answered

    return answer
