"""API keys: bodies of the requests that create and change them, and of responses (decisions 9)."""

from __future__ import annotations

from einvoice.domain.credentials import Credential
from einvoice.web.account.credential_schemas import (
    LISTED,
    CredentialChanges,
    CredentialFields,
    NewCredential,
)
from einvoice.web.fields import environment_code
from einvoice.web.paging import MAX_PAGE_SIZE, Moment, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
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
    environment = environment_code("Only keys of this environment.")


class _KeyId(ResponseSchema[Credential]):
    keyId = a.an_id("The key's id", source="id")


class ApiKey(CredentialFields, _KeyId):
    """An API key's metadata. The key itself is not stored."""

    class Meta:
        exclude = ("oldSecretUntil",)


class ApiKeyResponse(ApiKey):
    provider = a.provider()


class ApiKeyWithSecret(ApiKey):
    """A new key. Only this response contains it."""

    inside = "record"

    key = a.text(
        "The key; null for a repetition", "sk_test_Xk2vQ8aB…", or_null=True, source=".secret"
    )
    provider = a.provider()


class ApiKeyList(ResponseSchema[Page[Credential]]):
    items = a.things(ApiKey(), LISTED, max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
