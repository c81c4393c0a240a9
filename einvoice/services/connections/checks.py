"""Calling an access point with a connection, and storing what it found out.

A connection is used by one call at a time: the caller holds a lease of its row. So of two workers
that refresh one token, the second gets the token that the first has stored. The call runs outside
of any transaction, in a thread of its own (network/calls). That thread stores the outcome itself,
also after the caller has given up: a token that was issued late is not lost while the lease lasts.
Outcomes are stored by compare-and-set: one for credentials that were replaced meanwhile is dropped.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain import connections as domain
from einvoice.domain.connections import State
from einvoice.domain.errors import Conflict, NotFound, TooBusy
from einvoice.network import calls
from einvoice.network.connections import (
    Broken,
    CheckOutcome,
    Connection,
    NeedsPerson,
    NotChecked,
    Works,
)
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.connections import changes, consent_groups, network_faults, sealing
from einvoice.services.runtime import Runtime
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import ConnectionRecord, SealedConnection
from einvoice.store.core import db

log = logging.get(__name__)

WAIT_SECONDS = 10.0  # for another call with the connection
# A call that is given up may still store what it has found out.
LEASE = timedelta(seconds=4 * calls.CONNECTION_SECONDS)
_PAUSE_SECONDS = 0.01
MAX_REASON = 500  # characters
_MIN_SECRET = 4  # characters: shorter ones are words
_UNANSWERED = "The network did not answer."
_FAULTY = "The access point failed while it checked the connection."
_ENDED = "The connection has ended."
UNREADABLE = "The stored credentials cannot be read: give them again."

Call = Callable[[Connection], CheckOutcome]


def find(tenant_id: str, connection_id: str) -> ConnectionRecord:
    """The tenant's connection. Raises NotFound."""
    with db.reading_session() as database:
        found = stored.find(database, tenant_id, connection_id)
        if found is None:
            raise unknown(connection_id)
        return stored.record(found)


def unknown(connection_id: str) -> NotFound:
    """The refusal of an id that no connection of the tenant has."""
    return NotFound(f"There is no connection {connection_id}.")


def run(
    record: ConnectionRecord,
    call: Call,
    runtime: Runtime,
    consent_by: str | None = None,
    seen: Connection | None = None,
) -> ConnectionRecord:
    """Call the access point with the connection and store the outcome; the connection after it.

    consent_by  the person who has just given consent, stored if the account works
    seen        call it only if these are still the stored credentials

    Raises NotFound, Conflict (revoked), TooBusy (another call has the connection).
    """
    token = str(uuid.uuid4())
    leased = _lease(record, token)
    try:
        calls.connections.call(
            record.access_point,
            lambda: _call_and_store(leased, token, call, runtime, consent_by, seen),
            calls.CONNECTION_SECONDS,
        )
    except calls.PluginBusy as fault:
        log.warning("connection not checked", connection=record.id, fault=str(fault))
        _note(record, _UNANSWERED)
    return find(record.tenant_id, record.id)


def _lease(record: ConnectionRecord, token: str) -> SealedConnection:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        now = clock.now()
        leased = stored.lease(record.tenant_id, record.id, token, now, now + clock.lasting(LEASE))
        if leased is not None:
            return leased
        if find(record.tenant_id, record.id).state == State.REVOKED:
            raise Conflict("This connection is revoked.")
        if time.monotonic() > deadline:
            raise TooBusy("This connection is being checked: try again in a moment.")
        time.sleep(_PAUSE_SECONDS)


def _call_and_store(
    leased: SealedConnection,
    token: str,
    call: Call,
    runtime: Runtime,
    consent_by: str | None,
    seen: Connection | None = None,
) -> None:
    with runtime.context():
        try:
            connection = sealing.opened(leased, runtime.settings)
            if seen is not None and connection.credentials != seen.credentials:
                return
            outcome = _outcome(connection, call)
            store(leased, connection, outcome, runtime.settings, consent_by)
        except SealBroken as fault:
            log.error("connection cannot be opened", connection=leased.id, fault=str(fault))
            _note(leased, UNREADABLE)
        finally:
            stored.release(leased.id, token, leased.consent_id)


def _outcome(connection: Connection, call: Call) -> CheckOutcome:
    """The outcome of the access point; NotChecked for an exception or a faulty outcome."""
    try:
        outcome = call(connection)
    except Exception as fault:  # noqa: BLE001 - of a plugin; its text may hold a secret
        log.warning("connection not checked", connection=connection.id, fault=type(fault).__name__)
        return NotChecked(_FAULTY)
    if isinstance(outcome, NotChecked):
        return outcome
    if not isinstance(outcome, Works | NeedsPerson | Broken):
        log.error("not an outcome", connection=connection.id, type=type(outcome).__name__)
        return NotChecked(_FAULTY)
    if outcome.connection_id != connection.id:
        log.error("outcome of another connection", connection=connection.id)
        return NotChecked(_FAULTY)
    return outcome


def store(
    leased: SealedConnection,
    connection: Connection,
    outcome: CheckOutcome,
    settings: Settings,
    consent_by: str | None = None,
) -> None:
    """Store what an access point has found out about the connection, unless it was changed."""
    if isinstance(outcome, NotChecked):
        _note(leased, shown(outcome.reason, connection.credentials))
        return
    state, blamed = State(leased.state), True
    if isinstance(outcome, Works):
        network_faults.works(leased, state)
    else:
        blamed = not network_faults.is_of_network(leased, state)
    try:
        values = _values(leased, connection, outcome, settings)
        if not blamed:
            values |= {"state": leased.state, "reason": network_faults.REASON}
    except sealing.TooMuchToSeal as fault:
        log.error("outcome not stored", connection=leased.id, fault=str(fault))
        _note(leased, _FAULTY)
        return
    if consent_by is not None and isinstance(outcome, Works):
        values |= {"consent_by": consent_by, "consent_at": values["checked_at"]}
    with db.writing_session() as database:
        others = consent_groups.others(database, leased)
        if others and consent_by is not None and not isinstance(outcome, Works):
            log.info("consent of a person without the right", connection=leased.id)
            _note_in(database, leased, str(values["reason"]))
            return
        if not stored.change(database, leased, values):
            log.warning("outcome dropped: the connection was changed", connection=leased.id)
            return
        changes.announce(database, leased.tenant_id, leased.id, state)
        if isinstance(outcome, Works):
            changes.complete_link(database, leased.tenant_id, leased.id, state, consent_by)
        if blamed:
            consent_groups.follow(database, others, outcome, values)


def _values(
    leased: SealedConnection,
    connection: Connection,
    outcome: Works | NeedsPerson | Broken,
    settings: Settings,
) -> dict[str, Any]:
    """The columns that the outcome changes."""
    now = clock.now()
    values: dict[str, Any] = {"checked_at": now, "updated_at": now}
    for column, given in (("credentials", outcome.credentials), ("plugin_state", outcome.state)):
        if given is not None:
            values[column] = sealing.sealed_again(leased, column, given, settings)
    match outcome:
        case Works():
            state = domain.working_state(outcome.expires_at, now)
            reason = _ENDED if state is State.NEEDS_PERSON else None
            values |= {"expires_at": outcome.expires_at, "valid_until": outcome.valid_until}
        case NeedsPerson():
            state, reason = State.NEEDS_PERSON, outcome.reason
        case Broken():
            state, reason = State.BROKEN, outcome.reason
    secrets = {**connection.credentials, **(outcome.credentials or {})}
    values |= {"state": state.value, "reason": reason and shown(reason, secrets)}
    return values


def _note(record: ConnectionRecord | SealedConnection, reason: str) -> None:
    """Store why a check has found out nothing. The state stays."""
    with db.writing_session() as database:
        _note_in(database, record, reason)


def _note_in(
    database: DatabaseSession, record: ConnectionRecord | SealedConnection, reason: str
) -> None:
    found = stored.find(database, record.tenant_id, record.id, locked=True)
    if found is not None and found.state != State.REVOKED:
        found.reason, found.updated_at = reason, clock.now()


def shown(reason: str, credentials: Mapping[str, str]) -> str:
    """A reason without the secrets of the connection, and not longer than MAX_REASON."""
    for secret in sorted(credentials.values(), key=len, reverse=True):
        if len(secret) >= _MIN_SECRET:
            reason = reason.replace(secret, "…")
    return reason[:MAX_REASON]
