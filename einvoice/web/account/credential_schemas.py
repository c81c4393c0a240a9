"""API keys and OAuth clients: the fields that their requests and responses share."""

from __future__ import annotations

from einvoice.domain.credentials import MAX_ACTIVE, MAX_ENDED_LISTED, Credential
from einvoice.security.api_keys import DEFAULT_SCOPES, SCOPES
from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS
from einvoice.web.contract import Contract, Items
from einvoice.web.fields import Code, Count, ParticipantText, Text, environment_code
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.runtime import runtime
from einvoice.web.shared import response_fields as a

LISTED = (
    f"Oldest first: all active ones, at most {MAX_ACTIVE} in each environment, and the newest "
    f"{MAX_ENDED_LISTED} of each that ended"
)


def _name_field(*, required: bool = False) -> Text:
    message = "What the key is for, in your own words."
    return Text(message, max_length=100, required=required, example="ERP of the head office")


def _scopes_field() -> Items:
    one = Code("", SCOPES, name=f"one of {', '.join(SCOPES)}", required=True)
    message = f"Its permissions; default: {', '.join(DEFAULT_SCOPES)}."
    return Items(one, message, min_items=1, max_items=len(SCOPES))


def _ips_field() -> Items:
    one = Text("", max_length=43, required=True, example="192.0.2.0/24")
    return Items(one, "Allowed client addresses or networks; empty: any.", max_items=100)


def _receivers_field() -> Items:
    one = ParticipantText("", max_length=140, required=True, example="0088:9520000000004")
    return Items(one, "Allowed receivers; empty: any.", max_items=1000)


class NewCredential(Contract):
    """Name, environment and permissions of a new credential."""

    name = _name_field(required=True)
    environment = environment_code("Its environment.", required=True)
    scopes = _scopes_field()
    allowedIps = _ips_field()
    allowedReceivers = _receivers_field()


class CredentialChanges(Contract):
    """Omitted fields stay unchanged."""

    name = _name_field()
    scopes = _scopes_field()
    allowedIps = _ips_field()
    allowedReceivers = _receivers_field()


class RotationRequest(Contract):
    gracePeriodSeconds = Count(
        f"Seconds for which the old secret stays valid; default: {DEFAULT_GRACE_SECONDS}.",
        minimum=0,
        maximum=MAX_GRACE_SECONDS,
        example=3600,
    )


class RateLimits(ResponseSchema[Credential]):
    """Requests a minute, as set by the operator."""

    get = a.number(
        "GET and HEAD requests",
        60,
        source=lambda one: one.get_per_minute or runtime().settings.limit_get,
    )
    post = a.number(
        "All other requests",
        20,
        source=lambda one: one.post_per_minute or runtime().settings.limit_post,
    )


class CredentialFields(ResponseSchema[Credential]):
    """The members of keys and clients in responses; each leaves some out."""

    name = a.text("What it is for", "ERP of the head office")
    environment = a.text("test or live", "test")
    prefix = a.text("Its first characters", "sk_test_Xk2vQ8aB")
    last4 = a.text("How it ends", "0aZ9")
    scopes = a.texts("Its permissions", "invoices:send")
    allowedIps = a.texts("Allowed client addresses; empty: any", "192.0.2.0/24")
    allowedReceivers = a.texts("Allowed receivers; empty: any", "0088:9520000000004")
    rateLimits = a.part(RateLimits(), "Its budget")
    createdBy = a.text("Who made it", "ann@example.com", or_null=True)
    createdAt = a.moment("When it was created")
    expiresAt = a.moment("When it expires; null: never", or_null=True)
    revokedAt = a.moment("When it was revoked", or_null=True)
    oldSecretUntil = a.moment(
        "Until when the previous secret stays valid", or_null=True, source="old_until"
    )
    lastUsedAt = a.moment("When it was last used, to the minute", or_null=True)
    lastUsedIp = a.text("From where", "192.0.2.7", or_null=True)
