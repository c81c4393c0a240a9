"""The routes that applications of tests share are those that Flask registers and reads."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map

from einvoice.web.application import Application


@pytest.fixture
def unshared(make_app, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(Application, "url_map_class", Map)
        patched.setattr(Application, "register_blueprint", Flask.register_blueprint)
        yield make_app()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_application_has_the_routes_and_hooks_that_flask_registers(make_app, unshared):
    make_app()
    shared = make_app()

    assert shared.url_map is not unshared.url_map
    assert _routes(shared) == _routes(unshared)
    assert shared.url_map.converters == unshared.url_map.converters
    for name in (
        "blueprints", "view_functions", "before_request_funcs", "after_request_funcs",
        "teardown_request_funcs", "url_default_functions", "url_value_preprocessors",
    ):  # fmt: skip
        expected, found = getattr(unshared, name), getattr(shared, name)
        assert list(found) == list(expected), name
    for name in (*unshared.blueprints, *unshared.view_functions):
        assert shared.view_functions.get(name) is unshared.view_functions.get(name)
        assert len(shared.before_request_funcs[name]) == len(unshared.before_request_funcs[name])
        assert len(shared.after_request_funcs[name]) == len(unshared.after_request_funcs[name])
        assert _errors(shared, name) == _errors(unshared, name)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_route_of_one_application_is_not_of_another(make_app):
    before, changed, after = make_app(), make_app(), None
    assert before.url_map.bind("").match("/healthz")
    changed.add_url_rule("/own", "own", lambda: "")
    after = make_app()

    assert changed.url_map.bind("").match("/own") == ("own", {})
    assert changed.url_map.bind("").match("/healthz") == before.url_map.bind("").match("/healthz")
    for other in (before, after):
        with pytest.raises(NotFound):
            other.url_map.bind("").match("/own")


def _routes(app: Flask) -> list[tuple[object, ...]]:
    return [
        (rule.rule, rule.endpoint, rule.methods, rule.arguments, rule.strict_slashes,
         rule.merge_slashes, rule.provide_automatic_options)
        for rule in app.url_map.iter_rules()
    ]  # fmt: skip


def _errors(app: Flask, blueprint: str) -> dict[object, list[object]]:
    return {code: list(kinds) for code, kinds in app.error_handler_spec[blueprint].items()}
