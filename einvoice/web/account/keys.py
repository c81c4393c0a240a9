"""API keys of the tenant: made, changed, rotated and revoked by administrators."""

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
            new=schemas.NewKey(),
            changes=schemas.KeyChanges(),
            query=schemas.KeyQuery(),
            record=schemas.OneKey(),
            made=schemas.MadeKey(),
            list=schemas.KeyList(),
        ),
        path="/api/keys",
        id_member="keyId",
        secret_member="key",  # noqa: S106 - the name of a member
    ),
    RouteTexts(
        singular="key",
        plural="keys",
        list="The API keys of the account, with the newest of those that are revoked or expired; "
        "the keys themselves are not stored.\n\nThe operator sets the budgets.",
        create="Make an API key. The answer is the only one that shows it.",
        get="One API key.",
        change="Change name, scopes or limits of a key; it keeps working, under the new terms at "
        "once.",
        rotate="A new key with the same rights; the old one expires after the grace.",
        revoke="Make a key invalid at once; it stays in the list.",
    ),
)
