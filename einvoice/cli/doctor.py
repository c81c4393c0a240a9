"""`einvoice doctor`: list unsafe and missing parts of the installation, each with its fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

import click
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from einvoice import rules
from einvoice.app import create_app, for_plugins
from einvoice.cli import (
    doctor_checks,
    doctor_plugins,
    doctor_report,
    doctor_tls,
    doctor_work,
    plugins,
)
from einvoice.cli.application import application
from einvoice.cli.doctor_plugins import Checked
from einvoice.cli.doctor_problem import Problem, Severity
from einvoice.cli.doctor_report import Report
from einvoice.config import Settings
from einvoice.network.checks import Level
from einvoice.network.registry import PluginFault
from einvoice.security import sealing
from einvoice.services import operator_notes
from einvoice.services.operator_notes import DoctorFinding
from einvoice.web.runtime import runtime_of

_MARKS = {Level.GOOD: ("✓", "green"), Level.WARNING: ("!", "yellow"), Level.ERROR: ("✗", "red")}
_PROBLEM_MARKS = {
    Severity.NOTE: ("·", "blue"),
    Severity.WARNING: ("!", "yellow"),
    Severity.SERIOUS: ("✗", "red"),
}


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
        message = str(fault.__cause__)
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
    return app, problems or [Problem(message, _FIX)]


_FIX = "set what it lacks, install another version, or uninstall it: nothing starts with it"


@click.command()
@click.option("--new-key", is_flag=True, help="Print a new EINVOICE_SECRET_KEY and exit.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and exit with a code per level.")
@click.option("--record", metavar="HOST", help="Note the result for /metrics as that of this host.")
def doctor(new_key: bool, as_json: bool, record: str | None) -> None:
    """Check settings, database, Redis, workers and plugins; list the settings of plugins.

    Exits with 1 if a problem is serious, with --json with 3 if there are warnings only.
    """
    if new_key:
        click.echo(sealing.new_key())
        return
    app, found = _application()
    certificates = doctor_tls.served(runtime_of(app).settings)
    with app.app_context():
        found += doctor_checks.problems(app)
        found += doctor_tls.problems(certificates)
        checked = list(doctor_plugins.run(runtime_of(app).extras))
        connections = list(_connections())
        ends = {one.address: one.ends_at for one in certificates if one.ends_at is not None}
        report = doctor_report.of(found, checked, ends)
        if record:
            _record(record, report)
    if as_json:
        click.echo(report.json())
        sys.exit(report.exit_code)
    _print(app, found, checked, connections)
    if report.level is Severity.SERIOUS:
        sys.exit(1)


def _record(host: str, report: Report) -> None:
    """Note the result. Without a database there is nothing to note it in, which is a finding."""
    try:
        found = [
            DoctorFinding(one.level.value, one.message, one.fix, one.check)
            for one in report.findings
            if one.level is not Severity.OK
        ]
        operator_notes.note_doctor(host, report.counts, report.certificates, found)
    except SQLAlchemyError:
        click.echo("The result is not recorded: the database cannot be written to.", err=True)


def _print(
    app: Flask, found: Sequence[Problem], checked: Sequence[Checked], connections: Sequence[str]
) -> None:
    for problem in found:
        mark, colour = _PROBLEM_MARKS[problem.severity]
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
