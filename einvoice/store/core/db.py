"""The database: one engine per process and explicit transactions, on PostgreSQL and SQLite.

`writing()` is a transaction that commits at the end of its block; `reading()` takes no locks.
On SQLite a writing transaction is BEGIN IMMEDIATE: it waits for its turn instead of failing later.

What people and operators administer uses Flask-SQLAlchemy as it is documented, with models in a
session (`writing_session`, `reading_session`): tenants, participants, API keys and OAuth clients,
webhook endpoints, customers and suppliers, the audit log. Its lists are read after a position, not
by `paginate`: pages by offset skip and repeat rows while others write, and cost what they skip.

What runs for every send, delivery and authenticated request, or for many rows at once, executes
statements on a connection (`writing`, `reading`) or on the driver: authentication, invoices,
transmissions, outbox, events, webhook deliveries, lookups, lists of invoices, imports. Reading an
API key by a model in a session takes 225 us, by a statement that is built once 60 us; building
that statement in each call takes as long as the model (SQLite, one thread).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, LiteralString, TypeVar

import psycopg
import sqlalchemy as sa
from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.orm import DeclarativeBase, Session

from einvoice.store.core import first_write, postgresql
from einvoice.store.core.driver import DriverConnections, Statement
from einvoice.store.core.postgresql import Optimisations
from einvoice.store.core.replica import AWAY, Replica
from einvoice.store.core.resources import resources
from einvoice.store.core.types import Moment, Money

T = TypeVar("T")

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    metadata = sa.MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: Moment,
        Decimal: Money,
        bytes: sa.LargeBinary,
        dict: sa.JSON,
    }


db = SQLAlchemy(metadata=Base.metadata)


def is_url(text: str) -> bool:
    """Whether this is a URL by which a database can be opened, on one host or several.

    An @ in its password would be taken for the end of it, and the rest for a host, which the
    resolver would show.

    >>> is_url("postgresql://u:p%40ss@h/db"), is_url("postgresql://u:p@ss@h/db")
    (True, False)
    """
    try:
        host = sa.make_url(_with_driver(text)).host
    except (sa.exc.ArgumentError, ValueError):
        return False
    return "@" not in (host or "")


def init_app(
    app: Flask, url: str, optimisations: Optimisations, *, pooled: bool = False
) -> DriverConnections | None:
    """Bind the engine to the app; the connections of `run_on_driver`, if it is to be used.

    `pooled`: a pooler shares connections, so nothing may outlive a transaction.
    """
    app.config["SQLALCHEMY_DATABASE_URI"] = _with_driver(url)
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = _engine_options(url, optimisations, pooled)
    db.init_app(app)
    with app.app_context():
        if is_postgresql():
            if not pooled:
                postgresql.refuse_pooler(db.engine)
            return _prepare_postgresql(db.engine, optimisations)
        _prepare_sqlite(db.engine)
        return None


def open_replica(url: str, app: Flask, optimisations: Optimisations, *, pooled: bool) -> Replica:
    """The standby at this URL. Nothing is connected yet."""
    options = _engine_options(url, optimisations, pooled) | _OF_REPLICA
    options["connect_args"] = {**options["connect_args"], "connect_timeout": 2}
    engine = sa.create_engine(_with_driver(url), **options)
    postgresql.begin_by_key(engine)
    postgresql.read_again_after_changes(engine)
    if optimisations.late_ping:
        postgresql.ping_when_idle(engine)
    with app.app_context():
        return Replica(engine, db.engine)


def engine_beside_pool(url: str, *, pooled: bool, connect_seconds: int) -> Engine:
    """An engine with one connection, which is there when all of the pool are in use."""
    if url.startswith("sqlite"):
        return sa.create_engine(url, connect_args={"timeout": connect_seconds})
    options = _engine_options(url, postgresql.NONE, pooled) | {"pool_size": 1, "max_overflow": 0}
    options |= {"pool_pre_ping": False}
    options["connect_args"] = {**options["connect_args"], "connect_timeout": connect_seconds}
    engine = sa.create_engine(_with_driver(url), **options)
    if not pooled:
        postgresql.refuse_pooler(engine)
    return engine


# Of requests that read lists; others wait a second for a connection, and read from the primary.
_OF_REPLICA = {"pool_size": 8, "max_overflow": 8, "pool_timeout": 1}


def optimisations() -> Optimisations:
    """Which optimisations the store of this application uses."""
    return resources().optimisations


def _with_driver(url: str) -> str:
    """The URL with psycopg 3 as the driver of postgresql://; SQLAlchemy's default is another."""
    scheme, separator, rest = url.partition("://")
    if scheme in {"postgres", "postgresql"}:
        scheme = "postgresql+psycopg"
    return f"{scheme}{separator}{_with_hosts_in_query(rest)}"


def _with_hosts_in_query(rest: str) -> str:
    """Several hosts, as libpq has them in a URL, in the form of SQLAlchemy.

    >>> _with_hosts_in_query("user:word@a:5433,b/name?target_session_attrs=read-write")
    'user:word@/name?target_session_attrs=read-write&host=a,b&port=5433,5432'
    """
    address, slash, path = rest.partition("/")
    login, at, places = address.rpartition("@")
    if "," not in places:
        return rest
    hosts, ports = zip(*(_host_and_port(place) for place in places.split(",")), strict=True)
    sign = "&" if "?" in path else "?"
    return f"{login}{at}{slash or '/'}{path}{sign}host={','.join(hosts)}&port={','.join(ports)}"


def _host_and_port(place: str) -> tuple[str, str]:
    host, colon, port = place.rpartition(":")
    return (host, port) if colon and port.isdigit() else (place, "5432")


def _engine_options(url: str, optimisations: Optimisations, pooled: bool) -> dict[str, Any]:
    common = {"hide_parameters": True}  # a log of a failed statement shows no invoice
    if url.startswith("sqlite"):
        return common | {"connect_args": {"timeout": 30}}
    given = sa.make_url(_with_driver(url)).query
    deadlines = {n: v for n, v in postgresql.CONNECTION_DEADLINES.items() if n not in given}
    session = {"prepare_threshold": None} if pooled else {"options": postgresql.CONNECTION_OPTIONS}
    return common | {
        "pool_recycle": 3600,
        "pool_size": 24,
        "max_overflow": 8,
        "pool_pre_ping": not optimisations.late_ping,
        "connect_args": {**session, **deadlines},
    }


def _prepare_postgresql(engine: Engine, optimisations: Optimisations) -> DriverConnections | None:
    postgresql.begin_by_key(engine)
    postgresql.read_again_after_changes(engine)
    if optimisations.late_ping:
        postgresql.ping_when_idle(engine)
    if optimisations.binary_documents:
        postgresql.return_bytes_in_binary(engine)
    if not optimisations.accepting_statement:
        return None
    return DriverConnections(engine, postgresql.DRIVER_OPTIONS, postgresql.CONNECTION_DEADLINES)


def keep_plans(app: Flask) -> None:
    """Keep plans of statements, for processes that run the same few all day (see postgresql)."""
    with app.app_context():
        if is_postgresql() and optimisations().kept_plans:
            postgresql.keep_plans(db.engine)


def _prepare_sqlite(engine: Engine) -> None:
    """Set the database up for several processes at once."""

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # `_begin` says BEGIN
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("read_only"):
            connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def writing() -> Iterator[Connection]:
    """One transaction: commits at the end of the block, rolls back on an exception."""
    with first_write.performed() as act, db.engine.begin() as connection:
        if act:
            act(connection)
        yield connection


@contextmanager
def reading() -> Iterator[Connection]:
    """Statements outside a transaction: each sees what is committed."""
    with db.engine.connect() as connection:
        yield connection.execution_options(read_only=True, **_READ[connection.dialect.name])


@contextmanager
def writing_by_key() -> Iterator[Connection]:
    """Like `writing`; PostgreSQL looks rows up by their indexes (see postgresql.begin_by_key)."""
    with first_write.performed() as act, _transaction_by_key() as connection:
        if act:
            act(connection)
        yield connection


@contextmanager
def _transaction_by_key() -> Iterator[Connection]:
    with db.engine.connect() as connection:
        connection.execution_options(**postgresql.BY_KEY)
        with connection.begin():
            yield connection


@contextmanager
def reading_by_key() -> Iterator[Connection]:
    """Like `reading`; PostgreSQL looks rows up by their indexes, in one transaction."""
    with _transaction_by_key() if is_postgresql() else reading() as connection:
        yield connection


def read_replicated(read: Callable[[Connection], T]) -> T:
    """Read what may be seconds old: from the replica if there is one, else by `reading_by_key`.

    For lists, search and reports, never for what decides about a send. `read` is called again, on
    the primary, if a statement fails on the replica.
    """
    replica = resources().replica
    if replica is not None and replica.is_usable():
        try:
            with replica.engine.connect().execution_options(**postgresql.BY_KEY) as connection:
                return read(connection)
        except AWAY as fault:
            replica.give_up(fault)
    with reading_by_key() as connection:
        return read(connection)


@contextmanager
def writing_session() -> Iterator[Session]:
    """Flask-SQLAlchemy's session as one transaction: like `writing`, for models.

    Models are detached at the end of the block: take out of them what is returned.
    """
    session = db.session()
    try:
        with first_write.performed() as act:
            if act:
                act(session.connection())
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
    """A row with this primary key exists: the statement was committed before."""


def run_on_driver(sql: LiteralString, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """Run one PostgreSQL statement that commits by itself, and return its one row.

    One round trip (measured: 155 us against 396 through the SQLAlchemy engine). The statement must
    insert primary keys given as parameters: after a broken connection it is run a second time.
    Raises RowExists if a key is there already.
    """
    connections = _driver()
    try:
        try:
            return connections.row(sql, parameters)
        except (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable):
            raise  # its time is over
        except psycopg.OperationalError:
            return connections.row(sql, parameters)
    except psycopg.errors.UniqueViolation as fault:
        raise RowExists from fault


def run_together_on_driver(statements: Sequence[Statement]) -> list[tuple[Any, ...]] | None:
    """Run PostgreSQL statements in one transaction; the one row of each.

    None after a fault: run each by itself (`run_on_driver`), which repeats none that was committed.
    """
    try:
        return _driver().rows(statements)
    except psycopg.Error:
        return None


def _driver() -> DriverConnections:
    connections = resources().driver
    if connections is None:
        raise RuntimeError("this application runs no statements on the driver")
    return connections
