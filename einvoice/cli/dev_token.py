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
@click.argument("tenant", required=False)
@click.option("--operator", is_flag=True, help="For the console at /operator, without a TENANT.")
@click.option("--role", type=click.Choice([r.value for r in Role]), default="owner")
@click.option("--subject", default="developer", help="The person's id at the identity provider.")
@click.option("--email", help="The person's email address.")
@click.option("--link", is_flag=True, help="Print the address that logs in to the dashboard.")
@click.option("--hours", type=click.IntRange(1, 24), default=1, help="Lifetime of the token.")
@with_app
def dev_token(
    tenant: str | None,
    operator: bool,
    role: str,
    subject: str,
    email: str | None,
    link: bool,
    hours: int,
) -> None:
    """Print a session token for TENANT, or with --operator for the console; refused in production.

    A token of the console works with --link only: programs of operators have keys
    (einvoice operator-keys).
    """
    settings, lifetime = runtime().settings, timedelta(hours=hours)
    if operator == (tenant is not None):
        raise click.UsageError("give TENANT or --operator")
    if tenant is None:
        token = dev_issuer.mint_for_operator(
            settings, subject=subject, email=email, lifetime=lifetime
        )
    else:
        tenants.get(tenant)
        token = dev_issuer.mint(
            settings,
            tenant_id=tenant,
            role=Role(role),
            subject=subject,
            email=email,
            lifetime=lifetime,
        )
    area = "dashboard" if tenant else "operator"
    click.echo(f"{settings.base_url}/{area}/login/local?token={token}" if link else token)
