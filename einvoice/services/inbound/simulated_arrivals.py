"""Documents that a tenant lets arrive in its sandbox, over the simulated network (decisions 14).

From the simulator's message on, a document takes the path of a received one (reception). The id of
its message counts within the tenant: a second one of the same id, ends and bytes is a duplicate.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass

from einvoice.documents.envelope import DocumentEnvelope, envelope_in
from einvoice.documents.hybrid import is_pdf
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    Conflict,
    FieldError,
    InvalidField,
    NotFound,
    TooBusy,
)
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, SELF_BILLING_PROCESS, ParticipantId
from einvoice.network.types import (
    Busy,
    Duplicate,
    Inbound,
    InboundVerdict,
    NotServiced,
    SimulatesArrivals,
    Stored,
)
from einvoice.services.account import tenants
from einvoice.services.computing.sizes import is_large
from einvoice.services.inbound import reception
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime

# The sender of a document that names none: the simulator has it as an ordinary participant.
SIMULATED_SENDER = ParticipantId("0088", "9520000000004")
MAX_MESSAGE_ID = 120  # characters


@dataclass(frozen=True, slots=True)
class Message:
    """The envelope given with a document; None: as the document says, or a new id."""

    sender: ParticipantId | None = None
    receiver: ParticipantId | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Arrived:
    """The bill. `is_duplicate`: the message had arrived before, and nothing was stored."""

    record: InvoiceRecord
    message_id: str
    is_duplicate: bool


def check_environment(principal: Principal) -> None:
    """Raise NotFound for a live key."""
    if principal.environment is not Environment.TEST:
        raise NotFound("Documents are let arrive in the sandbox only.")


def arrive(document: bytes, message: Message, principal: Principal, runtime: Runtime) -> Arrived:
    """Let the document arrive for the tenant.

    Raises NotFound for a live key; InvalidField without a receiver; Conflict for what a network is
    told that it is not accepted; AccessPointUnavailable without a simulator; TooBusy.
    """
    check_environment(principal)
    points = runtime.access_points
    simulator = next((each for each in points if isinstance(each, SimulatesArrivals)), None)
    if simulator is None:
        raise AccessPointUnavailable("This installation has no simulated network.")
    large = is_large(document) or is_pdf(document)
    found = runtime.computing.run(principal.tenant_id, envelope_in, document, large=large)
    message_id = message.message_id or str(uuid.uuid4())
    inbound = simulator.handed_over(_inbound(document, found, message, message_id, principal))
    verdict = reception.receive(
        inbound,
        runtime.caches,
        runtime.computing,
        runtime.forms,
        tenant_id=principal.tenant_id,
    )
    record = detail.record_of(_document_id(verdict), principal)
    return Arrived(record, message_id, isinstance(verdict, Duplicate))


def _inbound(
    document: bytes,
    found: DocumentEnvelope,
    message: Message,
    message_id: str,
    principal: Principal,
) -> Inbound:
    return Inbound(
        access_point="",
        instance_id=_instance_id(message_id, principal),
        environment=Environment.TEST,
        sender=message.sender or found.sender or SIMULATED_SENDER,
        receiver=message.receiver or found.receiver or _own(principal),
        document_type=found.document_type,
        process=SELF_BILLING_PROCESS if found.is_self_billed else BIS_BILLING_PROCESS,
        document=document,
    )


def _instance_id(message_id: str, principal: Principal) -> str:
    """The id of the message in the network: none of another tenant is the same."""
    digest = hashlib.sha256(principal.tenant_id.encode()).hexdigest()[:16]
    return f"{message_id}.{digest}@simulator"


def _own(principal: Principal) -> ParticipantId:
    """The tenant's first participant id of the sandbox. Raises InvalidField if it has none."""
    owned = tenants.owned_page(principal.tenant_id, Environment.TEST, after=None, limit=1)
    if not owned:
        message = "is required: the document names no receiver, and you own no participant id here"
        raise InvalidField([FieldError("/receiverParticipantId", "required", message)])
    return ParticipantId.parse(owned[0].participant)


def _document_id(verdict: InboundVerdict) -> str:
    match verdict:
        case Stored(document_id) | Duplicate(document_id):
            return document_id
        case NotServiced(reason):
            raise Conflict(f"The sender is told that the document is refused: {reason}.")
        case Busy():
            raise TooBusy("The document was not stored: repeat the request.")
