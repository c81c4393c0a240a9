"""Consents that connections share, and what the outcome of a check changes at the others.

The caller of `follow` holds the lease of the consent, and has stored the outcome of its connection.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain import connections as domain
from einvoice.domain.connections import USABLE, State
from einvoice.network.connections import Broken, NeedsPerson, Works
from einvoice.services.connections import changes
from einvoice.store import outbox
from einvoice.store.connections import shared_consents
from einvoice.store.connections.connections import SealedConnection
from einvoice.store.tables import Connection, SharedConsent

CHECK_PREFIX = "chk_"  # of the outbox row of a connection's checks


def add_consent(database: DatabaseSession, connection: Connection) -> None:
    """Let a connection use a consent of its own, which is still to be given."""
    connection.consent_id = str(uuid.uuid4())
    database.add(
        SharedConsent(
            id=connection.consent_id,
            tenant_id=connection.tenant_id,
            environment=connection.environment,
            access_point=connection.access_point,
            version=1,
            created_at=clock.now(),
        )
    )


def others(database: DatabaseSession, connection: SealedConnection) -> list[Connection]:
    """The other connections that use its consent, locked; the consent is locked before."""
    if connection.consent is None:
        return []
    shared_consents.lock(database, connection.consent.id)
    return shared_consents.connections(database, connection.consent.id, but=connection.id)


def follow(
    database: DatabaseSession,
    others: Sequence[Connection],
    outcome: Works | NeedsPerson | Broken,
    values: Mapping[str, Any],
) -> None:
    """Store at the others what is true of the whole consent: its end, its times, who gave it.

    values  the columns that the outcome has changed

    After new consent they are checked at once: it may not cover them.
    """
    now = clock.now()
    for one in others:
        before = State(one.state)
        if isinstance(outcome, Works) and outcome.credentials is not None:
            _renew(one, outcome, now)
        elif isinstance(outcome, NeedsPerson) and outcome.consent_ended and before in USABLE:
            one.state, one.reason = State.NEEDS_PERSON.value, values["reason"]
            one.updated_at = now
        if "consent_by" in values:
            one.consent_by, one.consent_at = values["consent_by"], values["consent_at"]
            outbox.make_due(database.connection(), CHECK_PREFIX + one.id, now)
        database.flush()
        if one.state != before:
            changes.announce(database, one.tenant_id, one.id, before)


def _renew(one: Connection, outcome: Works, now: datetime) -> None:
    one.expires_at, one.valid_until = outcome.expires_at, outcome.valid_until
    if State(one.state) in USABLE:
        one.state = domain.working_state(outcome.expires_at, now).value
