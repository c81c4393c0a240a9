"""`einvoice doctor`: every unsafe or missing thing, and its mend."""

from __future__ import annotations

import sys

import click

from einvoice.cli import symptoms
from einvoice.cli.application import application
from einvoice.security import sealing


@click.command()
@click.option("--new-key", is_flag=True, help="Print a fresh EINVOICE_SECRET_KEY and stop.")
def doctor(new_key: bool) -> None:
    """Check settings, database, Redis, workers and plugins. Exit 1 when something serious is
    wrong."""
    if new_key:
        click.echo(sealing.new_key())
        return
    app = application()
    with app.app_context():
        found = list(symptoms.found(app))
    for symptom in found:
        mark, colour = ("✗", "red") if symptom.serious else ("!", "yellow")
        click.secho(f"{mark} {symptom.words}", fg=colour)
        click.echo(f"  → {symptom.mend}")
    if not found:
        click.secho("✓ nothing to mend", fg="green")
    if any(symptom.serious for symptom in found):
        sys.exit(1)
