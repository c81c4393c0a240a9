"""KSeF, the clearance network of the Polish ministry of finance.

Like any plugin it imports einvoice.network and the packages below it, not the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from click import Command

from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.rules import RuleSet
from einvoice_ksef import commands, configuration, doctor
from einvoice_ksef.access_point import Ksef
from einvoice_ksef.fa3.form import PROFILE
from einvoice_ksef.fa3.rules import RULES

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both environments."""
    yield from configuration.settings_of()


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Ksef]:
    """An access point for each environment that is switched on: ksef-test, ksef-live."""
    for side in configuration.sides(settings):
        yield Ksef(side, store)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Check]:
    """Clock, accounts that end, calls of the hour, version of the API, warnings."""
    for side in configuration.sides(settings):
        yield from doctor.checks(side, store)


@hookimpl
def einvoice_commands(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Command]:
    """`einvoice ksef`."""
    yield commands.group(configuration.sides(settings), store)


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The check of FA(3)."""
    yield RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """FA(3) as the form of invoices."""
    yield PROFILE
