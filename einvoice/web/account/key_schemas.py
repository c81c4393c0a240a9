"""API keys: bodies of the requests that create and change them, and of responses (decisions 9)."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.account.credential_schemas import (
    LISTED,
    CredentialChanges,
    CredentialFields,
    NewCredential,
    environment_field,
)
from einvoice.web.paging import MAX_PAGE_SIZE, Moment, PartQuery
from einvoice.web.shared import response_fields as a


class NewApiKey(NewCredential):
    """A key to create."""

    expiresAt = Moment(
        "Expiry, or the last day (UTC) of validity; default: none.", end=True,
        example="2027-11-21T00:00:00Z",
    )  # fmt: skip


class ApiKeyChanges(CredentialChanges):
    """Omitted fields stay unchanged."""


class KeyQuery(PartQuery):
    environment = environment_field("Only keys of this environment.")


class ApiKey(CredentialFields):
    """An API key's metadata. The key itself is not stored."""

    keyId = a.an_id("The key's id")
    prefix = a.text("Its first characters", "sk_test_Xk2vQ8aB")
    last4 = a.text("How it ends", "0aZ9")
    scopes = a.texts("Its permissions", "invoices:send")
    expiresAt = a.moment("When it expires; null: never", or_null=True)
    lastUsedAt = a.moment("When it was last used, to the minute", or_null=True)


class ApiKeyResponse(ApiKey):
    provider = a.provider()


class ApiKeyWithSecret(ApiKeyResponse):
    """A new key. Only this response contains it."""

    key = a.text("The key; null for a repetition", "sk_test_Xk2vQ8aB…", or_null=True)


class ApiKeyList(Schema):
    items = a.things(ApiKey(), LISTED, max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
