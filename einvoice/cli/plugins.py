"""`einvoice plugins`: the installed access points and their capabilities."""

from __future__ import annotations

import click

from einvoice.cli.application import table, with_app
from einvoice.web.runtime import runtime


@click.command()
@with_app
def plugins() -> None:
    """List the access points of the installed plugins."""
    table(
        [
            (
                point.name,
                point.network,
                point.environment,
                "yes" if point.capabilities.has_status else "no",
                point.capabilities.repeat,
                point.capabilities.concurrency,
                point.capabilities.bulk,
                f"{point.capabilities.timeout:g} s",
            )
            for point in runtime().access_points
        ],
        "name",
        "network",
        "environment",
        "reports status",
        "repeat",
        "concurrency",
        "bulk",
        "timeout",
    )
