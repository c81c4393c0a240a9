"""Ending sessions and closing the account: bodies and responses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from einvoice.web.contract import Contract
from einvoice.web.fields import Flag, Text
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class EndSessionsRequest(Contract):
    """Whose sessions end: one of the two."""

    subject = Text(
        "Those of this person (claim sub) or OAuth client (its id).",
        max_length=255,
        example="auth0|5f7c8e",
    )
    everyone = Flag("true: those of everyone in the account.", example=True)


@dataclass(frozen=True, slots=True)
class EndedSessions:
    """The sessions that ended; `subject`: whose, None: everyone's."""

    subject: str | None
    ended_at: datetime


class EndSessionsResponse(ResponseSchema[EndedSessions]):
    """The tokens that are refused from now on."""

    subject = a.text("Whose; null: everyone's", "auth0|5f7c8e", or_null=True)
    endedAt = a.moment("Tokens that were issued up to this moment are refused")
    provider = a.provider()


class CloseAccountRequest(Contract):
    """The confirmation that the account is to be closed."""

    confirm = Text(
        "The tenantId of the account, as a confirmation.",
        max_length=64,
        required=True,
        example=a.SOME_ID,
    )


@dataclass(frozen=True, slots=True)
class ClosedAccount:
    """An account and when it was closed."""

    tenant_id: str
    closed_at: datetime


class CloseAccountResponse(ResponseSchema[ClosedAccount]):
    """A closed account."""

    tenantId = a.an_id("The account")
    closedAt = a.moment("When it was closed")
    provider = a.provider()
