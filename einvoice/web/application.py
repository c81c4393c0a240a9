"""Flask as this service runs it: no coroutines, and a finished response is sent in one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response
from werkzeug.wsgi import ClosingIterator


class BufferedResponse(Response):
    """A response whose body is complete is passed to the server as a list.

    granian sends a list in one piece with the headers; from any other iterable it requests the
    parts one by one, in a thread of its own.
    """

    def get_app_iter(self, environ: dict[str, Any]) -> Iterable[bytes]:
        parts = super().get_app_iter(environ)
        if self.is_sequence and isinstance(parts, ClosingIterator):
            chunks = list(parts)
            parts.close()
            return chunks
        return parts


class Application(Flask):
    """Flask tests in each request whether hooks and views are coroutines; here none is."""

    response_class = BufferedResponse

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func
