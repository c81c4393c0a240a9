"""What makes the application of a test cheap: nothing in it behaves differently.

The first statements of an application cost twice what later ones do (each engine compiles them
itself), and a page of templates that were not compiled yet costs 40 ms more. Its routes are shared
by `tests.shared_routes`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from sqlalchemy import Engine, event
from sqlalchemy.orm import Mapper

from einvoice.store.core import db
from einvoice.web.application import Application

MAX_STATEMENTS: Final = 4_000


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


def share_templates() -> None:
    """Between all applications of this process."""
    Application.jinja_options = {"bytecode_cache": Templates()}


def share_statements_of_models() -> None:
    """Each mapper has a cache of its own for what it inserts and updates."""
    statements = cached_property(lambda _: Statements())
    statements.__set_name__(Mapper, "_compiled_cache")
    Mapper._compiled_cache = statements  # type: ignore[assignment]


def share_statements(app: Flask) -> None:
    """Between the applications of this process."""
    with app.app_context():
        engine: Engine = db.db.engine
        engine.update_execution_options(compiled_cache=_STATEMENTS)


def write_without_sync(app: Flask) -> None:
    """Its files need not survive the machine: SQLite waited 20 ms for the disk at each close."""
    with app.app_context():
        engine: Engine = db.db.engine
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _without_sync)


def _without_sync(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
