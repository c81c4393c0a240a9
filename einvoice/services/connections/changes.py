"""The effects of a change of a connection's state: events, and its documents wait or are due."""

from __future__ import annotations

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain import connections as domain
from einvoice.domain.connections import State
from einvoice.domain.events import CONNECTION_NEEDS_PERSON, CONNECTION_RESTORED
from einvoice.services.connections import parked_documents
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.webhooks import events


def announce(database: DatabaseSession, tenant_id: str, connection_id: str, before: State) -> None:
    """Emit the event of a change of state, in the caller's transaction.

    Documents of the connection are parked, or due again.
    """
    found = stored.find(database, tenant_id, connection_id)
    if found is None:
        return
    after = State(found.state)
    parked_documents.park_or_resume(database.connection(), connection_id, after)
    if after is State.NEEDS_PERSON and before is not after:
        _emit(database, stored.record(found), CONNECTION_NEEDS_PERSON)
    elif domain.is_restored(before, after):
        _emit(database, stored.record(found), CONNECTION_RESTORED)


def _emit(database: DatabaseSession, connection: ConnectionRecord, event_type: str) -> None:
    events.emit(
        database.connection(),
        tenant_id=connection.tenant_id,
        environment=connection.environment,
        event_type=event_type,
        invoice_id=None,
        payload=payload(connection),
    )


def payload(connection: ConnectionRecord) -> dict[str, object]:
    """The members of all events of a connection."""
    return {
        "connectionId": connection.id,
        "name": connection.name,
        "network": connection.network,
        "account": connection.account,
        "state": connection.state,
        "reason": connection.reason,
        "expiresAt": None
        if connection.expires_at is None
        else clock.timestamp(connection.expires_at),
    }
