"""Commands that plugins offer: found by name, after those of the service."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from einvoice.cli import main, plugin_commands
from einvoice.network import registry
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import PluginFault


def offering(*commands):
    class Plugin:
        EINVOICE_INTERFACE = 2

        @hookimpl
        def einvoice_commands(self, settings, store):
            return commands

    return Plugin()


@click.command("parcel")
def parcel():
    click.echo("from a plugin")


def run(make_app, monkeypatch, name, *commands):
    app = make_app(plugins=[offering(*commands)])
    monkeypatch.setattr(plugin_commands, "application", lambda: app)
    return CliRunner().invoke(main, [name])


def test_a_command_of_a_plugin_is_found(make_app, monkeypatch):
    assert run(make_app, monkeypatch, "parcel", parcel).output == "from a plugin\n"


def test_a_name_that_no_plugin_has_is_unknown(make_app, monkeypatch):
    result = run(make_app, monkeypatch, "parcels", parcel)

    assert result.exit_code == 2
    assert "No such command 'parcels'" in result.output


def test_a_command_of_the_service_comes_first(make_app, monkeypatch):
    @click.command("validate")
    def validate():
        click.echo("from a plugin")

    assert "from a plugin" not in run(make_app, monkeypatch, "validate", validate).output


def test_a_service_that_cannot_start_has_no_commands_of_plugins(monkeypatch):
    def fail():
        raise click.ClickException("no database")

    monkeypatch.setattr(plugin_commands, "application", fail)

    assert "No such command" in CliRunner().invoke(main, ["parcel"]).output


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        (["text"], "not a named command"),
        ([click.Command(None)], "not a named command"),
        ([click.Command("With Blank")], "not a named command"),
        ([parcel, parcel], "two plugins have a command 'parcel'"),
    ],
)
def test_a_command_that_cannot_be_used_stops_the_start(commands, words):
    with pytest.raises(PluginFault, match=words):
        registry.load_all({}, [offering(*commands)])
