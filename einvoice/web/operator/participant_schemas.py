"""Participant ids as operators ask about them: requests and responses."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.web.contract import Contract
from einvoice.web.fields import ParticipantText, environment_code
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class ParticipantQuestion(Contract):
    """Any participant id, to ask the networks about."""

    participantId = ParticipantText(
        "The participant id.", max_length=140, required=True, example="0208:0123456749"
    )
    environment = environment_code(
        "The environment of the networks; default: live.", example="live"
    )


class RepublishedEnvironment(Contract):
    """The environment whose ids are published again."""

    environment = environment_code("The environment.", required=True, example="live")


@dataclass(frozen=True, slots=True)
class Republished:
    """How many ids were queued, and whether some are left."""

    queued: int
    more: bool


class RepublishedResponse(ResponseSchema[Republished]):
    queued = a.number("Participant ids that are queued", 250)
    more = a.flag("Whether some are left: repeat the request", example=False)
    provider = a.provider()
