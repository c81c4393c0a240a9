"""Setting up tenants and platforms: requests and responses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from einvoice.domain.platforms import EXTERNAL_ID, MAX_EXTERNAL_ID
from einvoice.services.account.platforms import PlatformRecord
from einvoice.web.contract import Contract
from einvoice.web.fields import Flag, Id, ParticipantText, Text, environment_code
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

MAX_NUMBER = 140


class NewOperatorTenant(Contract):
    """A tenant without a platform."""

    name = Text("Its name.", max_length=200, required=True, example="Brewery Ltd")


class VerifiedNumber(Contract):
    """A number that an operator has verified."""

    number = Text(
        "A VAT number with its country, or a register number with its scheme.",
        max_length=MAX_NUMBER,
        required=True,
        example="0208:0123456749",
    )


class AssignedParticipant(Contract):
    """A participant id to assign to the tenant, verified."""

    participantId = ParticipantText(
        "The participant id.", max_length=140, required=True, example="0208:0123456749"
    )
    environment = environment_code("The environment.", required=True, example="live")


class PlatformTrust(Contract):
    """Whether the word of a platform verifies numbers of its tenants."""

    verifiesNumbers = Flag("Whether it does.", required=True, example=True)


class AdoptedTenant(Contract):
    """A tenant without a platform that becomes one of a platform's."""

    tenantId = Id("The tenant.", max_length=40, required=True, example=a.SOME_ID)
    externalId = Text(
        "What the platform calls it.",
        max_length=MAX_EXTERNAL_ID,
        form=(
            EXTERNAL_ID,
            "1 to 100 letters, digits and . _ : @ + -, with a letter or digit first",
        ),
        required=True,
        example="customer-17",
    )


@dataclass(frozen=True, slots=True)
class EndedSessions:
    """The sessions of a tenant that began before a moment have ended."""

    tenant_id: str
    at: datetime


class EndedSessionsResponse(ResponseSchema[EndedSessions]):
    tenantId = a.text("The tenant", a.SOME_ID)
    at = a.moment("Tokens that were issued before are refused")
    provider = a.provider()


class OperatorPlatform(ResponseSchema[tuple[PlatformRecord, int]]):
    """A platform."""

    platformId = a.text("The platform", a.SOME_ID, source=lambda one: one[0].id)
    name = a.text("Its name", "ERP vendor", source=lambda one: one[0].name)
    tenants = a.number("How many tenants it has", 501, source=lambda one: one[1])
    verifiesNumbers = a.flag(
        "Whether its word verifies numbers",
        example=False,
        source=lambda one: one[0].verifies_numbers,
    )
    createdAt = a.moment("When it was created", source=lambda one: one[0].created_at)
    closedAt = a.moment("When it was closed", or_null=True, source=lambda one: one[0].closed_at)


class OperatorPlatformList(ResponseSchema[list[tuple[PlatformRecord, int]]]):
    items = a.things(OperatorPlatform(), "The oldest first", max_items=1_000, source="")
    provider = a.provider()


class TrustedPlatformResponse(ResponseSchema[PlatformRecord]):
    platformId = a.text("The platform", a.SOME_ID, source="id")
    name = a.text("Its name", "ERP vendor")
    verifiesNumbers = a.flag("Whether its word verifies numbers", example=True)
    provider = a.provider()
