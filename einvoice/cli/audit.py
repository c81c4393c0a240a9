"""`einvoice audit`: prove that the audit log is whole."""

from __future__ import annotations

from collections.abc import Iterable

import click

from einvoice.cli.application import table, with_app
from einvoice.services.account import audit_verification as service
from einvoice.web.runtime import runtime


@click.group()
def audit() -> None:
    """Verify the audit log of tenants."""


@audit.command()
@click.argument("tenant", required=False)
@click.option(
    "--head",
    metavar="NUMBER:DIGEST",
    help="A head of TENANT that was printed before: the log must still contain it.",
)
@with_app
def verify(tenant: str | None, head: str | None) -> None:
    """Compare the log of TENANT, or of all tenants, with its seals.

    Names every entry that was changed, removed, inserted or reordered, and exits with 1 if there
    is one. Entries of the last minute may still be waiting for their seal.
    """
    if head is not None and tenant is None:
        raise click.UsageError("--head needs TENANT")
    named: Iterable[str] = service.tenants() if tenant is None else [tenant]
    settings = runtime().settings
    found = [service.verify(one, settings, head) for one in named]
    table(
        [(one.tenant_id, one.entries, one.waiting, len(one.faults), one.head) for one in found],
        "tenant", "sealed entries", "waiting", "faults", "head",
    )  # fmt: skip
    faults = [f"{one.tenant_id}: {message}" for one in found for message in one.faults]
    for message in faults:
        click.echo(message, err=True)
    if faults:
        raise click.exceptions.Exit(1)
