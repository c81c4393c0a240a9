"""Options shared by the commands for API keys and OAuth clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from einvoice.cli.application import Name
from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS

Command = Callable[..., Any]
_PER_MINUTE = click.IntRange(1, 1_000_000)


def rights(thing: str) -> Callable[[Command], Command]:
    """Options for the grants of a key or client: name, environment, scopes, ips, receivers."""
    return _all(
        click.option("--name", type=Name(100), required=True, help=f"What the {thing} is for."),
        click.option("--environment", type=click.Choice(["test", "live"]), default="test"),
        click.option(
            "--scope",
            "scopes",
            multiple=True,
            help="May be repeated; default: the four of the public API.",
        ),
        click.option(
            "--ip", "ips", multiple=True, help="Allowed client address or network; may be repeated."
        ),
        click.option(
            "--receiver", "receivers", multiple=True, help="Allowed receiver; may be repeated."
        ),
    )


def grace(thing: str) -> Callable[[Command], Command]:
    """Option for how long the old secret stays valid after a rotation."""
    return click.option(
        "--grace",
        type=click.IntRange(0, MAX_GRACE_SECONDS),
        default=DEFAULT_GRACE_SECONDS,
        show_default=True,
        help=f"Seconds for which the old {thing} stays valid.",
    )


def budgets(command: Command) -> Command:
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
