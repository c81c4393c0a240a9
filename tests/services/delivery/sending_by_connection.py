"""Connections at the toll authority, and what a worker does with the documents sent by them."""

from __future__ import annotations

import contextlib
import uuid
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.network.connections import Connection
from einvoice.services.connections import accounts, checks, sealing
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.services.delivery import transmit
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from tests.crashes import Crash, crash_before


def a_connection(
    tenant: str, runtime: Runtime, toll: Any, account: str = "NL1"
) -> ConnectionRecord:
    """A connection for which consent was given."""
    credentials = {"clientSecret": "cs-very-secret"}
    new = NewConnection(Environment.TEST, "toll", account, credentials=credentials)
    return consented(accounts.create(tenant, new, runtime), runtime, toll)


def consented(made: ConnectionRecord, runtime: Runtime, toll: Any) -> ConnectionRecord:
    code = toll.authority.consent(made.account)
    return checks.run(made, lambda c: toll.point.authorised(c, code, ""), runtime, "Ann")


def opened_connection(connection: ConnectionRecord, runtime: Runtime) -> Connection:
    """The connection as it is stored now, with its secrets."""
    with db.reading_session() as database:
        row = stored.find(database, connection.tenant_id, connection.id)
        assert row is not None
        return sealing.opened(stored.sealed(row), runtime.settings)


def work(runtime: Runtime, tenant: str, crash: int | None = None, rounds: int = 1) -> None:
    """Rounds of a relay and its worker, which dies before the statement with the number `crash`."""
    for _ in range(rounds):
        for lane in outbox.LANES:
            token, now, lease = uuid.uuid4().hex, clock.now(), timedelta(seconds=30)
            rows = outbox.claim(lane, tenant, 100, token=token, now=now, lease=lease)
            with contextlib.suppress(Crash), crash_before(crash):
                transmit.advance([row.id for row in rows], token, runtime)


def lanes() -> list[str]:
    """The lanes of all rows of the outbox."""
    with db.reading() as found:
        return sorted(found.execute(sa.select(Outbox.lane)).scalars())
