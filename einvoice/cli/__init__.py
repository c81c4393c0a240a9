"""The console script `einvoice`: its commands come from the entry point group `einvoice.commands`.

A command is imported when it is used, and `einvoice --help` imports none (`summaries`): both are
fast, and a broken plugin does not break `einvoice doctor`. Other names are looked for among the
commands of plugins (hook `einvoice_commands`). The top layer: commands may import all packages of
einvoice, and only jobs imports them.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from einvoice import config
from einvoice.cli.summaries import SUMMARIES

GROUP = "einvoice.commands"
_PROCESSES = ("serve", "relay", "worker")
_MAX_SUMMARY = 200  # characters
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class _EntryPointGroup(click.Group):
    """The commands of the installed distributions."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_offered())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by their summaries; what has none here is loaded for its own."""
        rows = [(name, self._summary(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _summary(self, ctx: click.Context, name: str) -> str:
        if name in SUMMARIES:
            return SUMMARIES[name]
        command = self.get_command(ctx, name)
        return command.get_short_help_str(_MAX_SUMMARY) if command else ""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a file that its user may not read or write, or for which there is no room,
        is an error of one line.

        Files that it makes are readable by its user only: a data directory may be open to others.
        """
        try:
            with _private_files():
                return super().invoke(ctx)
        except PermissionError as fault:
            if fault.filename is None:
                raise
            message = f"{fault.filename}: {fault.strerror} for the user {_user()}"
            raise click.ClickException(message) from fault
        except OSError as fault:
            if fault.errno not in _NO_ROOM:
                raise
            name = f"{fault.filename}: " if fault.filename else ""
            raise click.ClickException(f"{name}{fault.strerror}") from fault

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _PROCESSES:
            config.share_metrics()
        offered = _offered().get(cmd_name)
        if offered is None:
            return _of_plugin(cmd_name)
        command: click.Command = _load(offered)
        return command


@contextmanager
def _private_files() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _user() -> str:
    """Name of the user of this process; without one, its id."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _of_plugin(name: str) -> click.Command | None:
    """A command that a plugin offers by its hook, which takes loading the application."""
    find = _load(EntryPoint("plugin", "einvoice.cli.plugin_commands:find", GROUP))
    found: click.Command | None = find(name)
    return found


def _load(entry: EntryPoint) -> Any:
    """The object that an entry point names.

    Garbage collections find nothing while modules are imported, and take a sixth of the time.
    """
    gc.disable()
    try:
        return entry.load()
    finally:
        gc.enable()


def _offered() -> dict[str, EntryPoint]:
    return {found.name: found for found in entry_points(group=GROUP)}


@click.group(cls=_EntryPointGroup)
@click.version_option(package_name="einvoice")
def main() -> None:
    """Operate the e-invoicing service."""
    # Python looks for garbage when it ends, for two seconds among all that the application has
    # loaded: commands and stops of processes would wait for it.
    atexit.register(gc.freeze)
