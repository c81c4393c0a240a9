"""What the application promises its server, and Flask."""

from __future__ import annotations

import inspect
from itertools import chain

import flask
import pytest
from werkzeug.routing import Rule
from werkzeug.test import EnvironBuilder


def parts(app, path, method="GET"):
    """The body of a response as passed to the server."""
    environ = EnvironBuilder(path, method=method).get_environ()
    return app(environ, lambda status, headers: None)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/healthz"), ("HEAD", "/healthz"), ("GET", "/nothing/here")]
)
def test_a_complete_body_is_passed_to_the_server_as_a_list(service, method, path):
    """granian sends a list in one piece, and other iterables part by part."""
    body = parts(service, path, method)

    assert isinstance(body, list)
    assert bool(b"".join(body)) is (method == "GET")


def test_no_view_and_no_hook_is_a_coroutine(service):
    """Application does not check for coroutines: one would never be awaited."""
    hooks = (
        service.before_request_funcs, service.after_request_funcs, service.teardown_request_funcs,
    )  # fmt: skip
    functions = [
        *service.view_functions.values(),
        *chain.from_iterable(chain.from_iterable(kind.values()) for kind in hooks),
        *service.teardown_appcontext_funcs,
    ]

    assert len(functions) > 50
    assert not [function for function in functions if inspect.iscoroutinefunction(function)]


def test_an_address_is_compiled_when_it_is_first_built(make_app, monkeypatch):
    """Of all routes it takes longer than the rest of what makes an application."""
    compiled, compile_builder = [], Rule._compile_builder

    def noted(rule, append_unknown=True):
        compiled.append(rule.endpoint)
        return compile_builder(rule, append_unknown)

    monkeypatch.setattr(Rule, "_compile_builder", noted)
    app = make_app()
    assert compiled == []
    with app.test_request_context():
        for _ in range(2):
            built = flask.url_for("health.check_health", tag="a b", _external=False)
            assert built == "/healthz?tag=a+b"
    assert compiled == ["health.check_health"]


@pytest.mark.parametrize("status", [200, 201, 204, 304])
@pytest.mark.parametrize("name", ["Location", "Content-Location", "Vary"])
def test_headers_are_passed_to_the_server_as_flask_completes_them(service, status, name):
    """Also those of a response whose headers are not copied for it."""
    environ = EnvironBuilder("/v1/invoices").get_environ()
    given = {"content_type": "text/plain", "headers": {name: "/änderung"}}
    ours = service.response_class("found", status, **given)
    plain = flask.Response("found", status, **given)

    with service.request_context(environ):
        assert [*ours.get_wsgi_headers(environ)] == [*plain.get_wsgi_headers(environ)]
