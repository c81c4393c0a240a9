"""The database: one engine per process, transactions that are seen, PostgreSQL and SQLite alike.

`writing()` is a transaction that commits at the end of its block; `reading()` never locks.
On SQLite a writing transaction is BEGIN IMMEDIATE: it waits for its turn instead of failing later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, LiteralString

import psycopg
import sqlalchemy as sa
from flask import Flask, current_app
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import event
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.types import TypeEngine

from einvoice import clock
from einvoice.store.driver import DriverConnections

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Moment(sa.TypeDecorator[datetime]):
    """A moment in UTC: timestamptz on PostgreSQL, sortable text to the millisecond on SQLite."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(24))
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return clock.timestamp(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if isinstance(value, str):
            return datetime.fromisoformat(value)
        return value.astimezone(UTC)  # type: ignore[no-any-return]


class Money(sa.TypeDecorator[Decimal]):
    """An amount, exact: numeric on PostgreSQL, its digits as text on SQLite."""

    impl = sa.Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(40))
        return dialect.type_descriptor(sa.Numeric())

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        return format(value, "f") if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)


class Base(DeclarativeBase):
    metadata = sa.MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Moment,
        Decimal: Money,
        bytes: sa.LargeBinary,
        dict: sa.JSON,
    }


db = SQLAlchemy(metadata=Base.metadata)


def init_app(app: Flask, url: str) -> None:
    """Bind the engine to the app; SQLite is set up for several processes at once."""
    app.config["SQLALCHEMY_DATABASE_URI"] = _with_driver(url)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = _engine_options(url)
    db.init_app(app)
    with app.app_context():
        if db.engine.dialect.name == "sqlite":
            _prepare_sqlite(db.engine)
        else:
            _ask_before_use(db.engine)
            _answer_as_asked(db.engine)
            app.extensions["einvoice_driver"] = DriverConnections(db.engine, _BY_KEY)


def _with_driver(url: str) -> str:
    """postgresql:// means psycopg 3 here, whatever SQLAlchemy's default is."""
    scheme, separator, rest = url.partition("://")
    if scheme in {"postgres", "postgresql"}:
        scheme = "postgresql+psycopg"
    return f"{scheme}{separator}{rest}"


def _engine_options(url: str) -> dict[str, Any]:
    quiet = {"hide_parameters": True}  # a failed statement is logged, never what it was to store
    if url.startswith("sqlite"):
        return quiet | {"connect_args": {"timeout": 30}}
    fresh = {"connect_args": {"options": _FRESH}}
    return quiet | {"pool_recycle": 3600} | _POOL | fresh


# Every statement of ours finds its rows by a key. A plan that was made while a table was small, or
# before its first statistics, must not be kept when it has grown. `run_on_driver` and `keep_plans`
# keep theirs: there planning would cost as much as the work.
_BY_KEY = "-c jit=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
_FRESH = f"{_BY_KEY} -c plan_cache_mode=force_custom_plan"
_POOL = {"pool_size": 24, "max_overflow": 8}


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("read_only"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")


# So many transmissions, known by statistics, and no plan walks through them to find a job's.
_GROWN = """
SELECT set_config('plan_cache_mode', 'auto', false) FROM pg_class
WHERE oid = to_regclass('transmissions') AND reltuples > 10000
"""


def keep_plans(app: Flask) -> None:
    """For processes that run the same few statements all day: plan each once per connection.

    Planning was a fifth of what a job costs in PostgreSQL. Connections that were opened while the
    tables were small go on planning anew, until they are recycled: a plan of that time walks
    through all transmissions to settle forty (measured: 25 ms among 1,500, growing).
    """
    with app.app_context():
        if is_postgresql():

            @event.listens_for(db.engine, "connect")
            def _keep(connection: Any, _: Any) -> None:
                connection.execute(_GROWN)
                connection.commit()


# A connection that worked a moment ago is not asked whether it lives: under load that would be a
# round trip more for every statement. SQLAlchemy's own pool_pre_ping always asks.
_SURELY_ALIVE = 1.0


def _ask_before_use(engine: Engine) -> None:
    @event.listens_for(engine, "checkin")
    def _remember(_: Any, record: Any) -> None:
        record.info["used"] = clock.monotonic()

    @event.listens_for(engine, "checkout")
    def _ask(connection: Any, record: Any, _: Any) -> None:
        if clock.monotonic() - record.info.get("used", clock.monotonic()) > _SURELY_ALIVE:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as fault:
                raise sa.exc.DisconnectionError from fault


# An execution option for statements that answer with documents: PostgreSQL's own form of bytes is
# half as long as the text it would make of them (measured: a tenth of what a job costs there).
AS_BYTES = {"as_bytes": True}


def _answer_as_asked(engine: Engine) -> None:
    @event.listens_for(engine, "before_cursor_execute")
    def _choose(_: Any, cursor: Any, __: Any, ___: Any, context: Any, ____: Any) -> None:
        if context is not None and context.execution_options.get("as_bytes"):
            cursor.format = psycopg.pq.Format.BINARY


@contextmanager
def writing() -> Iterator[Connection]:
    """One transaction: commits at the end of the block, rolls back on an exception."""
    with db.engine.begin() as connection:
        yield connection


@contextmanager
def reading() -> Iterator[Connection]:
    """Statements outside a transaction: each sees what is committed."""
    with db.engine.connect() as connection:
        yield connection.execution_options(read_only=True, **_READ[connection.dialect.name])


@contextmanager
def writing_session() -> Iterator[Session]:
    """Flask-SQLAlchemy's session as one transaction: like `writing`, for models.

    Models are detached at the end of the block: take out of them what is returned.
    """
    session = db.session()
    try:
        yield session
        session.commit()
    finally:
        session.close()  # rolls back what was not committed


@contextmanager
def reading_session() -> Iterator[Session]:
    """The session without a transaction that locks: like `reading`, for models."""
    session = db.session()
    try:
        options = {"read_only": True, **_READ[db.engine.dialect.name]}
        session.connection(execution_options=options)
        yield session
    finally:
        session.close()


_READ: dict[str, dict[str, Any]] = {
    "postgresql": {"isolation_level": "AUTOCOMMIT"},
    "sqlite": {},
}


def is_postgresql() -> bool:
    return db.engine.dialect.name == "postgresql"


class RowExists(Exception):
    """A row of this primary key exists: the statement had been carried out before."""


def run_on_driver(sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """Run one PostgreSQL statement that commits by itself, and return its one row.

    One round trip (measured: 155 us against 396 through the SQLAlchemy engine). The statement must
    bring its own primary keys: when the connection breaks it is run once more, and a key that is
    there by then is RowExists.
    """
    connections: DriverConnections = current_app.extensions["einvoice_driver"]
    try:
        try:
            return connections.row(sql, parameters)
        except psycopg.OperationalError:
            return connections.row(sql, parameters)
    except psycopg.errors.UniqueViolation as fault:
        raise RowExists from fault
