"""Look a participant up and keep the answer under a reference that a send can name."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    DocumentTypeNotSupported,
    MissingParticipant,
    ReceiverNotRegistered,
    SandboxParticipant,
    UnknownAccessPointRef,
)
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.network.registry import AccessPoints
from einvoice.network.types import AccessPoint, DirectoryUnavailable, Registration
from einvoice.observability import logging
from einvoice.services.caches import Memory
from einvoice.services.principal import Principal
from einvoice.store import registrations
from einvoice.store.registrations import Record

log = logging.get(__name__)

_registrations: Memory[tuple[str, str, str], Record] = Memory(ttl=15.0)


@dataclass(frozen=True, slots=True)
class Found:
    """What the directory says: with a reference when registered."""

    participant: ParticipantId
    registered: bool
    reference: str | None
    document_types: tuple[str, ...]


def lookup(text: str | None, principal: Principal, points: AccessPoints) -> Found:
    """Ask the network for a participant.

    Raises MissingParticipant, InvalidParticipant, SandboxParticipant, AccessPointUnavailable.
    """
    if text is None or not text.strip():
        raise MissingParticipant("Give the participant as ?participantId=<scheme>:<identifier>.")
    participant = ParticipantId.parse(text)
    refuse_sandbox_participant(participant, principal.environment, points)
    point = serving(participant, principal.environment, points)
    answer = ask(point, participant)
    reference = keep(participant, point, answer, principal.tenant_id, principal.environment)
    if answer is None:
        return Found(participant, registered=False, reference=None, document_types=())
    types = tuple(str(t) for t in answer.document_types)
    return Found(participant, registered=True, reference=reference, document_types=types)


def serving(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> AccessPoint:
    """The access point to reach the participant by. Raises AccessPointUnavailable."""
    point = points.serving(participant, environment)
    if point is None:
        raise AccessPointUnavailable(
            f"No access point serves the {environment} environment for {participant}."
        )
    return point


def refuse_sandbox_participant(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> None:
    """The sandbox's magic participants exist in the sandbox only (decisions 14)."""
    if environment is Environment.LIVE and points.reserved(participant):
        raise SandboxParticipant(f"{participant} is a participant of the sandbox.")


def ask(point: AccessPoint, participant: ParticipantId) -> Registration | None:
    """What the directory says; None where it does not know. Raises AccessPointUnavailable."""
    try:
        answer = point.lookup(participant)
    except DirectoryUnavailable as fault:
        raise AccessPointUnavailable(f"The directory does not answer now: {fault}") from fault
    except Exception as fault:
        log.exception("lookup raised", access_point=point.name)
        raise AccessPointUnavailable("The directory does not answer now.") from fault
    return answer if isinstance(answer, Registration) else None


def keep(
    participant: ParticipantId,
    point: AccessPoint,
    answer: Registration | None,
    tenant_id: str,
    environment: Environment,
) -> str | None:
    """A registered participant gets a reference; one that was known is noted as gone."""
    if answer is None:
        known = registrations.of_participant(participant.canonical, tenant_id, environment)
        if known is not None:
            registrations.refresh(known.id, registered=False, document_types=(), now=clock.now())
        return None
    record = Record(
        id=str(uuid.uuid4()),
        participant=participant.canonical,
        access_point=point.name,
        registered=True,
        document_types=[str(t) for t in answer.document_types],
        checked_at=clock.now(),
    )
    return registrations.remember(record, tenant_id, environment)


def route(
    reference: str, receiver: ParticipantId, document_type: DocumentTypeId, principal: Principal
) -> Record:
    """The stored lookup a send names, checked for this receiver and document.

    Raises UnknownAccessPointRef, ReceiverNotRegistered, DocumentTypeNotSupported.
    """
    key = (reference, principal.tenant_id, principal.environment.value)
    record = _registrations.get(key, lambda: registrations.find(*key))
    if record is None or record.participant != receiver.canonical:
        raise UnknownAccessPointRef(
            f"routing.accessPointRef is not the reference of a lookup of {receiver}: "
            "look the receiver up and send the accessPointRef of the answer."
        )
    if not record.registered:
        raise ReceiverNotRegistered(f"{receiver} is not registered any more.", str(receiver))
    if str(document_type) not in record.document_types:
        raise DocumentTypeNotSupported(
            f"{receiver} does not receive {document_type.value}.", str(receiver)
        )
    return record


def refresh(record_id: str, participant: ParticipantId, point: AccessPoint) -> bool | None:
    """Ask the directory again, for a worker: registered, not registered, or None for no answer."""
    try:
        answer = point.lookup(participant)
    except DirectoryUnavailable:
        return None
    known = isinstance(answer, Registration)
    types = [str(t) for t in answer.document_types] if isinstance(answer, Registration) else []
    registrations.refresh(record_id, registered=known, document_types=types, now=clock.now())
    return known


def forget() -> None:
    """Drop what is remembered (tests)."""
    _registrations.clear()
