"""`einvoice connections`: accounts of tenants at networks. No command shows a secret."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import click

from einvoice import clock
from einvoice.cli.application import ENVIRONMENT, table, with_app
from einvoice.domain.connection_links import MAX_LASTS
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.connections import accounts, links
from einvoice.services.connections.accounts import ConnectionRecord, NewConnection
from einvoice.services.connections.links import NewLink
from einvoice.services.inbound import mailboxes
from einvoice.web.runtime import runtime

MAX_FILE_BYTES = 1024 * 1024


@click.group()
def connections() -> None:
    """Add, check, list and revoke accounts of tenants at networks."""


@connections.command(name="list")
@click.argument("tenant", required=False)
@with_app
def list_(tenant: str | None) -> None:
    """List the connections of TENANT, or of all tenants; the first to end first."""
    if tenant is not None:
        tenants.get(tenant)
    listed = accounts.of_all(tenant)
    waiting = accounts.waiting_documents(listed)
    table(
        [
            (
                found.id,
                found.tenant_id,
                found.environment,
                found.access_point,
                found.account,
                found.state,
                found.checked_at and clock.timestamp(found.checked_at),
                found.expires_at and clock.timestamp(found.expires_at),
                found.consent_by,
                waiting.get(found.id, 0),
                found.reason,
                found.valid_until and clock.timestamp(found.valid_until),
                found.renewed_at and clock.timestamp(found.renewed_at),
                found.consent_id,
            )
            for found in listed
        ],
        "connection", "tenant", "environment", "access point", "account", "state",
        "checked", "ends", "consent by", "documents waiting", "reason",
        "valid until", "renewed", "consent",
    )  # fmt: skip


@connections.command()
@click.argument("tenant")
@click.argument("network")
@click.argument("account")
@click.option("--environment", type=ENVIRONMENT, default="test")
@click.option("--name", default="", help="Name of the connection; the account by default.")
@click.option("--text", multiple=True, metavar="NAME=TEXT", help="A credential, not secret.")
@click.option("--secret", multiple=True, metavar="NAME", help="A secret, which is asked for.")
@click.option(
    "--consent-of", metavar="CONNECTION", help="Use the consent that was given for CONNECTION."
)
@click.option("--file", "files", multiple=True, metavar="NAME=PATH", help="A file.")
@with_app
def add(
    tenant: str,
    network: str,
    account: str,
    environment: str,
    name: str,
    text: tuple[str, ...],
    secret: tuple[str, ...],
    files: tuple[str, ...],
    consent_of: str | None,
) -> None:
    """Add the connection for ACCOUNT, a tax number, at NETWORK, and check it.

    A network that a person authorises in the browser is authorised at the dashboard afterwards,
    unless the consent of another connection is used.
    """
    credentials = dict(_pairs(text))
    for one in secret:
        credentials[one] = click.prompt(one, hide_input=True)
    credentials |= {key: _content(Path(path)) for key, path in _pairs(files)}
    new = NewConnection(Environment(environment), network, account, name, credentials, consent_of)
    _show(accounts.create(tenant, new, runtime()))


@connections.command()
@click.argument("tenant")
@click.argument("network", required=False)
@click.argument("account", required=False)
@click.option("--environment", type=ENVIRONMENT, default="test")
@click.option("--name", default="", help="Name of the connection; the account by default.")
@click.option(
    "--connection", help="In place of NETWORK: a connection that needs consent or credentials."
)
@click.option("--days", type=click.IntRange(1, MAX_LASTS.days), help="Until it ends; default: 14.")
@with_app
def link(
    tenant: str,
    network: str | None,
    account: str | None,
    environment: str,
    name: str,
    connection: str | None,
    days: int | None,
) -> None:
    """Print a link by which a person of TENANT opens a connection to NETWORK without a login.

    Without ACCOUNT, a tax number, the person states it.
    """
    until = None if days is None else clock.now() + timedelta(days=days)
    new = NewLink(Environment(environment), network, account, name, connection, until)
    made = links.create(tenant, new, runtime())
    click.echo(f"{made.url}\nuntil {clock.timestamp(made.link.expires_at)}, link {made.link.id}")


@connections.command()
@click.argument("tenant")
@click.argument("connection")
@with_app
def check(tenant: str, connection: str) -> None:
    """Check CONNECTION at the network now."""
    _show(accounts.check(tenant, connection, runtime()))


@connections.command()
@click.argument("tenant")
@click.argument("connection")
@with_app
def revoke(tenant: str, connection: str) -> None:
    """End CONNECTION and delete its credentials.

    The consent of its last connection is withdrawn at the network.
    """
    accounts.revoke(tenant, connection)
    click.echo(f"{connection} is revoked")


@connections.command(name="mailboxes")
@click.argument("tenant", required=False)
@with_app
def mailboxes_(tenant: str | None) -> None:
    """List the mailboxes of TENANT, or of all tenants; the longest not fetched first.

    The cursor's age is the time since it moved on.
    """
    if tenant is not None:
        tenants.get(tenant)
    table(
        [
            (
                found.connection_id,
                found.tenant_id,
                found.access_point,
                found.account,
                found.fetched_at and clock.timestamp(found.fetched_at),
                _age(found.changed_at),
                found.documents,
                found.failures,
                found.fault,
            )
            for found in mailboxes.of_all(tenant)
        ],
        "connection", "tenant", "access point", "account", "fetched", "cursor's age", "documents",
        "failures", "fault",
    )  # fmt: skip


def _age(moment: datetime | None) -> timedelta | None:
    if moment is None:
        return None
    return timedelta(seconds=int((clock.now() - moment).total_seconds()))


def _show(connection: ConnectionRecord) -> None:
    reason = f": {connection.reason}" if connection.reason else ""
    click.echo(f"{connection.id} is {connection.state}{reason}")


def _pairs(given: Iterable[str]) -> list[tuple[str, str]]:
    pairs = [one.partition("=") for one in given]
    for name, separator, _ in pairs:
        if not separator:
            raise click.BadParameter(f"{name!r} is not NAME=VALUE")
    return [(name, value) for name, _, value in pairs]


def _content(path: Path) -> str:
    """The file in base64."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as fault:
        raise click.ClickException(f"{path}: {fault.strerror}") from fault
    if len(content) > MAX_FILE_BYTES:
        raise click.ClickException(f"{path}: larger than {MAX_FILE_BYTES:,} bytes")
    return base64.b64encode(content).decode()
