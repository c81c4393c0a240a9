"""The commands for API keys and OAuth clients, which are the same but for their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from einvoice.cli.application import ENVIRONMENT, Name, table, with_app
from einvoice.domain.credentials import CredentialKind
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials as service
from einvoice.services.account import tenants
from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS
from einvoice.services.account.credentials import NewCredential

Command = Callable[..., Any]
_PER_MINUTE = click.IntRange(1, 1_000_000)


@dataclass(frozen=True, slots=True)
class CommandTexts:
    """How the commands of a kind name things, and their help.

    `noun`: what options say of it; `rotated`: what a rotation replaces; `argument`: the id.
    """

    noun: str
    rotated: str
    argument: str
    group: str
    add: str
    list: str
    rotate: str
    revoke: str


@dataclass(frozen=True, slots=True)
class CredentialCommands:
    """The commands of one kind.

    `show` prints a new credential; `columns` are the titles of the list and what stands below them.
    """

    kind: CredentialKind
    texts: CommandTexts
    show: Callable[[NewCredential], None]
    columns: Mapping[str, Callable[[Any], Any]]

    def group(self, name: str) -> click.Group:
        """`einvoice <name> add|list|rotate|revoke|limit`."""
        group = click.Group(name, help=self.texts.group)
        for command in (self._add(), self._list(), self._rotate(), self._revoke(), self._limit()):
            group.add_command(command)
        return group

    def _add(self) -> click.Command:
        @click.argument("tenant")
        @_rights(self.texts.noun)
        @_expiry(self.kind)
        @with_app
        def add(
            tenant: str,
            name: str,
            environment: str,
            scopes: tuple[str, ...],
            ips: tuple[str, ...],
            receivers: tuple[str, ...],
            expires: datetime | None = None,
        ) -> None:
            made = service.create(
                self.kind,
                tenant,
                name,
                Environment(environment),
                scopes=scopes or None,
                expires_at=_end_of(expires) if expires else None,
                allowed_ips=ips,
                allowed_receivers=receivers,
            )
            self.show(made)

        return click.command("add", help=self.texts.add)(add)

    def _list(self) -> click.Command:
        @click.argument("tenant")
        @with_app
        def list_(tenant: str) -> None:
            tenants.get(tenant)
            found = service.of_tenant(self.kind, tenant)
            rows = [tuple(cell(one) for cell in self.columns.values()) for one in found]
            table(rows, *self.columns)

        return click.command("list", help=self.texts.list)(list_)

    def _rotate(self) -> click.Command:
        @click.argument("tenant")
        @click.argument("credential_id", metavar=self.texts.argument)
        @_grace(self.texts.rotated)
        @with_app
        def rotate(tenant: str, credential_id: str, grace: int) -> None:
            self.show(service.rotate(self.kind, tenant, credential_id, grace))

        return click.command("rotate", help=self.texts.rotate)(rotate)

    def _revoke(self) -> click.Command:
        @click.argument("tenant")
        @click.argument("credential_id", metavar=self.texts.argument)
        @with_app
        def revoke(tenant: str, credential_id: str) -> None:
            service.revoke(self.kind, tenant, credential_id)

        return click.command("revoke", help=self.texts.revoke)(revoke)

    def _limit(self) -> click.Command:
        @click.argument("tenant")
        @click.argument("credential_id", metavar=self.texts.argument)
        @_budgets
        @with_app
        def limit(tenant: str, credential_id: str, get: int | None, post: int | None) -> None:
            service.limit(self.kind, tenant, credential_id, get, post)

        message = (
            f"Set the requests a minute of a {self.texts.noun}; an omitted option restores the "
            "default."
        )
        return click.command("limit", help=message)(limit)


def _end_of(day: datetime) -> datetime:
    """The end of the day: the key still works on its last day."""
    return day.replace(tzinfo=UTC) + timedelta(days=1)


def _rights(thing: str) -> Callable[[Command], Command]:
    """Options for the grants of a key or client: name, environment, scopes, ips, receivers."""
    return _all(
        click.option("--name", type=Name(100), required=True, help=f"What the {thing} is for."),
        click.option("--environment", type=ENVIRONMENT, default="test"),
        click.option(
            "--scope",
            "scopes",
            multiple=True,
            help="May be repeated; default: the four of the public API, of a platform all.",
        ),
        click.option(
            "--ip", "ips", multiple=True, help="Allowed client address or network; may be repeated."
        ),
        click.option(
            "--receiver", "receivers", multiple=True, help="Allowed receiver; may be repeated."
        ),
    )


def _expiry(kind: CredentialKind) -> Callable[[Command], Command]:
    """The last day of a kind that expires."""
    day = click.DateTime(["%Y-%m-%d"])
    option = click.option("--expires", type=day, help="Last day, UTC.")
    return option if kind.expires else _all()


def _grace(thing: str) -> Callable[[Command], Command]:
    """Option for how long the old secret stays valid after a rotation."""
    return click.option(
        "--grace",
        type=click.IntRange(0, MAX_GRACE_SECONDS),
        default=DEFAULT_GRACE_SECONDS,
        show_default=True,
        help=f"Seconds for which the old {thing} stays valid.",
    )


def _budgets(command: Command) -> Command:
    """Options for requests a minute; an omitted one means the default of the settings."""
    return _all(
        click.option(
            "--get", type=_PER_MINUTE, help="GET requests a minute; default: EINVOICE_LIMIT_GET."
        ),
        click.option("--post", type=_PER_MINUTE, help="All others; default: EINVOICE_LIMIT_POST."),
    )(command)


def _all(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Add the options in the order in which --help lists them."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
