"""KSeF, the clearance network of the Polish ministry of finance.

Like any plugin it imports einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from click import Command

from einvoice.domain.profiles import Profile
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice.rules import RuleSet

if TYPE_CHECKING:
    from einvoice_ksef.access_point import Ksef
    from einvoice_ksef.pef.access_point import KsefPef

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both environments."""
    from einvoice_ksef import configuration

    yield from configuration.settings_of()


@hookimpl
def einvoice_access_points(
    settings: Mapping[str, Any], store: PluginStore
) -> Iterator[Ksef | KsefPef]:
    """An access point for each environment that is switched on: ksef-test, ksef-live; another one
    (ksef-pef-test, ksef-pef-live) where the operator is a provider of Peppol services."""
    from einvoice_ksef import configuration
    from einvoice_ksef.access_point import Ksef
    from einvoice_ksef.pef.access_point import KsefPef

    for side in configuration.sides(settings):
        yield Ksef(side, store)
        if side.provider is not None:
            yield KsefPef(side, side.provider, store)


@hookimpl
def einvoice_checks(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Check]:
    """Clock, accounts that end, calls of the hour, version of the API, warnings."""
    from einvoice_ksef import configuration, doctor

    for side in configuration.sides(settings):
        yield from doctor.checks(side, store)


@hookimpl
def einvoice_commands(settings: Mapping[str, Any], store: PluginStore) -> Iterator[Command]:
    """`einvoice ksef`."""
    from einvoice_ksef import commands, configuration

    yield commands.group(configuration.sides(settings), store)


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The checks of FA(3) and of PEF."""
    from einvoice_ksef.fa3 import rules as fa3_rules
    from einvoice_ksef.pef import rules as pef_rules

    yield fa3_rules.RULES
    yield pef_rules.RULES


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """FA(3) and PEF as forms of invoices. Documents are judged for PEF without a provider too."""
    from einvoice_ksef.fa3 import form as fa3_form
    from einvoice_ksef.pef import form as pef_form

    yield fa3_form.PROFILE
    yield pef_form.PROFILE
