"""`einvoice plugins`: what access points are installed and what they can."""

from __future__ import annotations

import click

from einvoice.cli.application import table, with_app
from einvoice.web.runtime import runtime


@click.command()
@with_app
def plugins() -> None:
    """List the access points that the installed plugins offer."""
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
        "tells status",
        "repeat",
        "at once",
        "bulk",
        "timeout",
    )
