"""Claims and identifications to decide: requests and responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from einvoice.domain.operators import MAX_REASON
from einvoice.services.account.claims import PendingClaim
from einvoice.services.account.identifications import Identified
from einvoice.web.contract import Contract
from einvoice.web.fields import Flag, Id, ParticipantText, Text, environment_code
from einvoice.web.operator.tenant_schemas import OperatorReason as OperatorReason
from einvoice.web.platform.identification_schemas import TenantIdentification
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class ClaimDecision(Contract):
    """A claim of a tenant, and why it is decided so; the tenant sees the reason."""

    tenantId = Id("The tenant.", max_length=40, required=True, example=a.SOME_ID)
    participantId = ParticipantText(
        "The participant id.", max_length=140, required=True, example="0208:0123456749"
    )
    environment = environment_code("The environment; default: live.", example="live")
    reason = Text(
        "The reason.", max_length=MAX_REASON, required=True, example="Extract of the register"
    )


class IdentificationDecision(OperatorReason):
    """Whether its numbers are verified, and why; the platform sees the reason."""

    verified = Flag("Whether the numbers are verified.", required=True, example=True)


class WaitingClaim(ResponseSchema[PendingClaim]):
    """A claim that waits for a decision."""

    tenantId = a.text("The tenant", a.SOME_ID)
    tenantName = a.text("Its name", "Brewery Ltd")
    environment = a.text("test or live", "live")
    participantId = a.text("The participant id", "0208:0123456749", source="participant")
    claimedAt = a.moment("When it was claimed", source="created_at")
    contested = a.flag("Whether another tenant has or claims it", example=False)


class WaitingIdentification(ResponseSchema[tuple[Identified, str]]):
    """An identification that waits for a decision."""

    tenantId = a.text("The tenant", a.SOME_ID, source=lambda one: one[0].record.tenant_id)
    tenantName = a.text("Its name", "Brewery Ltd", source=lambda one: one[1])
    identification = a.one(
        TenantIdentification(), "What the platform says", source=lambda one: one[0]
    )


class WaitingClaimList(ResponseSchema[list[PendingClaim]]):
    items = a.things(WaitingClaim(), "The oldest first", max_items=200, source="")
    provider = a.provider()


class WaitingIdentificationList(ResponseSchema[list[Any]]):
    items = a.things(WaitingIdentification(), "The oldest first", max_items=200, source="")
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class DecidedClaim:
    """A claim after its decision."""

    tenant_id: str
    environment: str
    participant: str
    status: str


class DecidedClaimResponse(ResponseSchema[DecidedClaim]):
    tenantId = a.text("The tenant", a.SOME_ID)
    environment = a.text("test or live", "live")
    participantId = a.text("The participant id", "0208:0123456749", source="participant")
    status = a.text("verified or rejected", "verified")
    provider = a.provider()
