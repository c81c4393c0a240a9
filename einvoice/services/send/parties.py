"""The senders and receivers that a credential may name."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.domain.errors import ReceiverNotAllowed, SelfInvoicing
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.services.account import claims, tenants
from einvoice.services.participants import lookup
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime

# The sender id of a send.
SENDER_FIELD = "routing.senderParticipantId"


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
