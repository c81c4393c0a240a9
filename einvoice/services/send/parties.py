"""The senders and receivers that a credential may name."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.environments import Environment
from einvoice.domain.errors import FieldError, InvalidField, ReceiverNotAllowed, SelfInvoicing
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.network.conformity import fault_of
from einvoice.network.sent_documents import ChecksParties, PartyFault, SentDocument
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.account import claims, tenants
from einvoice.services.participants import lookup
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.document import AcceptableDocument

log = logging.get(__name__)

# The sender id of a send.
SENDER_FIELD = "routing.senderParticipantId"
RECEIVER_FIELD = "routing.receiverParticipantId"


def check_parties(
    routing: Routing, principal: Principal, runtime: Runtime, sender_field: str = SENDER_FIELD
) -> None:
    """Refuse a sender or receiver that this credential may not use.

    sender_field  the name of the sender id in the request

    Raises SelfInvoicing, SandboxParticipant, ReceiverNotAllowed, SenderNotOwned, SenderNotVerified.
    """
    receiver = routing.receiver
    if receiver is not None:
        if routing.sender.canonical == receiver.canonical:
            raise SelfInvoicing("The sender and the receiver are the same participant.")
        lookup.refuse_sandbox_participant(receiver, principal.environment, runtime.access_points)
    check_credential(routing.sender, receiver, principal, runtime, sender_field)


def check_credential(
    sender: ParticipantId,
    receiver: ParticipantId | None,
    principal: Principal,
    runtime: Runtime,
    sender_field: str = SENDER_FIELD,
) -> None:
    """Raises ReceiverNotAllowed; in live also SenderNotOwned, SenderNotVerified (decisions 19.7 and
    20.1).

    A credential with allowed receivers may not send to one without a participant id.
    """
    if principal.allowed_receivers and (
        receiver is None or receiver.canonical not in principal.allowed_receivers
    ):
        whom = receiver or "a receiver without a participant id"
        raise ReceiverNotAllowed(f"This API key may not send to {whom}.")
    if principal.environment is Environment.LIVE and not tenants.owns(
        principal.tenant_id, principal.environment, sender, runtime.caches
    ):
        raise claims.sender_refusal(
            principal.tenant_id, principal.environment, sender, sender_field
        )


def check_ids(
    document: AcceptableDocument,
    point: AccessPoint,
    sender_field: str = SENDER_FIELD,
    receiver_field: str = RECEIVER_FIELD,
) -> None:
    """Refuse a document whose parties have other ids than the network prescribes in their country.

    sender_field, receiver_field  the names of the ids in the request. Raises InvalidField.
    """
    if not isinstance(point, ChecksParties):
        return
    own, other = document.head.countries
    about = SentDocument(
        environment=point.environment,
        sender=document.routing.sender,
        receiver=document.routing.receiver,
        document_type=document.document_type,
        process=document.process,
        sender_country=own,
        receiver_country=other,
    )
    faults = [
        FieldError(
            "/" + (receiver_field if fault.is_receiver else sender_field).replace(".", "/"),
            fault.code,
            fault.message,
        )
        for fault in _party_faults(point, point.name, about)
    ]
    if faults:
        raise InvalidField(faults)


def _party_faults(
    point: ChecksParties, access_point: str, about: SentDocument
) -> Sequence[PartyFault]:
    """The faults that the access point finds; none if it breaks, since its network judges too."""
    try:
        found = tuple(point.party_faults(about))
    except Exception:  # of a plugin
        log.exception("party_faults raised", access_point=access_point)
        return ()
    fault = fault_of(found, tuple[PartyFault, ...])
    if fault is not None:
        log.error("not the faults of parties", access_point=access_point, fault=fault)
        return ()
    return found
