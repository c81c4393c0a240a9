"""Flask as this service runs it: no coroutines, and a finished response is sent in one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from werkzeug.routing import Rule
from werkzeug.wsgi import ClosingIterator

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

    from werkzeug.datastructures import Headers


# The key of the WSGI environment for a request that is run in parts (web/serving/grouped_sends).
ENTER = "einvoice.enter"


# Headers whose address werkzeug completes.
_COMPLETED = frozenset({"location", "content-location"})


class BufferedResponse(Response):
    """A response whose body is complete is passed to the server as a list.

    granian sends a list in one piece with the headers; from any other iterable it requests the
    parts one by one, in a thread of its own.
    """

    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        """The headers; werkzeug would make a copy to complete it (5 us)."""
        if self.status_code == 200:
            names = {name.lower() for name, _ in self.headers}
            if "content-length" in names and names.isdisjoint(_COMPLETED):
                return self.headers
        return super().get_wsgi_headers(environ)

    def get_app_iter(self, environ: dict[str, Any]) -> Iterable[bytes]:
        parts = super().get_app_iter(environ)
        if self.is_sequence and isinstance(parts, ClosingIterator):
            chunks = list(parts)
            parts.close()
            return chunks
        return parts


class LazyRule(Rule):
    """A route that compiles the functions that build its address when the first is built.

    For all routes these are four fifths of the time that an application needs to be made, and a
    process builds the addresses of few.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled: list[Callable[..., tuple[str, str]]] = []

        def build(_: Rule, /, **values: Any) -> tuple[str, str]:
            if not compiled:
                compiled.append(super(LazyRule, self)._compile_builder(append_unknown))
            return compiled[0](self, **values)

        return build


class Application(Flask):
    """Flask tests in each request whether hooks and views are coroutines; here none is."""

    response_class = BufferedResponse
    url_rule_class = LazyRule

    def wsgi_app(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """A request, or only its entry: what `ENTER` names is called behind the middleware."""
        enter: Callable[[], None] | None = environ.pop(ENTER, None)
        if enter is None:
            return super().wsgi_app(environ, start_response)
        enter()
        return ()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func
