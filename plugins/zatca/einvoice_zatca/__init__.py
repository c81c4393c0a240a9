"""Fatoora, the network of the tax authority of Saudi Arabia (ZATCA).

Like any plugin it imports einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.network.types import Inbox
from einvoice.rules import RuleSet

if TYPE_CHECKING:
    from einvoice_zatca.access_point import Fatoora

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of the environments."""
    from einvoice_zatca import configuration

    yield from configuration.settings_of()


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Fatoora]:
    """An access point for each environment that is switched on: zatca-test, zatca."""
    from einvoice_zatca import configuration
    from einvoice_zatca.access_point import Fatoora

    for side in configuration.sides(settings):
        yield Fatoora(side, store)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Check]:
    """Clock, and simplified documents that are not reported."""
    from einvoice_zatca import configuration, doctor

    for side in configuration.sides(settings):
        yield from doctor.checks(side, store)


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of documents: standard and simplified ones."""
    from einvoice_zatca import form

    yield form.PROFILE


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules of ZATCA, and those of EN 16931 as Fatoora has them."""
    from einvoice_zatca.rules import RULES

    yield RULES


@hookimpl
def einvoice_commands(settings: Mapping[str, Any], inbox: Inbox) -> Iterator[click.Command]:
    """`einvoice zatca`: recompute stamps and chains."""
    from einvoice_zatca import commands, configuration

    points = [side.name for side in configuration.sides(settings)]
    yield commands.commands(inbox, points)
