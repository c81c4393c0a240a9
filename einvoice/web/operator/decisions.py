"""/api/operator/claims and /api/operator/identifications: what waits for a decision."""

from __future__ import annotations

from urllib.parse import quote

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.operators import DOCUMENTS, MANAGE, READ
from einvoice.services.account.claims import PendingClaim
from einvoice.services.account.identifications import Identified
from einvoice.services.console import decisions as service
from einvoice.web import bodies
from einvoice.web.operator import decision_schemas as schemas
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.operator.decision_schemas import DecidedClaim
from einvoice.web.platform.identification_schemas import TenantIdentificationResponse
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime

claims = OperatorFamily("operator_claims", __name__, "/claims")
identifications = OperatorFamily("operator_identifications", __name__, "/identifications")

_CLAIM, _DECISION = schemas.ClaimDecision(), schemas.IdentificationDecision()
_REASON = schemas.OperatorReason()


@claims.scoped("", READ)
@claims.response(200, schemas.WaitingClaimList())
def list_waiting_claims() -> list[PendingClaim]:
    """List the claims of participant ids that wait for a decision, the oldest first."""
    return service.pending_claims()


@claims.scoped("/approve", MANAGE, methods=["POST"])
@claims.doc(requestBody=documented_body(schemas.ClaimDecision))
@claims.refuses(NotFound, Conflict, AccountClosed)
@claims.response(200, schemas.DecidedClaimResponse())
def approve_claim() -> DecidedClaim:
    """Verify a claim: the participant id is the tenant's. 409 if another tenant has it."""
    return _decided(approved=True)


@claims.scoped("/reject", MANAGE, methods=["POST"])
@claims.doc(requestBody=documented_body(schemas.ClaimDecision))
@claims.refuses(NotFound, Conflict, AccountClosed)
@claims.response(200, schemas.DecidedClaimResponse())
def reject_claim() -> DecidedClaim:
    """Reject a claim; the tenant sees the reason, and may claim the id once more."""
    return _decided(approved=False)


def _decided(*, approved: bool) -> DecidedClaim:
    asked = bodies.read_body(_CLAIM, bodies.received())
    environment = Environment(asked.get("environment") or "live")
    participant = ParticipantId.parse(asked["participantId"])
    service.decide_claim(
        asked["tenantId"],
        environment,
        participant,
        asked["reason"],
        runtime().caches,
        approved=approved,
    )
    status = "verified" if approved else "rejected"
    return DecidedClaim(asked["tenantId"], environment.value, participant.canonical, status)


@identifications.scoped("", READ)
@identifications.response(200, schemas.WaitingIdentificationList())
def list_waiting_identifications() -> list[tuple[Identified, str]]:
    """List what platforms say of the identity of tenants, and waits for a decision."""
    return service.pending_identifications()


@identifications.scoped("/<identification_id>/decide", MANAGE, methods=["POST"])
@identifications.doc(requestBody=documented_body(schemas.IdentificationDecision))
@identifications.refuses(Conflict, AccountClosed)
@identifications.response(200, TenantIdentificationResponse())
def decide_identification(identification_id: str) -> Identified:
    """Verify the numbers of an identification, with the claims that they prove, or reject it."""
    asked = bodies.read_body(_DECISION, bodies.received())
    return service.decide_identification(
        identification_id, asked["reason"], runtime().caches, verified=asked["verified"]
    )


@identifications.scoped("/<identification_id>/files/<file_id>/content", DOCUMENTS, methods=["POST"])
@identifications.doc(requestBody=documented_body(schemas.OperatorReason))
@identifications.response(
    200, {"type": "string", "format": "binary"}, content_type="application/octet-stream"
)
def read_identification_file(identification_id: str, file_id: str) -> Response:
    """Read a file of an identification. The reason is written into the tenant's audit log."""
    asked = bodies.read_body(_REASON, bodies.received())
    return file_response(identification_id, file_id, asked["reason"])


def file_response(identification_id: str, file_id: str, reason: str) -> Response:
    """The file for saving: what a browser must not show is not shown."""
    file, content = service.read_file(identification_id, file_id, reason)
    response = Response(content, content_type="application/octet-stream")
    name = quote(file.name, safe="")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
    return response
