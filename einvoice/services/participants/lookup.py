"""Looking up a participant, and storing the result under a reference for sends."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

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
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints, simulates
from einvoice.network.conformity import fault_of
from einvoice.network.types import (
    AccessPoint,
    DirectoryUnavailable,
    NotRegistered,
    Registration,
)
from einvoice.observability import logging
from einvoice.services.caches import Caches
from einvoice.services.participants.routing import directories_of
from einvoice.services.principal import Principal
from einvoice.store.sending import registrations
from einvoice.store.sending.registrations import RegistrationRecord

log = logging.get(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The directory's answer; with a reference if the participant is registered.

    reachable_by   the networks without a directory that reach a participant that is not registered
    registered_as  another id of the same company, if that one is registered and this is not
    """

    participant: ParticipantId
    registered: bool
    reference: str | None = None
    document_types: tuple[str, ...] = ()
    reachable_by: tuple[str, ...] = ()
    registered_as: ParticipantId | None = None


def lookup(
    text: str | None, principal: Principal, points: AccessPoints, network: str | None = None
) -> LookupResult:
    """Query the network for a participant; `network` is the one to ask, if several reach it.

    Networks without a directory are not asked (decisions 30.1). Raises MissingParticipant,
    InvalidParticipant, SandboxParticipant, AccessPointUnavailable, NetworkNotSupported,
    AmbiguousNetwork.
    """
    if text is None or not text.strip():
        raise MissingParticipant("Give the participant as ?participantId=<scheme>:<identifier>.")
    participant = ParticipantId.parse(text)
    refuse_sandbox_participant(participant, principal.environment, points)
    asked = directories_of(participant, principal.environment, points, network)
    absent = LookupResult(participant, registered=False, reachable_by=asked.reachable_by)
    if asked.point is None:
        return absent
    answer = directory_answer(asked.point, participant, principal.tenant_id)
    reference = _store(participant, asked.point, answer, principal)
    if isinstance(answer, NotRegistered):
        return replace(absent, registered_as=answer.registered_as)
    types = tuple(str(t) for t in answer.document_types)
    return LookupResult(participant, True, reference, types)


def refuse_sandbox_participant(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> None:
    """The sandbox's magic participants exist in the sandbox only (decisions 14)."""
    if environment is Environment.LIVE and points.reserved(participant):
        raise SandboxParticipant(f"{participant} is a participant of the sandbox.")


def query_directory(
    point: AccessPoint, participant: ParticipantId, tenant_id: str | None = None
) -> Registration | None:
    """The registration of the participant, or None. Raises AccessPointUnavailable.

    tenant_id  whose share of the directory's calls it is of
    """
    answer = directory_answer(point, participant, tenant_id)
    return answer if isinstance(answer, Registration) else None


def directory_answer(
    point: AccessPoint,
    participant: ParticipantId,
    tenant_id: str | None = None,
    seconds: float = calls.LOOKUP_SECONDS,
) -> Registration | NotRegistered:
    """The answer of the directory, as `query_directory`. Raises AccessPointUnavailable."""
    return ask(point, lambda: _looked_up(point, participant), tenant_id, seconds)


def _looked_up(point: AccessPoint, participant: ParticipantId) -> Registration | NotRegistered:
    """The answer of `lookup`. Raises DirectoryUnavailable, also for what is no answer."""
    answer = point.lookup(participant)
    fault = fault_of(answer, Registration | NotRegistered)
    if fault is not None:
        log.error("not an answer of a directory", access_point=point.name, fault=fault)
        raise DirectoryUnavailable("its answer cannot be read")
    return answer


def ask(
    point: AccessPoint,
    question: Callable[[], T],
    tenant_id: str | None = None,
    seconds: float = calls.LOOKUP_SECONDS,
) -> T:
    """The answer of an access point that asks its directory. Raises AccessPointUnavailable.

    tenant_id  whose share of the directory's calls it is of
    """
    try:
        return calls.lookups.call(point.name, question, seconds, tenant_id)
    except (DirectoryUnavailable, calls.PluginBusy) as fault:
        refusal = AccessPointUnavailable(f"The directory does not answer now: {fault}")
        refusal.is_provoked = isinstance(fault, DirectoryUnavailable) and simulates(point)
        raise refusal from fault
    except Exception as fault:
        log.exception("lookup raised", access_point=point.name)
        raise AccessPointUnavailable("The directory does not answer now.") from fault


def _store(
    participant: ParticipantId,
    point: AccessPoint,
    answer: Registration | NotRegistered,
    principal: Principal,
) -> str | None:
    """`store_answer`, which an absence that may not last changes nothing of."""
    if isinstance(answer, NotRegistered) and answer.may_return:
        return None
    registered = answer if isinstance(answer, Registration) else None
    return store_answer(participant, point, registered, principal.tenant_id, principal.environment)


def store_answer(
    participant: ParticipantId,
    point: AccessPoint,
    answer: Registration | None,
    tenant_id: str,
    environment: Environment,
) -> str | None:
    """Store a registration and return its reference; without one mark the stored one as gone.

    What is stored of the participant at other access points stays as it is.
    """
    if answer is None:
        known = registrations.of_participant(
            participant.canonical, point.name, tenant_id, environment
        )
        if known is not None:
            registrations.refresh(known.id, registered=False, document_types=(), now=clock.now())
        return None
    record = RegistrationRecord(
        id=str(uuid.uuid4()),
        participant=participant.canonical,
        access_point=point.name,
        registered=True,
        document_types=[str(t) for t in answer.document_types],
        checked_at=clock.now(),
    )
    return registrations.remember(record, tenant_id, environment)


def known(reference: str, principal: Principal, caches: Caches) -> RegistrationRecord | None:
    """The stored lookup of a reference, if the tenant has it in this environment."""
    key = (reference, principal.tenant_id, principal.environment.value)
    return caches.registrations.get(key, lambda: registrations.find(*key))


def registration_of(
    reference: str,
    receiver: ParticipantId,
    document_type: DocumentTypeId,
    principal: Principal,
    caches: Caches,
) -> RegistrationRecord:
    """The stored lookup that a send names, checked for this receiver and document type.

    Raises UnknownAccessPointRef, ReceiverNotRegistered, DocumentTypeNotSupported.
    """
    record = known(reference, principal, caches)
    if record is None or not _is_of(record, receiver):
        raise UnknownAccessPointRef(
            lambda field: (
                f"{field} is not the reference of a lookup of {receiver}: "
                "look the receiver up and send the accessPointRef of the answer."
            )
        )
    if not record.registered:
        raise ReceiverNotRegistered(f"{receiver} is not registered any more.", str(receiver))
    if document_type.registered_as(record.document_types) is None:
        raise DocumentTypeNotSupported(
            f"{receiver} does not receive {document_type.value}.", str(receiver)
        )
    return record


def _is_of(record: RegistrationRecord, receiver: ParticipantId) -> bool:
    """Whether a lookup was of this receiver; earlier releases stored it in any notation."""
    found, wanted = record.participant, receiver.canonical
    return found == wanted or ParticipantId.canonical_of(found) == wanted


@dataclass(frozen=True, slots=True)
class Route:
    """The access point for a receiver, and the document types that it accepts.

    `document_types` is None if the network has no directory: any type may be sent.
    """

    point: AccessPoint
    registration_id: str | None = None
    document_types: Sequence[str] | None = None

    def accepts(self, document_type: DocumentTypeId, syntax: str) -> bool:
        """Whether both access point and receiver accept documents of this type and syntax."""
        return self.accepts_type(document_type) and syntax in self.point.capabilities.formats

    def accepts_type(self, document_type: DocumentTypeId) -> bool:
        """Whether the receiver accepts documents of this type."""
        known = self.document_types
        return known is None or document_type.registered_as(known) is not None


def route_to(
    receiver: ParticipantId | None,
    document_types: Sequence[DocumentTypeId],
    point: AccessPoint,
    principal: Principal,
    fresh_for: float,
) -> Route:
    """The route to a receiver that is named without a reference; one without an id needs no lookup.

    Taken from the stored lookup. If there is none, or it is old and has none of the document types,
    the directory is queried, which may be slow. Raises AccessPointUnavailable,
    ReceiverNotRegistered.
    """
    if receiver is None:
        return Route(point)
    known = registrations.of_participant(
        receiver.canonical, point.name, principal.tenant_id, principal.environment.value
    )
    found = stored_route(known, document_types, point, fresh_for)
    return looked_up_route(receiver, point, principal) if found is None else found


def stored_route(
    known: RegistrationRecord | None,
    document_types: Sequence[DocumentTypeId],
    point: AccessPoint,
    fresh_for: float,
) -> Route | None:
    """The route by a stored lookup; None if the directory must be queried."""
    if not point.capabilities.needs_lookup:
        return Route(point)
    if known is None or not _is_sufficient(known, document_types, point, fresh_for):
        return None
    return Route(point, known.id, tuple(known.document_types))


def looked_up_route(receiver: ParticipantId, point: AccessPoint, principal: Principal) -> Route:
    """The route by querying the directory now.

    Raises AccessPointUnavailable, ReceiverNotRegistered.
    """
    answer = directory_answer(point, receiver, principal.tenant_id)
    reference = _store(receiver, point, answer, principal)
    if isinstance(answer, NotRegistered) or reference is None:
        other = answer.registered_as if isinstance(answer, NotRegistered) else None
        raise ReceiverNotRegistered(_absence(receiver, other), str(receiver))
    return Route(point, reference, tuple(str(t) for t in answer.document_types))


def _absence(receiver: ParticipantId, other: ParticipantId | None) -> str:
    if other is None:
        return f"{receiver} is not registered."
    return f"{receiver} is not registered, but {other} of the same company is: send it to that one."


def refuse_unsupported(
    route: Route, document_type: DocumentTypeId, syntax: str, receiver: ParticipantId | None
) -> None:
    """Raise DocumentTypeNotSupported if the route does not accept the document type."""
    if not route.accepts(document_type, syntax):
        principal = receiver or f"The network {route.point.network}"
        raise DocumentTypeNotSupported(
            f"{principal} does not receive {document_type.value}.", receiver
        )


def _is_sufficient(
    known: RegistrationRecord,
    wanted: Sequence[DocumentTypeId],
    point: AccessPoint,
    fresh_for: float,
) -> bool:
    if not known.registered or known.access_point != point.name:
        return False
    if any(document_type.registered_as(known.document_types) for document_type in wanted):
        return True
    return (clock.now() - known.checked_at).total_seconds() < fresh_for


def refresh(record_id: str, participant: ParticipantId, point: AccessPoint) -> bool | None:
    """Query the directory again, for a worker: whether registered.

    None without an answer, or with one that may not last.
    """
    try:
        answer = _looked_up(point, participant)
    except DirectoryUnavailable:
        return None
    except Exception:  # of a plugin: the other documents of the job go on
        log.exception("lookup raised", access_point=point.name)
        return None
    if isinstance(answer, NotRegistered) and answer.may_return:
        return None
    known = isinstance(answer, Registration)
    types = [str(t) for t in answer.document_types] if isinstance(answer, Registration) else []
    registrations.refresh(record_id, registered=known, document_types=types, now=clock.now())
    return known
