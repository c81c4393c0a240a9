"""OAuth clients of the tenant: administrators create, change, rotate and revoke them."""

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
            new=schemas.NewOAuthClient(),
            changes=schemas.OAuthClientChanges(),
            query=schemas.ClientQuery(),
            record=schemas.OAuthClientResponse(),
            made=schemas.OAuthClientWithSecret(),
            list=schemas.OAuthClientList(),
        ),
        path="/api/oauth-clients",
        id_member="clientId",
        secret_member="clientSecret",  # noqa: S106 - the name of a member
    ),
    RouteTexts(
        singular="oauth_client",
        plural="oauth_clients",
        list="List the active OAuth clients of the account, and the newest revoked ones; their "
        "secrets are not stored.",
        create="Create an OAuth client. Only this response contains its secret.",
        get="Get an OAuth client.",
        change="Change name, scopes or allow lists of a client. Its tokens follow within a second.",
        rotate="Create a new secret; the old one stays valid for the grace period. Tokens stay "
        "valid.",
        revoke="Revoke a client: its tokens are invalid within a second. It stays in the list.",
        tag="OAuth",
    ),
)
