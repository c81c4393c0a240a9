"""The effects of a change of a connection's state: events, and its documents wait or are due."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain import connections as domain
from einvoice.domain.connections import USABLE, State
from einvoice.domain.events import (
    CONNECTION_NEEDS_PERSON,
    CONNECTION_OPENED,
    CONNECTION_RESTORED,
)
from einvoice.domain.roles import Role
from einvoice.services.account import audit
from einvoice.services.connections import parked_documents
from einvoice.services.principal import Session
from einvoice.store.connections import connections as stored
from einvoice.store.connections import links
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.webhooks import events

LINK_USED = "connectionLink.used"
# A consent that began while its link was open may end after that.
LINK_GRACE = timedelta(minutes=15)


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


def complete_link(
    database: DatabaseSession,
    tenant_id: str,
    connection_id: str,
    before: State,
    person: str | None,
) -> None:
    """End the link of a connection that works now, as used, in the caller's transaction.

    person  who has just given consent or credentials; None: a check of what was given before

    The event says that the connection is open: with its first check that succeeds, and whenever a
    link was used.
    """
    found = stored.find(database, tenant_id, connection_id)
    if found is None or State(found.state) not in USABLE or (person is None and before in USABLE):
        return
    link_id = links.use(database, connection_id, clock.now(), LINK_GRACE)
    if link_id is not None:
        holder = Session(tenant_id, subject=link_id, email=person, role=Role.ADMIN)
        audit.record(database, tenant_id, holder, LINK_USED, connection_id)
    if link_id is not None or before is State.SETTING_UP:
        _emit(database, stored.record(found), CONNECTION_OPENED, linkId=link_id)


def _emit(
    database: DatabaseSession, connection: ConnectionRecord, event_type: str, **more: object
) -> None:
    events.emit(
        database.connection(),
        tenant_id=connection.tenant_id,
        environment=connection.environment,
        event_type=event_type,
        invoice_id=None,
        payload={**payload(connection), **more},
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
