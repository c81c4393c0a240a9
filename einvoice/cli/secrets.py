"""`einvoice secrets`: by which keys secrets are sealed, and sealing them with the first one."""

from __future__ import annotations

import click

from einvoice import clock
from einvoice.cli.application import table, with_app
from einvoice.services import resealing
from einvoice.web.runtime import runtime


@click.group()
def secrets() -> None:
    """Secrets that are encrypted with EINVOICE_SECRET_KEY."""


@secrets.command()
@click.option("--check", is_flag=True, help="Change nothing; only count.")
@with_app
def reseal(check: bool) -> None:
    """Seal all stored secrets with the first key of EINVOICE_SECRET_KEY.

    Prints how many secrets each key has sealed. Exits with 1 if any was sealed with another key
    than the first; with 0, the other keys can be removed. It may run beside the service, and be
    stopped and repeated at any time.
    """
    settings = runtime().settings
    if not check:
        resealing.reseal(settings, Progress().report)
    found = resealing.by_key(settings)
    table(
        [(one.column, one.key, one.place or "not in EINVOICE_SECRET_KEY", one.count)
         for one in found],
        "column", "key", "place", "secrets",
    )  # fmt: skip
    left = sum(one.count for one in found if not one.is_newest)
    if left:
        click.echo(f"{left} are not sealed with the first key", err=True)
        raise click.exceptions.Exit(1)


class Progress:
    """A line on stderr each second, and for each batch with secrets that cannot be opened."""

    def __init__(self) -> None:
        self._next = 0.0

    def report(self, column: str, done: int, broken: int) -> None:
        if clock.monotonic() >= self._next or broken:
            self._next = clock.monotonic() + 1.0
            failed = f", {broken} cannot be opened" if broken else ""
            click.echo(f"{column}: {done} sealed{failed}", err=True)
