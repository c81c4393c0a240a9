"""`einvoice doctor`: list unsafe and missing parts of the installation, each with its fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

import click
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from einvoice import rules
from einvoice.app import create_app, for_plugins
from einvoice.cli import doctor_checks, doctor_plugins, doctor_work, plugins
from einvoice.cli.application import application
from einvoice.cli.doctor_problem import Problem
from einvoice.config import Settings
from einvoice.network.checks import Level
from einvoice.network.registry import PluginFault
from einvoice.security import sealing
from einvoice.web.runtime import runtime_of

_MARKS = {Level.GOOD: ("✓", "green"), Level.WARNING: ("!", "yellow"), Level.ERROR: ("✗", "red")}


def _connections() -> Iterator[str]:
    with suppress(SQLAlchemyError):  # reported as a problem
        yield from doctor_work.connections()


def _application() -> tuple[Flask, list[Problem]]:
    """The application; without the plugins that keep it from starting, which are problems."""
    try:
        return application(), []
    except click.ClickException as fault:
        if not isinstance(fault.__cause__, PluginFault):
            raise
        words = str(fault.__cause__)
    settings = Settings.from_env()
    usable, broken = doctor_plugins.tried(for_plugins(settings))
    problems = [
        Problem(f"The plugin {one.name} cannot be used: {one.fault}", _FIX) for one in broken
    ]
    try:
        app = create_app(settings, plugins=usable)
    except PluginFault as fault:  # each can be used, but not together
        app = create_app(settings, plugins=[])
        return app, [*problems, Problem(str(fault), _FIX)]
    return app, problems or [Problem(words, _FIX)]


_FIX = "set what it lacks, install another version, or uninstall it: nothing starts with it"


@click.command()
@click.option("--new-key", is_flag=True, help="Print a new EINVOICE_SECRET_KEY and exit.")
def doctor(new_key: bool) -> None:
    """Check settings, database, Redis, workers and plugins; list the settings of plugins.

    Exits with 1 if a problem is serious.
    """
    if new_key:
        click.echo(sealing.new_key())
        return
    app, found = _application()
    with app.app_context():
        found += doctor_checks.problems(app)
        checked = list(doctor_plugins.run(runtime_of(app).extras))
        connections = list(_connections())
    for problem in found:
        mark, colour = ("✗", "red") if problem.serious else ("!", "yellow")
        click.secho(f"{mark} {problem.message}", fg=colour)
        click.echo(f"  → {problem.fix}")
    for line in connections:
        click.echo(line)
    click.echo(f"rules: {'compiled' if rules.are_compiled() else 'plain Python'}")
    for check in checked:
        mark, colour = _MARKS[check.level]
        click.secho(f"{mark} {check.name}: {check.sentence}", fg=colour)
    if not found and all(check.level is Level.GOOD for check in checked):
        click.secho("✓ nothing to fix", fg="green")
    declared = runtime_of(app).extras.settings
    if declared:
        click.echo("\nSettings of plugins")
        plugins.settings(declared)
    if any(p.serious for p in found) or any(c.level is Level.ERROR for c in checked):
        sys.exit(1)
