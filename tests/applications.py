"""What makes the application of a test cheap: nothing in it behaves differently.

A test's own application costs 12 ms, two thirds of it for routes that most tests never ask; its
first statements cost twice what later ones do, for each engine compiles them anew, and a page of
templates that were not compiled yet costs 40 ms more.
"""

from __future__ import annotations

import threading
from typing import Any, Final

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Engine
from werkzeug.routing import Map, Rule
from werkzeug.routing.matcher import StateMachineMatcher
from werkzeug.routing.rules import RuleFactory

from einvoice.store.core import db
from einvoice.web.application import Application

MAX_STATEMENTS: Final = 4_000


class LateMap(Map):
    """Routes that are read when the first address is asked for."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self._lock = threading.RLock()
        self._unread: list[RuleFactory] = []
        super().__init__(*given, **options)

    def add(self, rulefactory: RuleFactory) -> None:
        with self._lock:
            self._unread.append(rulefactory)
            self._remap = True

    def _read(self) -> None:
        with self._lock:
            unread, self._unread = self._unread, []
            for each in unread:
                super().add(each)

    @property
    def _matcher(self) -> StateMachineMatcher:
        self._read()
        return self._read_matcher

    @_matcher.setter
    def _matcher(self, matcher: StateMachineMatcher) -> None:
        self._read_matcher = matcher

    @property
    def _rules_by_endpoint(self) -> dict[Any, list[Rule]]:
        self._read()
        return self._read_rules

    @_rules_by_endpoint.setter
    def _rules_by_endpoint(self, rules: dict[Any, list[Rule]]) -> None:
        self._read_rules = rules


class Statements:
    """Compiled statements by what they say and the kind of their database, in place of its engine.

    All engines of one kind have the same options of the dialect (`db._engine_options`).
    """

    def __init__(self) -> None:
        self._compiled: dict[tuple[Any, ...], Any] = {}

    def __bool__(self) -> bool:
        return True

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return self._compiled.get(_of_kind(key), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        if len(self._compiled) >= MAX_STATEMENTS:
            self._compiled.clear()
        self._compiled[_of_kind(key)] = compiled


class Templates(BytecodeCache):
    """The code of templates by their place and source.

    Applications of one process compile them with the same filters and options.
    """

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


def _of_kind(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *words = key
    return (dialect.name, *words)


_STATEMENTS: Final = Statements()


def read_routes_late() -> None:
    """Of all applications of this process."""
    Application.url_map_class = LateMap


def share_templates() -> None:
    """Between all applications of this process."""
    Application.jinja_options = {"bytecode_cache": Templates()}


def share_statements(app: Flask) -> None:
    """Between the applications of this process."""
    with app.app_context():
        engine: Engine = db.db.engine
        engine.update_execution_options(compiled_cache=_STATEMENTS)
