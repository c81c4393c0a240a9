"""Routes that all applications of a process share: nothing in them behaves differently.

The service registers 400 routes in 104 families. To register them cost each application 10 ms, and
to read them at its first request 34 ms more, which was a third of what tests cost.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

from flask import Flask
from flask.sansio.blueprints import Blueprint, DeferredSetupFunction
from werkzeug.routing import Map, Rule
from werkzeug.routing.matcher import StateMachineMatcher
from werkzeug.routing.rules import RuleFactory

from einvoice.web.application import Application
from einvoice.web.families import FAMILIES

Routes = tuple[StateMachineMatcher, dict[Any, list[Rule]]]


@dataclass(frozen=True, slots=True)
class _Registered:
    """The parts that the registration of a family puts into an application, besides its hooks."""

    rules: list[Rule]
    views: dict[str, Callable[..., Any]]


_registered: Final[dict[Blueprint, _Registered]] = {}
_read: Final[dict[Hashable, Routes]] = {}
_shared: Final[set[int]] = set()  # the ids of the rules of `_registered`


class SharedMap(Map):
    """Routes that are read when the first address is asked for, once for all applications.

    An application with routes of its own reads copies.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        self._lock = threading.RLock()
        self.given: list[Rule] = []
        self._is_read = True
        super().__init__(*given, **options)

    def add(self, rulefactory: RuleFactory) -> None:
        with self._lock:
            self.given.extend(rulefactory.get_rules(self))
            self._is_read = False

    def extend(self, rules: list[Rule]) -> None:
        """Add rules of which other applications have the same ones."""
        with self._lock:
            self.given.extend(rules)
            self._is_read = False

    def update(self) -> None:
        """Read the routes; they are in order then."""
        if self._is_read:
            return
        with self._lock:
            if not self._is_read:
                self._read_matcher, self._read_rules = self._routes()
                self._is_read = True

    def _routes(self) -> Routes:
        ids = tuple(map(id, self.given))
        if not _shared.issuperset(ids):
            return self._own_routes()
        key = (self._read_matcher.merge_slashes, ids)
        if key not in _read:
            _read[key] = self._own_routes()
        return _read[key]

    def _own_routes(self) -> Routes:
        read = Map(merge_slashes=self._read_matcher.merge_slashes, host_matching=self.host_matching)
        read.converters = self.converters
        for rule in self.given:
            read.add(rule if rule.map is None else _unbound(rule))
        read.update()
        return read._matcher, read._rules_by_endpoint

    @property
    def _matcher(self) -> StateMachineMatcher:
        self.update()
        return self._read_matcher

    @_matcher.setter
    def _matcher(self, matcher: StateMachineMatcher) -> None:
        self._read_matcher = matcher

    @property
    def _rules_by_endpoint(self) -> dict[Any, list[Rule]]:
        self.update()
        return self._read_rules

    @_rules_by_endpoint.setter
    def _rules_by_endpoint(self, rules: dict[Any, list[Rule]]) -> None:
        self._read_rules = rules


def _unbound(rule: Rule) -> Rule:
    copied = copy.copy(rule)
    copied.map = None
    copied.arguments = set(rule.defaults or ())
    return copied


def share_routes() -> None:
    """Between all applications of this process."""
    Application.url_map_class = SharedMap
    Application.register_blueprint = _register  # type: ignore[method-assign]


def _register(app: Flask, blueprint: Blueprint, **options: Any) -> None:
    """As Flask does it; a family whose rules are known from another application adds these."""
    known = _registered.get(blueprint)
    if known is None:
        _register_first(app, blueprint, options)
        return
    assert isinstance(app.url_map, SharedMap)
    app._check_setup_finished("register_blueprint")
    app.blueprints[blueprint.name] = blueprint
    blueprint._merge_blueprint_funcs(app, blueprint.name)
    state = blueprint.make_setup_state(app, {}, first_registration=True)
    for deferred in blueprint.deferred_functions:
        if not _adds_a_route(deferred):
            deferred(state)
    app.url_map.extend(known.rules)
    app.view_functions.update(known.views)


def _register_first(app: Flask, blueprint: Blueprint, options: dict[str, Any]) -> None:
    assert isinstance(app.url_map, SharedMap)
    before = len(app.url_map.given)
    Flask.register_blueprint(app, blueprint, **options)
    if options or not _is_plain(blueprint):
        return
    rules = app.url_map.given[before:]
    views = {rule.endpoint: app.view_functions[rule.endpoint] for rule in rules}
    _registered[blueprint] = _Registered(rules, views)
    _shared.update(map(id, rules))


def _is_plain(blueprint: Blueprint) -> bool:
    """Whether it is a family of the service that has nothing but routes and hooks."""
    other = blueprint._blueprints or blueprint.has_static_folder or blueprint.cli.commands
    return blueprint in FAMILIES and not other


def _adds_a_route(deferred: DeferredSetupFunction) -> bool:
    return deferred.__qualname__.startswith("Blueprint.add_url_rule.")
