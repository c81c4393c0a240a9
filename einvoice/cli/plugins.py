"""`einvoice plugins`: the installed access points with their capabilities, and settings."""

from __future__ import annotations

from collections.abc import Iterable

import click

from einvoice.cli.application import table, with_app
from einvoice.network.settings import SettingValue
from einvoice.web.runtime import runtime


@click.command()
@with_app
def plugins() -> None:
    """List the access points of the installed plugins, the profiles of their networks, and the
    settings that plugins declare."""
    _access_points()
    click.echo()
    _profiles()
    declared = runtime().extras.settings
    if declared:
        click.echo()
        settings(declared)


def _profiles() -> None:
    networks = runtime().forms.networks.values()
    rows = [(p.name, p.network, p.rule_set) for forms in networks for p in forms.profiles]
    table(rows, "profile", "network", "rule set")


def settings(declared: Iterable[SettingValue]) -> None:
    """Print the settings that plugins declare; of secrets only whether they are set."""
    rows = [(v.setting.name, v.plugin, v.shown, v.setting.doc) for v in declared]
    table(rows, "setting", "plugin", "value", "meaning")


def _access_points() -> None:
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
