"""The forms of documents that are installed: rule sets that judge them, profiles that make them.

Those of the service and of all plugins. They hold functions, so they are not sent to a computing
process: it makes them again, once (`RuleSets.__reduce__`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.profiles import Profile
from einvoice.network import registry
from einvoice.network.registry import PluginFault
from einvoice.rules import RuleSets, with_built_in

_OWN = (BIS_BILLING,)


@dataclass(frozen=True, slots=True)
class Forms:
    """Rule sets by name, and profiles by network."""

    rule_sets: RuleSets
    profiles: tuple[Profile, ...]

    def profiles_of(self, network: str) -> Sequence[Profile]:
        """The profiles of a network; one that has none takes what Peppol takes."""
        return [profile for profile in self.profiles if profile.network == network] or _OWN

    def profile_for(self, network: str, kind: DocumentKind) -> Profile:
        """The first profile of a network that has a document type for this kind of invoice.

        Without one, its first profile.
        """
        profiles = self.profiles_of(network)
        return next((profile for profile in profiles if profile.type_of(kind)), profiles[0])

    @property
    def networks(self) -> frozenset[str]:
        """The networks that have a profile."""
        return frozenset(profile.network for profile in self.profiles)


def of_plugins(plugins: Iterable[object] | None) -> Forms:
    """The forms of the service and these plugins; None: of those that are installed.

    Raises PluginFault.
    """
    if plugins is None:
        return installed()
    chosen = tuple(plugins)
    names = (getattr(plugin, "__name__", type(plugin).__name__) for plugin in chosen)
    return _forms(chosen, partial(rule_sets_of, *names))


@cache
def installed() -> Forms:
    """The forms of the service and of the installed plugins. Raises PluginFault."""
    return _forms(None, partial(installed_rule_sets))


def installed_rule_sets() -> RuleSets:
    """The rule sets among the installed forms. Raises PluginFault."""
    return installed().rule_sets


@cache
def rule_sets_of(*modules: str) -> RuleSets:
    """The rule sets of the service and of the plugins that are these modules."""
    return of_plugins([importlib.import_module(name) for name in modules]).rule_sets


def _forms(plugins: Iterable[object] | None, restore: partial[RuleSets]) -> Forms:
    offered = registry.load_forms(plugins)
    try:
        rule_sets = with_built_in(offered.rule_sets, restore)
    except ValueError as fault:
        raise PluginFault(str(fault)) from fault
    profiles = (*_OWN, *offered.profiles)
    names = [profile.name for profile in profiles]
    for profile in offered.profiles:
        if names.count(profile.name) > 1:
            raise PluginFault(f"two profiles are named {profile.name!r}")
        if profile.rule_set not in rule_sets:
            raise PluginFault(f"profile {profile.name!r}: no rule set {profile.rule_set!r}")
    return Forms(rule_sets, profiles)
