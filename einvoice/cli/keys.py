"""`einvoice keys`: API keys of a tenant."""

from __future__ import annotations

import click

from einvoice.cli.credentials import CommandTexts, CredentialCommands
from einvoice.domain.credentials import API_KEY

COMMANDS = CredentialCommands(
    API_KEY,
    CommandTexts(
        noun="key",
        rotated="key",
        argument="KEY_ID",
        group="Create, list, limit, rotate and revoke API keys.",
        add="Create a key and print it. It is shown only once.",
        list="List a tenant's keys, without the secrets, which are not stored.",
        rotate="Replace KEY_ID: print a new key with the same grants; the old one expires.",
        revoke="Revoke a key. It is invalid within a second.",
    ),
    show=lambda made: click.echo(made.secret),
    columns={
        "id": lambda key: key.id,
        "name": lambda key: key.name,
        "key": lambda key: f"{key.prefix}…{key.last4}",
        "get/min": lambda key: key.get_per_minute or "default",
        "post/min": lambda key: key.post_per_minute or "default",
        "created": lambda key: key.created_at,
        "expires": lambda key: key.expires_at,
        "revoked": lambda key: key.revoked_at,
    },
)
keys = COMMANDS.group("keys")
