"""`einvoice oauth-clients`: OAuth clients of a tenant."""

from __future__ import annotations

import click

from einvoice.cli.credentials import CommandTexts, CredentialCommands
from einvoice.domain.credentials import OAUTH_CLIENT
from einvoice.services.account.credentials import NewCredential


def _show(made: NewCredential) -> None:
    click.echo(made.record.id)
    click.echo(made.secret)


COMMANDS = CredentialCommands(
    OAUTH_CLIENT,
    CommandTexts(
        noun="client",
        rotated="secret",
        argument="CLIENT_ID",
        group="Create, list, limit, rotate and revoke OAuth clients.",
        add="Create a client and print its id and secret. The secret is shown only once.",
        list="List a tenant's clients, without the secrets, which are not stored.",
        rotate="Print a new secret of CLIENT_ID; the old one stays valid for the grace period.",
        revoke="Revoke a client. Its tokens are invalid within a second.",
    ),
    show=_show,
    columns={
        "client": lambda client: client.id,
        "name": lambda client: client.name,
        "secret": lambda client: f"…{client.last4}",
        "get/min": lambda client: client.get_per_minute or "default",
        "post/min": lambda client: client.post_per_minute or "default",
        "created": lambda client: client.created_at,
        "last used": lambda client: client.last_used_at,
        "revoked": lambda client: client.revoked_at,
    },
)
oauth_clients = COMMANDS.group("oauth-clients")
