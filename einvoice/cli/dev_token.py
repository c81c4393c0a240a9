"""`einvoice dev-token`: a session token for the dashboard's API, without an identity provider."""

from __future__ import annotations

from datetime import timedelta

import click

from einvoice.cli.application import with_app
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import tenants
from einvoice.web.runtime import runtime


@click.command()
@click.argument("tenant")
@click.option("--role", type=click.Choice([r.value for r in Role]), default="owner")
@click.option("--subject", default="developer", help="The person's id at the identity provider.")
@click.option("--email", help="The person's email address.")
@click.option("--link", is_flag=True, help="Print the address that logs in to the dashboard.")
@click.option("--hours", type=click.IntRange(1, 24), default=1, help="Lifetime of the token.")
@with_app
def dev_token(
    tenant: str, role: str, subject: str, email: str | None, link: bool, hours: int
) -> None:
    """Print a session token for TENANT; refused in production."""
    tenants.get(tenant)
    token = dev_issuer.mint(
        runtime().settings,
        tenant_id=tenant,
        role=Role(role),
        subject=subject,
        email=email,
        lifetime=timedelta(hours=hours),
    )
    if link:
        token = f"{runtime().settings.base_url}/dashboard/login/local?token={token}"
    click.echo(token)
