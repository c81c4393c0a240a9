"""Progress of commands that take long, on stderr."""

from __future__ import annotations

from collections.abc import Callable

import click

from einvoice import clock


def progress(done: str, unit: str = "documents") -> Callable[[int, int], None]:
    """Print how many are done, at most once in five seconds."""
    printed = [clock.monotonic()]

    def _print(count: int, total: int) -> None:
        if clock.monotonic() - printed[0] >= 5:
            printed[0] = clock.monotonic()
            click.echo(f"{count:,} of {total:,} {unit} {done}", err=True)

    return _print
