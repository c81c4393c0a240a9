"""OAuth clients: bodies that create and change them, and bodies of responses (decisions 11)."""

from __future__ import annotations

from einvoice.domain.credentials import Credential
from einvoice.web.account.credential_schemas import (
    LISTED,
    CredentialChanges,
    CredentialFields,
    NewCredential,
)
from einvoice.web.fields import environment_code
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class NewOAuthClient(NewCredential):
    """A client to create."""


class OAuthClientChanges(CredentialChanges):
    """Omitted fields stay unchanged."""


class ClientQuery(PartQuery):
    environment = environment_code("Only clients of this environment.")


class _ClientId(ResponseSchema[Credential]):
    clientId = a.text("The client's id", "ci_test_9vXk2vQ8aBcdEfGh01234w", source="id")


class OAuthClient(CredentialFields, _ClientId):
    """An OAuth client's metadata. Its secret is not stored."""

    class Meta:
        exclude = ("prefix", "expiresAt")

    last4 = a.text("Last four characters of its secret", "0aZ9")
    scopes = a.texts("Permissions that its tokens can have", "invoices:send")
    lastUsedAt = a.moment("When it last got a token", or_null=True)


class OAuthClientResponse(OAuthClient):
    provider = a.provider()


class OAuthClientWithSecret(OAuthClient):
    """A new client, or one with a new secret. Only this response contains the secret."""

    inside = "record"

    clientSecret = a.text(
        "The secret; null for a repetition", "cs_Xk2vQ8aB…", or_null=True, source=".secret"
    )
    provider = a.provider()


class OAuthClientList(ResponseSchema[Page[Credential]]):
    items = a.things(OAuthClient(), LISTED, max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
