"""OAuth clients of the tenant: made, changed, rotated and revoked by administrators."""

from __future__ import annotations

from einvoice.domain.credentials import OAUTH_CLIENT
from einvoice.web.account import oauth_client_schemas as schemas
from einvoice.web.account.credential_views import (
    CredentialSchemas,
    CredentialViews,
    RouteTexts,
    credential_family,
)

family = credential_family(
    "oauth_clients",
    __name__,
    "client_id",
    CredentialViews(
        OAUTH_CLIENT,
        CredentialSchemas(
            new=schemas.NewClient(),
            changes=schemas.ClientChanges(),
            query=schemas.ClientQuery(),
            record=schemas.OneClient(),
            made=schemas.MadeClient(),
            list=schemas.ClientList(),
        ),
        path="/api/oauth-clients",
        id_member="clientId",
        secret_member="clientSecret",  # noqa: S106 - the name of a member
    ),
    RouteTexts(
        singular="oauth_client",
        plural="oauth_clients",
        list="The OAuth clients of the account, with the newest of those that are revoked; their "
        "secrets are not stored.",
        create="Make an OAuth client. The answer is the only one that shows its secret.",
        get="One OAuth client.",
        change="Change name, scopes or limits of a client; its tokens follow within a second.",
        rotate="A new secret for the client; the old one is accepted during the grace. Tokens stay "
        "valid.",
        revoke="No more tokens for the client; those it has end within a second. It stays in the "
        "list.",
    ),
)
