"""Commands that plugins offer by the hook `einvoice_commands`."""

from __future__ import annotations

import click

from einvoice.cli.application import application
from einvoice.web.runtime import runtime_of


def find(name: str) -> click.Command | None:
    """The command of an installed plugin; None also where the service cannot start."""
    try:
        app = application()
    except click.ClickException:
        return None
    return runtime_of(app).extras.commands.get(name)
