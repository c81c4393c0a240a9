"""Moving participant ids from and to other providers of a network (decisions 34.2).

The provider that has a participant makes a migration key; the one that gets it presents the key.
Both calls are made at once and answer with what the network says; no key is stored.
"""

from __future__ import annotations

from sqlalchemy.orm import Session as DatabaseSession

from einvoice.domain.claims import NOT_OWNED, ClaimStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import Publication
from einvoice.network.publishing import EntryRefused, Listed, MigrationKey, NotYet
from einvoice.services.account import audit
from einvoice.services.participants import entries, publications
from einvoice.services.participants.entries import Plan
from einvoice.services.principal import Reader
from einvoice.services.runtime import Runtime
from einvoice.store.account import entries as stored
from einvoice.store.account import participants
from einvoice.store.account.participants import OwnedParticipant
from einvoice.store.core import db
from einvoice.store.tables import Participant

MOVED_OUT, MOVED_IN = "participant.move-out", "participant.move-in"


def move_out(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    runtime: Runtime,
    by: Reader | None = None,
) -> str:
    """A new key by which another provider may take over the tenant's participant id.

    The id stays published here until that provider has used the key. Raises NotFound, Conflict
    (it is not published, or the network refuses), AccessPointUnavailable.
    """
    point = entries.publishing(participant, environment, runtime.access_points)
    with db.writing_session() as database:
        row = _verified(database, tenant_id, environment, participant)
        if point is None or row.publication != Publication.PUBLISHED:
            raise Conflict(f"{participant} is not published by this service: it is moved where "
                           "it is registered.")  # fmt: skip
        audit.record(database, tenant_id, by, MOVED_OUT, f"{environment}/{participant.canonical}")
    match entries.call(point, lambda: point.move_out(participant)):
        case MigrationKey(key):
            return key
        case EntryRefused(reason):
            raise Conflict(f"The network does not let {participant} move: {reason}")
        case NotYet(reason):
            raise AccessPointUnavailable(f"The network did not answer: {reason}. Try it again.")


def move_in(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    key: str,
    runtime: Runtime,
    by: Reader | None = None,
) -> OwnedParticipant:
    """Take the tenant's verified participant id over from another provider; it as it is then.

    key  that the other provider has made

    A process that is killed meanwhile leaves an outbox row, which finds out what has happened.
    Raises NotFound, Conflict (the network refuses the key, the id is published here, or it is
    being written), AccessPointUnavailable.
    """
    with db.writing_session() as database:
        row = _verified(database, tenant_id, environment, participant)
        if row.publication == Publication.PUBLISHED:
            raise Conflict(f"{participant} is published by this service already.")
        if entries.publishing(participant, environment, runtime.access_points) is None:
            raise Conflict(f"No network of {environment} publishes {participant}.")
        name = f"{environment}/{participant.canonical}"
        audit.record(database, tenant_id, by, MOVED_IN, name)
        entry_id = stored.ask(
            database.connection(), tenant_id, environment.value, participant.canonical,
            after=entries.lease_of(runtime),
        )  # fmt: skip
    plan = entries.begin(entry_id, runtime, moves_in=True)
    if not isinstance(plan, Plan):
        raise Conflict(f"{participant} is being published right now. Try it again in a minute.")
    point = plan.point
    outcome = entries.call(
        point, lambda: point.move_in(plan.participant, key, point.receivable, plan.card)
    )
    entries.finish(plan, outcome)
    match outcome:
        case EntryRefused(reason):
            raise Conflict(f"The network does not let {participant} move here: {reason}")
        case NotYet(reason):
            raise AccessPointUnavailable(f"The network did not answer: {reason}. Try it again.")
        case Listed():
            return publications.get(tenant_id, environment, participant)


def _verified(
    database: DatabaseSession, tenant_id: str, environment: Environment, participant: ParticipantId
) -> Participant:
    """The tenant's verified id, locked. Raises NotFound."""
    row = participants.lock(database, tenant_id, environment.value, participant.canonical)
    if row is None or row.status != ClaimStatus.VERIFIED:
        raise NotFound(NOT_OWNED)
    return row
