"""Keys, clients, webhooks and connections of a tenant, as operators see them."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.credentials import PLATFORM_SCOPES, Credential
from einvoice.security.api_keys import DEFAULT_SCOPES, SCOPES
from einvoice.services.connections.accounts import ConnectionRecord
from einvoice.services.console.access import KINDS, EndpointRecord, Erasure, NewCredential
from einvoice.web.contract import Contract, Items
from einvoice.web.fields import Code, Count, Flag, Text, environment_code
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a

MAX_PER_MINUTE = 1_000_000
_SCOPES = (*SCOPES, *PLATFORM_SCOPES)


class NewOperatorCredential(Contract):
    """A key or an OAuth client of the tenant."""

    kind = Code("What it is.", tuple(KINDS), name="a kind", required=True, example="key")
    name = Text("What it is for.", max_length=100, required=True, example="ERP")
    environment = environment_code("Its environment.", required=True)
    scopes = Items(
        Code("", _SCOPES, name=f"one of {', '.join(_SCOPES)}", required=True),
        f"Its permissions; default: {', '.join(DEFAULT_SCOPES)}, of a platform all. Those of "
        f"platforms only: {', '.join(PLATFORM_SCOPES)}.",
        min_items=1,
        max_items=len(_SCOPES),
    )


def _limit(what: str) -> Count:
    return Count(f"{what} a minute.", minimum=1, maximum=MAX_PER_MINUTE, example=120)


class OperatorLimits(Contract):
    """Requests a minute; what is left out is the default of the service."""

    get = _limit("GET and HEAD requests")
    post = _limit("All other requests")


class OperatorTenantChanges(Contract):
    """Name and switches; omitted members stay unchanged."""

    name = Text("Its name.", max_length=200, example="Brewery and Sons Ltd")
    strictIdempotency = Flag("Whether a key with another body is refused.", example=True)
    rejectDuplicateNumbers = Flag("Whether a number that was sent is refused.", example=True)


COLUMNS = {
    "name": "name",
    "strictIdempotency": "strict_idempotency",
    "rejectDuplicateNumbers": "reject_duplicate_numbers",
}


class ClosingConfirmation(Contract):
    """What is about to be closed."""

    confirm = Text("The id of the tenant.", max_length=40, required=True, example=a.SOME_ID)


class PersonToErase(Contract):
    """A person of the tenant."""

    subject = Text(
        "The subject of the person's sessions, an e-mail address or a name.",
        max_length=254, required=True, example="ann@example.com",
    )  # fmt: skip
    confirm = Text(
        "The id of the tenant; without it nothing is changed, and the answer says what would be.",
        max_length=40, example=a.SOME_ID,
    )  # fmt: skip


class OperatorCredential(ResponseSchema[tuple[str, Credential]]):
    """A key or an OAuth client, without its secret."""

    credentialId = a.text("Its id", a.SOME_ID, source=lambda one: one[1].id)
    kind = a.text(f"One of {', '.join(KINDS)}", "key", source=lambda one: one[0])
    name = a.text("What it is for", "ERP", source=lambda one: one[1].name)
    environment = a.text("test or live", "test", source=lambda one: one[1].environment)
    scopes = a.texts("Its permissions", "invoices:send", source=lambda one: list(one[1].scopes))
    get = a.number(
        "GET and HEAD requests a minute; null: the default", 120, or_null=True,
        source=lambda one: one[1].get_per_minute,
    )  # fmt: skip
    post = a.number(
        "All other requests a minute; null: the default", 60, or_null=True,
        source=lambda one: one[1].post_per_minute,
    )  # fmt: skip
    createdAt = a.moment("When it was created", source=lambda one: one[1].created_at)
    endsAt = a.moment("When it expires", or_null=True, source=lambda one: one[1].ends_at)
    revokedAt = a.moment("When it was ended", or_null=True, source=lambda one: one[1].revoked_at)
    lastUsedAt = a.moment(
        "When it was last used", or_null=True, source=lambda one: one[1].last_used_at
    )


class OperatorCredentialList(ResponseSchema[list[tuple[str, Credential]]]):
    items = a.things(OperatorCredential(), "Keys, then OAuth clients", source=ITSELF)
    provider = a.provider()


class IssuedCredential(ResponseSchema[NewCredential]):
    """A new secret; only this response has it."""

    credentialId = a.text("The id of the key or OAuth client", a.SOME_ID, source="record.id")
    secret = a.text("The key, or the secret of the client", "sk_test_Xk2vQ8aB…")
    provider = a.provider()


class OperatorWebhook(ResponseSchema[EndpointRecord]):
    """A webhook, without its secrets."""

    webhookId = a.an_id("The webhook", source="id")
    environment = a.text("test or live", "test")
    url = a.text("Where events are posted", "https://erp.example/hooks")
    status = a.text("active or disabled", "active")
    disabledReason = a.text("Why", "410 Gone", or_null=True)
    failingSince = a.moment("Since when its deliveries fail", or_null=True)
    backoffUntil = a.moment("Until when it gets no requests", or_null=True)


class OperatorWebhookResponse(OperatorWebhook):
    provider = a.provider()


class OperatorWebhookList(ResponseSchema[list[EndpointRecord]]):
    items = a.things(OperatorWebhook(), "The oldest first", source=ITSELF)
    provider = a.provider()


class OperatorConnection(ResponseSchema[ConnectionRecord]):
    """An account of the tenant at a network."""

    connectionId = a.an_id("The connection", source="id")
    tenantId = a.text("The tenant", a.SOME_ID)
    environment = a.text("test or live", "test")
    accessPoint = a.text("The access point", "ro-efactura-test")
    account = a.text("The tax number that it is for", "RO123456789")
    state = a.text("Its state", "active")
    reason = a.text("Why", "The consent has ended.", or_null=True)
    consentBy = a.text("Who gave consent", "ann@example.com", or_null=True)
    expiresAt = a.moment("When it ends unless it is renewed", or_null=True)
    checkedAt = a.moment("When the network last answered a check", or_null=True)


class OperatorConnectionResponse(OperatorConnection):
    provider = a.provider()


class OperatorConnectionList(ResponseSchema[list[ConnectionRecord]]):
    items = a.things(OperatorConnection(), "The first to end first", source=ITSELF)
    provider = a.provider()


class ErasedPerson(ResponseSchema[Erasure]):
    """What was erased, or would be."""

    pseudonym = a.text(
        "What stands in the person's place; null: nothing was changed", "erased-5d0a4c1e7f574a39",
        or_null=True,
    )  # fmt: skip
    auditEntries = a.number("Entries of the audit log", 7, source="audit_entries")
    otherPlaces = a.number("Other places that say who did something", 3, source="done_by")
    directoryEntries = a.number("Entries of the directory, deleted", 1, source="entries")
    contacts = a.number("Contacts in the directory", 0)
    shareLinks = a.number("Share links, revoked", 1, source="share_links")
    drafts = a.number("Drafts of invoices, deleted", 0)
    documentsKept = a.number(
        "Documents that stay, as the law asks", 412,
        source=lambda one: sum(kept.documents for kept in one.kept),
    )  # fmt: skip
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class SentTest:
    """A test event that is on its way."""

    delivery_id: str


class SentTestResponse(ResponseSchema[SentTest]):
    deliveryId = a.an_id("The delivery, in the log of the webhook")
    provider = a.provider()
