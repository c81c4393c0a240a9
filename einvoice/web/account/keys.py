"""API keys of the tenant: administrators create, change, rotate and revoke them."""

from __future__ import annotations

from einvoice.domain.credentials import API_KEY
from einvoice.web.account import key_schemas as schemas
from einvoice.web.account.credential_views import (
    CredentialSchemas,
    CredentialViews,
    RouteTexts,
    credential_family,
)

family = credential_family(
    "keys",
    __name__,
    "key_id",
    CredentialViews(
        API_KEY,
        CredentialSchemas(
            new=schemas.NewApiKey(),
            changes=schemas.ApiKeyChanges(),
            query=schemas.KeyQuery(),
            record=schemas.ApiKeyResponse(),
            made=schemas.ApiKeyWithSecret(),
            list=schemas.ApiKeyList(),
        ),
        path="/api/keys",
        id_member="keyId",
        secret_member="key",  # noqa: S106 - the name of a member
    ),
    RouteTexts(
        singular="key",
        plural="keys",
        list="List the active API keys of the account, and the newest revoked or expired ones; "
        "the keys themselves are not stored.\n\nThe operator sets the rate limits.",
        create="Create an API key. Only this response contains it.",
        get="One API key.",
        change="Change name, scopes or allow lists of a key. The change applies at once.",
        rotate="Create a key with the same rights; the old one expires after the grace period.",
        revoke="Revoke a key at once; it stays in the list.",
        tag="Keys",
    ),
)
