"""OAuth clients: bodies that create and change them, and bodies of responses (decisions 11)."""

from __future__ import annotations

from marshmallow import Schema

from einvoice.web.account.credential_schemas import (
    LISTED,
    CredentialChanges,
    CredentialFields,
    NewCredential,
    environment_field,
)
from einvoice.web.paging import MAX_PAGE_SIZE, PartQuery
from einvoice.web.shared import response_fields as a


class NewOAuthClient(NewCredential):
    """A client to create."""


class OAuthClientChanges(CredentialChanges):
    """Omitted fields stay unchanged."""


class ClientQuery(PartQuery):
    environment = environment_field("Only clients of this environment.")


class OAuthClient(CredentialFields):
    """An OAuth client's metadata. Its secret is not stored."""

    clientId = a.text("The client's id", "ci_test_9vXk2vQ8aBcdEfGh01234w")
    last4 = a.text("Last four characters of its secret", "0aZ9")
    scopes = a.texts("Permissions that its tokens can have", "invoices:send")
    oldSecretUntil = a.moment("Until when the previous secret stays valid", or_null=True)
    lastUsedAt = a.moment("When it last got a token", or_null=True)


class OAuthClientResponse(OAuthClient):
    provider = a.provider()


class OAuthClientWithSecret(OAuthClientResponse):
    """A new client, or one with a new secret. Only this response contains the secret."""

    clientSecret = a.text("The secret; null for a repetition", "cs_Xk2vQ8aB…", or_null=True)


class OAuthClientList(Schema):
    items = a.things(OAuthClient(), LISTED, max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
