"""Flask as this service runs it: nothing is a coroutine, and a finished answer goes out whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response
from werkzeug.wsgi import ClosingIterator


class BufferedResponse(Response):
    """What is written already goes to the server as a list.

    granian sends a list with the head of the answer, in one piece; any other iterable it asks for
    its parts one by one, from a thread of its own.
    """

    def get_app_iter(self, environ: dict[str, Any]) -> Iterable[bytes]:
        parts = super().get_app_iter(environ)
        if self.is_sequence and isinstance(parts, ClosingIterator):
            whole = list(parts)
            parts.close()
            return whole
        return parts


class Application(Flask):
    """Flask asks of every hook and view, in each request, whether it is a coroutine; none is."""

    response_class = BufferedResponse

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func
