"""Whether a verified participant id of a tenant is published: read, asked for, withdrawn.

Verified ids are published without being asked for (services/participants/entries). What is asked
for here changes the claim, and an outbox row of the same transaction has the directory follow.
"""

from __future__ import annotations

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.claims import NOT_OWNED, ClaimStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import Publication
from einvoice.services.account import audit
from einvoice.services.participants.entries import publishing
from einvoice.services.principal import Reader
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import entries, participants
from einvoice.store.account.participants import OwnedParticipant as OwnedParticipant
from einvoice.store.core import db
from einvoice.store.tables import Participant

_PUBLISHED, _WITHDRAWN = "participant.publish", "participant.withdraw"


def get(tenant_id: str, environment: Environment, participant: ParticipantId) -> OwnedParticipant:
    """The tenant's participant id or claim, with its publication. Raises NotFound."""
    found = participants.find(tenant_id, environment.value, participant.canonical)
    if found is None:
        raise NotFound(NOT_OWNED)
    return found


def publish(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    runtime: Runtime,
    by: Reader | None = None,
) -> OwnedParticipant:
    """Have the id published, also after it was withdrawn or refused; it as it is then.

    Repeating it changes nothing. Raises NotFound, Conflict (the claim is not verified, no network
    publishes it, or another provider has it).
    """
    with db.writing_session() as database:
        row = _decided(database, tenant_id, environment, participant)
        if publishing(participant, environment, runtime.access_points) is None:
            raise Conflict(f"No network of {environment} publishes {participant}.")
        known = participants.published(row)
        if known.has_left:
            raise Conflict(
                f"Another provider has {participant}: take it over by the migration key that it "
                "makes (move-in)."
            )
        wanted = known.asked_for(clock.now())
        participants.set_published(row, wanted)
        _record(database, row, _PUBLISHED, by, is_new=wanted != known)
        _ask(database, row, is_new=wanted != known or wanted.status is Publication.REFUSED)
        return participants.record(row)


def withdraw(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    by: Reader | None = None,
) -> OwnedParticipant:
    """Have the id unpublished, and keep it; it as it is then. It sends, and is no receiver.

    Repeating it changes nothing. Raises NotFound, Conflict (the claim is not verified).
    """
    with db.writing_session() as database:
        row = _decided(database, tenant_id, environment, participant)
        known = participants.published(row)
        wanted = known.withdrawn(clock.now())
        participants.set_published(row, wanted)
        _record(database, row, _WITHDRAWN, by, is_new=wanted != known)
        database.flush()
        entries.ask_again(database.connection(), row.environment, row.participant)
        return participants.record(row)


def _decided(
    database: DatabaseSession, tenant_id: str, environment: Environment, participant: ParticipantId
) -> Participant:
    """The tenant's verified id, locked. Raises NotFound, Conflict (it is not verified)."""
    row = participants.lock(database, tenant_id, environment.value, participant.canonical)
    if row is None:
        raise NotFound(NOT_OWNED)
    if row.status != ClaimStatus.VERIFIED:
        raise Conflict(f"The claim of {participant} is {row.status}: it is published if verified.")
    return row


def _record(
    database: DatabaseSession, row: Participant, action: str, by: Reader | None, *, is_new: bool
) -> None:
    if is_new:
        name = f"{row.environment}/{row.participant}"
        audit.record(database, row.tenant_id, by, action, name)


def _ask(database: DatabaseSession, row: Participant, *, is_new: bool) -> None:
    """Have a worker settle the entry; what is as it was, unless one is about to."""
    database.flush()
    connection = database.connection()
    if not is_new:
        entry_id = entries.of(connection, row.environment, row.participant)
        if entry_id is not None and outbox.is_enqueued(connection, entry_id):
            return
    entries.ask(connection, row.tenant_id, row.environment, row.participant)
