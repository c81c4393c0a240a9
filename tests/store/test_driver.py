"""The connections of the accepting statement: kept, shared out, and opened again when they died."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from flask import Flask

from einvoice.store.core import db, driver
from einvoice.store.core.driver import DriverConnections
from einvoice.store.core.postgresql import CONNECTION_DEADLINES, DRIVER_OPTIONS
from einvoice.store.core.resources import resources_of
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_sends import Accepted
from tests.builders import new_send

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

DIVISION = "SELECT 1 / %(by)s::integer"
MEANWHILE = "SELECT pg_advisory_xact_lock_shared(7), pg_backend_pid()"


@pytest.fixture
def connections(app: Flask) -> DriverConnections:
    found = resources_of(app).driver
    assert found is not None
    return found


def two_at_once(connections: DriverConnections, database_url: str) -> set[int]:
    """The server processes that answered two threads at the same time."""
    with psycopg.connect(database_url, autocommit=True) as gate, ThreadPoolExecutor(2) as threads:
        gate.execute("SELECT pg_advisory_lock(7)")
        asked = [threads.submit(connections.row, MEANWHILE, {}) for _ in range(2)]
        while _waiting(gate) < 2:
            time.sleep(0.01)
        gate.execute("SELECT pg_advisory_unlock(7)")
        return {one.result()[1] for one in asked}


def _waiting(gate: psycopg.Connection) -> int:
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    [(count,)] = gate.execute(query).fetchall()
    return int(count)


def test_threads_that_ask_at_once_have_a_connection_each(connections, database_url):
    """And the next one takes what they have left."""
    servers = two_at_once(connections, database_url)

    assert len(servers) == 2
    assert connections.row(MEANWHILE, {})[1] in servers


def test_connections_that_died_together_cost_no_send(connections, tenant, database_url):
    """A restarted database closes all of them: a send may not find one dead after the other."""
    servers = two_at_once(connections, database_url)
    with psycopg.connect(database_url) as other:
        other.execute("SELECT pg_terminate_backend(pid, 60000) FROM unnest(%s) pid", [[*servers]])

    assert acceptance.accept(new_send(tenant)) == Accepted(None)


def test_a_statement_that_is_refused_keeps_its_connection(connections):
    """A row that is there already is no reason to open a connection."""
    [server] = connections.row("SELECT pg_backend_pid()", {})
    with pytest.raises(psycopg.errors.DivisionByZero):
        connections.row("SELECT 1/0", {})

    assert connections.row("SELECT pg_backend_pid()", {}) == (server,)


def test_a_statement_runs_after_a_fault_of_several_at_once(connections):
    """Whenever it was to be prepared: psycopg believes that it was, and the server has not seen it.

    Then every send of the process would fail until its connection is closed.
    """
    failed = []
    for before, size in ((1, 3), (1, 5), (2, 2)):
        connections.dispose()
        for _ in range(before):
            connections.row(DIVISION, {"by": 1})
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero):
                connections.rows([(DIVISION, {"by": 0})] * size)
        try:
            assert connections.row(DIVISION, {"by": 1}) == (1,)
        except psycopg.errors.InvalidSqlStatementName:
            failed.append((before, size))

    assert failed == []


def test_a_send_whose_key_is_locked_ends_within_the_lock_timeout(
    app, tenant, database_url, monkeypatch
):
    """Nothing of it is stored, and it is accepted when the lock is gone."""
    send = new_send(tenant, key="k")
    connections = resources_of(app).driver
    options = DRIVER_OPTIONS.replace("lock_timeout=10s", "lock_timeout=100ms")
    monkeypatch.setitem(connections._keywords, "options", options)
    connections.dispose()
    with psycopg.connect(database_url) as other:
        other.execute(
            "INSERT INTO idempotency_keys (tenant_id, environment, space, key, fingerprint,"
            " invoice_id, transmission_id, created_at)"
            " VALUES (%s, 'test', 'send', 'k', '', 'i', 't', now())", [tenant],
        )  # fmt: skip
        with pytest.raises(psycopg.errors.LockNotAvailable):
            acceptance.accept(send)
        other.rollback()

    assert acceptance.accept(send) == Accepted(None)


@pytest.mark.parametrize("kind", ["engine", "driver"])
def test_connections_have_deadlines(app, kind):
    """A server that has gone is noticed, and a statement does not wait for locks without end."""
    if kind == "engine":
        with db.reading() as connection:
            found = connection.connection.dbapi_connection
            parameters, options = found.info.get_parameters(), found.info.options
    else:
        connection = resources_of(app).driver._acquire()[0].connection
        parameters, options = connection.info.get_parameters(), connection.info.options
        connection.close()

    assert {name: int(parameters[name]) for name in CONNECTION_DEADLINES} == CONNECTION_DEADLINES
    assert ("lock_timeout" if kind == "driver" else "idle_in_transaction") in options


def test_values_are_found_by_name_wherever_they_occur(connections):
    """A name that occurs twice is one parameter."""
    sql = "SELECT %(b)s::int, %(a)s::int - %(b)s::int, %(c)s::text"

    assert connections.row(sql, {"a": 7, "b": 2, "c": "%(a)s"}) == (2, 5, "%(a)s")


def test_a_statement_of_many_parameters_is_parsed_once(connections, monkeypatch):
    """psycopg would parse a statement of more than 50 parameters each time it runs."""
    values = {f"p{number}": number for number in range(60)}
    sql = f"SELECT {' + '.join(f'%({name})s::int' for name in values)}"
    connections.row(sql, values)
    monkeypatch.setattr(driver, "_PARAMETER", None)

    assert connections.row(sql, values) == (1770,)
