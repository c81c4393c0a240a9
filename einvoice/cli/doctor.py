"""`einvoice doctor`: list unsafe and missing parts of the installation, each with its fix."""

from __future__ import annotations

import sys

import click

from einvoice.cli import doctor_checks
from einvoice.cli.application import application
from einvoice.security import sealing


@click.command()
@click.option("--new-key", is_flag=True, help="Print a new EINVOICE_SECRET_KEY and exit.")
def doctor(new_key: bool) -> None:
    """Check settings, database, Redis, workers and plugins.

    Exits with 1 if a problem is serious.
    """
    if new_key:
        click.echo(sealing.new_key())
        return
    app = application()
    with app.app_context():
        found = list(doctor_checks.problems(app))
    for problem in found:
        mark, colour = ("✗", "red") if problem.serious else ("!", "yellow")
        click.secho(f"{mark} {problem.message}", fg=colour)
        click.echo(f"  → {problem.fix}")
    if not found:
        click.secho("✓ nothing to fix", fg="green")
    if any(problem.serious for problem in found):
        sys.exit(1)
