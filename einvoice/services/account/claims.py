"""Claims of participant ids, and their decisions (decisions 20.1).

In the sandbox a claim is verified at once. In live it is pending, until an operator or the network
verifies it, or at once if it is a number of the tenant that an operator has verified. The answer
to a claim does not depend on whether another tenant has the id: that is seen when it is decided.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain import claims as domain
from einvoice.domain.claims import MAX_OPEN, MAX_SANDBOX, ClaimStatus, DecidedBy
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound, SenderNotOwned, SenderNotVerified
from einvoice.domain.events import PARTICIPANT_REJECTED, PARTICIPANT_VERIFIED
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import Answer, Published
from einvoice.services.account import audit, tenants
from einvoice.services.account.tenants import OwnedParticipant
from einvoice.services.caches import Caches
from einvoice.services.principal import Reader
from einvoice.store import outbox
from einvoice.store.account import entries
from einvoice.store.account import participants as stored
from einvoice.store.account.participants import PendingClaim as PendingClaim
from einvoice.store.core import db
from einvoice.store.tables import Participant, Tenant
from einvoice.store.webhooks import events

MAX_SHOWN = 1_000  # pending claims of a list
_ASSIGNED = "Assigned by the operator."


# -- by the tenant ---------------------------------------------------------------------------------


def claim(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    caches: Caches,
    by: Reader | None = None,
) -> OwnedParticipant:
    """Claim a participant id for the tenant; one that was rejected is claimed once more.

    Raises NotFound, AccountClosed, Conflict (the tenant has the id or claims it, or has MAX_OPEN
    open claims; in the sandbox also: another tenant has it, or the tenant has MAX_SANDBOX ids).
    """
    if environment is Environment.TEST:
        return tenants.own_participant(tenant_id, environment, participant, by, most=MAX_SANDBOX)
    try:
        made = _claim(tenant_id, environment, participant, by, provable=True)
    except IntegrityError:  # another tenant's was verified meanwhile
        made = _claim(tenant_id, environment, participant, by, provable=False)
    caches.participant_owners.drop((environment.value, participant.canonical))
    return made


@dataclass(frozen=True, slots=True)
class Claimed:
    """The tenant's participant id or claim, and whether this call has made it."""

    owned: OwnedParticipant
    is_new: bool


def claim_once(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    caches: Caches,
    by: Reader | None = None,
) -> Claimed:
    """`claim`, unless the tenant has the id or claims it: it is returned as it is then.

    Raises as `claim`, but for that.
    """
    try:
        return Claimed(claim(tenant_id, environment, participant, caches, by), is_new=True)
    except Conflict:
        found = stored.find(tenant_id, environment.value, participant.canonical)
        if found is None or found.status == ClaimStatus.REJECTED:
            raise
        return Claimed(found, is_new=False)


def _claim(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    by: Reader | None,
    *,
    provable: bool,
) -> OwnedParticipant:
    now = clock.now()
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        row = _open_row(database, tenant_id, environment, participant, now)
        action = {"status": row.status}
        audit.record(database, tenant_id, by, "participant.added", _named(row), action)
        if provable and _is_proved(database, tenant, row):
            _decide(database, row, ClaimStatus.VERIFIED, DecidedBy.NUMBER, None)
        else:
            outbox.enqueue(
                database.connection(),
                kind=outbox.CLAIM,
                lane=outbox.CHORES,
                subject_id=row.id,
                tenant_id=tenant_id,
                due_at=now,
            )
        return stored.record(row)


def _open_row(
    database: DatabaseSession,
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    now: datetime,
) -> Participant:
    """The row of a new claim, or the row of a rejected one, pending again. Raises Conflict."""
    canonical = participant.canonical
    row = stored.lock(database, tenant_id, environment.value, canonical)
    if row is not None and row.status != ClaimStatus.REJECTED:
        raise Conflict(f"Your account has {participant} in {environment}: it is {row.status}.")
    if row is None:
        if stored.count_open(database, tenant_id, environment.value) >= MAX_OPEN:
            raise Conflict(f"{MAX_OPEN} claims are open in {environment}: remove some of them.")
        row = Participant(
            id=str(uuid.uuid4()),
            tenant_id=tenant_id,
            environment=environment.value,
            participant=canonical,
        )
        database.add(row)
    row.status, row.created_at = ClaimStatus.PENDING.value, now
    row.decided_at = row.decided_by = row.reason = None
    database.flush()
    return row


def _is_proved(database: DatabaseSession, tenant: Tenant, row: Participant) -> bool:
    """Whether it is a verified number of the tenant, and no other tenant has it."""
    participant = ParticipantId.parse(row.participant)
    if not any(domain.proves(number, participant) for number in tenant.verified_numbers or ()):
        return False
    return not stored.is_verified(database, row.environment, row.participant)


def sender_refusal(
    tenant_id: str, environment: Environment, sender: ParticipantId, field: str
) -> SenderNotOwned | SenderNotVerified:
    """The refusal of a sender id that is not the tenant's; `field` is its name in the request."""
    found = stored.find(tenant_id, environment.value, sender.canonical)
    if found is None or found.status == ClaimStatus.VERIFIED:
        return SenderNotOwned(f"{sender} is not one of your participant ids.")
    if found.status == ClaimStatus.REJECTED:
        message = f"Your claim of {sender} was rejected: {found.reason}"
        return SenderNotVerified(message, found.status, field)
    message = (
        f"Your claim of {sender} of {found.created_at:%Y-%m-%d} is not verified yet: send from it "
        "after the event participant.verified, or ask your operator to approve it."
    )
    return SenderNotVerified(message, found.status, field)


# -- by the operator -------------------------------------------------------------------------------


def assign(
    tenant_id: str, environment: Environment, participant: ParticipantId, caches: Caches
) -> None:
    """Make the participant id the tenant's, whether it claims it or not.

    Raises NotFound, AccountClosed, Conflict (the tenant has it already, or another one).
    """
    found = stored.find(tenant_id, environment.value, participant.canonical)
    if found is None or found.status == ClaimStatus.VERIFIED:
        tenants.own_participant(tenant_id, environment, participant)
        caches.participant_owners.drop((environment.value, participant.canonical))
    else:
        approve(tenant_id, environment, participant, _ASSIGNED, caches)


def approve(
    tenant_id: str,
    environment: Environment,
    participant: ParticipantId,
    reason: str,
    caches: Caches,
) -> None:
    """Verify the tenant's claim. Raises NotFound, AccountClosed, Conflict (another one has it)."""
    try:
        with db.writing_session() as database:
            tenants.locked(database, tenant_id)
            row = _undecided(database, tenant_id, environment, participant)
            _decide(database, row, ClaimStatus.VERIFIED, DecidedBy.OPERATOR, reason)
            detail = {"reason": reason}
            audit.record(database, tenant_id, None, "participant.verified", _named(row), detail)
    except IntegrityError:
        message = f"Another tenant has {participant} in {environment}: remove it there first."
        raise Conflict(message) from None
    caches.participant_owners.drop((environment.value, participant.canonical))


def reject(
    tenant_id: str, environment: Environment, participant: ParticipantId, reason: str
) -> None:
    """Reject the tenant's claim. Raises NotFound, Conflict (it is not pending)."""
    with db.writing_session() as database:
        row = _undecided(database, tenant_id, environment, participant)
        if row.status != ClaimStatus.PENDING:
            raise Conflict(f"The claim of {participant} is {row.status}.")
        _decide(database, row, ClaimStatus.REJECTED, DecidedBy.OPERATOR, reason)
        detail = {"reason": reason}
        audit.record(database, tenant_id, None, "participant.rejected", _named(row), detail)


def _undecided(
    database: DatabaseSession, tenant_id: str, environment: Environment, participant: ParticipantId
) -> Participant:
    """The tenant's claim, pending or rejected, locked. Raises NotFound, Conflict."""
    row = stored.lock(database, tenant_id, environment.value, participant.canonical)
    if row is None:
        raise NotFound(f"The tenant does not claim {participant} in {environment}.")
    if row.status == ClaimStatus.VERIFIED:
        raise Conflict(f"{participant} is verified: einvoice participants remove releases it.")
    return row


def pending(limit: int = MAX_SHOWN) -> list[PendingClaim]:
    """The claims of all tenants that wait for a decision, the oldest first."""
    return stored.pending(limit)


def verify_number(tenant_id: str, text: str, caches: Caches) -> str:
    """Store a register or VAT number as verified, and verify the claims that it proves.

    Returns the number in its normal form. Raises ValueError, NotFound, AccountClosed.
    """
    number = domain.verified_number(text)
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        audit.record(database, tenant_id, None, "tenant.number-verified", number)
        add_numbers(database, tenant, [number], caches)
    return number


def add_numbers(
    database: DatabaseSession, tenant: Tenant, numbers: Sequence[str], caches: Caches
) -> None:
    """Store verified numbers of a locked tenant, and verify the claims that they prove."""
    tenant.verified_numbers = sorted({*(tenant.verified_numbers or ()), *numbers})
    for row in stored.pending_of(database, tenant.id):
        if _is_proved(database, tenant, row):
            _decide(database, row, ClaimStatus.VERIFIED, DecidedBy.NUMBER, None)
            caches.participant_owners.drop((row.environment, row.participant))


def withdraw_number(tenant_id: str, text: str) -> None:
    """Remove a verified number of the tenant; what it has verified stays.

    Raises ValueError, NotFound, AccountClosed.
    """
    number = domain.verified_number(text)
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        numbers = set(tenant.verified_numbers or ())
        if number not in numbers:
            raise NotFound(f"{number} is not a verified number of the tenant.")
        tenant.verified_numbers = sorted(numbers - {number})
        audit.record(database, tenant_id, None, "tenant.number-withdrawn", number)


# -- by the network --------------------------------------------------------------------------------


def open_claim(claim_id: str) -> PendingClaim | None:
    """The claim, if it is pending and its tenant open."""
    return stored.pending_by_id(claim_id)


def confirm(claim_id: str, caches: Caches) -> bool:
    """Verify a claim that the network confirms; whether it was. Contested ones are the operator's.

    The rows of all claims of the id are not locked: of two that are confirmed at the same time the
    unique index lets one pass.
    """
    found = stored.pending_by_id(claim_id)
    if found is None or found.contested:
        return False
    try:
        with db.writing_session() as database:
            row = stored.lock_by_id(database, claim_id)
            if row is None or row.status != ClaimStatus.PENDING:
                return False
            stored.set_published(row, Published().answered(Answer.HERE, clock.now()))
            _decide(database, row, ClaimStatus.VERIFIED, DecidedBy.NETWORK, None)
    except IntegrityError:  # another tenant's was verified meanwhile
        return False
    caches.participant_owners.drop((found.environment, found.participant))
    return True


# -- all -------------------------------------------------------------------------------------------


def _decide(
    database: DatabaseSession,
    row: Participant,
    status: ClaimStatus,
    by: DecidedBy,
    reason: str | None,
) -> None:
    """Store the decision with its event, and end the checks. Raises IntegrityError if another
    tenant has the id."""
    row.status, row.decided_by, row.reason = status.value, by.value, reason
    row.decided_at = clock.now()
    database.flush()
    outbox.discard(database.connection(), row.id)
    verified = status is ClaimStatus.VERIFIED
    if verified:
        entries.ask(database.connection(), row.tenant_id, row.environment, row.participant)
    events.emit(
        database.connection(),
        tenant_id=row.tenant_id,
        environment=row.environment,
        event_type=PARTICIPANT_VERIFIED if verified else PARTICIPANT_REJECTED,
        invoice_id=None,
        payload={
            "participantId": row.participant,
            "status": row.status,
            "decidedBy": row.decided_by,
            "reason": reason,
        },
    )


def _named(row: Participant) -> str:
    return f"{row.environment}/{row.participant}"
