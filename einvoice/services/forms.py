"""The forms of documents that are installed: rule sets that judge them, profiles that make them.

Those of the service and of all plugins. They hold functions, so they are not sent to a computing
process: it makes them again, once (`RuleSets.__reduce__`).
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

from einvoice.documents.profiles import BIS_BILLING, OWN_PROFILES
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import DocumentTypeId
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.profiles import Profile, profiles_in_order
from einvoice.network import registry
from einvoice.network.registry import PluginFault
from einvoice.rules import Choice, ChosenBy, RuleSets, with_built_in


@dataclass(frozen=True, slots=True)
class NetworkForms:
    """The profiles of one network, with all rule sets. May be sent to a computing process.

    elsewhere  the profiles of other networks: name → network
    """

    rule_sets: RuleSets
    profiles: tuple[Profile, ...]
    elsewhere: Mapping[str, str] = field(default_factory=dict, repr=False)
    _by_kind: Mapping[tuple[DocumentKind, str, bool], tuple[Profile, ...]] = field(
        init=False, repr=False
    )

    def __post_init__(self) -> None:
        issuers = {"", *(each.country for each in self.profiles)}
        by_kind = {
            (kind, issuer, within): profiles_in_order(self.profiles, kind, issuer, within=within)
            for kind in DocumentKind
            for issuer in issuers
            for within in (False, True)
        }
        object.__setattr__(self, "_by_kind", by_kind)

    def profiles_for(
        self, kind: DocumentKind, issuer: str = "", receiver: str = ""
    ) -> tuple[Profile, ...]:
        """The profiles that have a document type for this kind of invoice, at least the first.

        issuer, receiver  their countries, as far as they are known
        """
        key = kind, issuer, receiver in ("", issuer)
        found = self._by_kind.get(key) or self._by_kind[kind, "", False]
        return found or self.profiles[:1]

    def profile_for(
        self,
        kind: DocumentKind,
        listed: Collection[str] | None = None,
        issuer: str = "",
        receiver: str = "",
    ) -> Profile:
        """The first profile for this kind of invoice whose document type the receiver lists.

        listed  the document types of its lookup; None or none of them: the first profile
        issuer, receiver  their countries, as far as they are known
        """
        profiles = self.profiles_for(kind, issuer, receiver)
        taken = (each for each in profiles if listed and _is_listed(each.type_of(kind), listed))
        return next(taken, profiles[0])

    def named(self, name: str, pointer: str = "/invoice/profile") -> Profile:
        """The profile of this name. Raises InvalidField, which names the network that has it, or
        lists the names."""
        found = next((each for each in self.profiles if each.name == name), None)
        if found is None:
            names = ", ".join(each.name for each in self.profiles)
            message = f"is not a profile of the network {self.profiles[0].network}: {names} only"
            if name in self.elsewhere:
                message += f". It is one of the network {self.elsewhere[name]}: name that network"
            raise InvalidField([FieldError(pointer, "unknown-profile", message)])
        return found

    def profile_of(self, invoice: Invoice) -> Profile:
        """The profile whose specification an invoice names, else the first for its kind."""
        kind = invoice.document_kind
        taken = (each for each in self.profiles if each.type_of(kind))
        own = (each for each in taken if _names(each, invoice))
        return next(own, self.profile_for(kind))

    def profile_by(self, rule_set: str) -> Profile | None:
        """The profile whose documents are judged by a rule set."""
        return next((each for each in self.profiles if each.rule_set == rule_set), None)

    def choice(self, profile: Profile) -> Choice:
        """The rule set of documents that are made for the network."""
        return Choice(self.rule_sets[profile.rule_set], ChosenBy.NETWORK)

    @property
    def rule_set(self) -> str:
        """The name of the rule set for documents that are of no other."""
        return self.profiles[0].rule_set

    @property
    def document_types(self) -> tuple[DocumentTypeId, ...]:
        """The types of all documents that the network takes."""
        types = (each for profile in self.profiles for each in profile.types.values())
        return tuple(dict.fromkeys(types))


def _names(profile: Profile, invoice: Invoice) -> bool:
    """Whether the profile would leave the specification of an invoice as it is."""
    try:
        return profile.adapt(invoice).invoice.customization == invoice.customization
    except InvalidField:
        return False


def _is_listed(document_type: DocumentTypeId | None, listed: Collection[str]) -> bool:
    return document_type is not None and document_type.registered_as(listed) is not None


@dataclass(frozen=True, slots=True)
class Forms:
    """All rule sets, and profiles by network."""

    rule_sets: RuleSets
    networks: Mapping[str, NetworkForms]

    def of(self, network: str) -> NetworkForms:
        """The forms of a network; one that has no profile takes what Peppol takes."""
        return self.networks.get(network) or self.networks[BIS_BILLING.network]

    def of_type(self, document_type: DocumentTypeId) -> NetworkForms | None:
        """The forms of the network whose profile has this document type, if there is one."""
        forms = self.networks.values()
        return next((each for each in forms if document_type in each.document_types), None)


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
    profiles = (*OWN_PROFILES, *offered.profiles)
    names = [profile.name for profile in profiles]
    for profile in offered.profiles:
        if names.count(profile.name) > 1:
            raise PluginFault(f"two profiles are named {profile.name!r}")
        if profile.rule_set not in rule_sets:
            raise PluginFault(f"profile {profile.name!r}: no rule set {profile.rule_set!r}")
    by_network: dict[str, tuple[Profile, ...]] = {}
    for profile in profiles:
        by_network[profile.network] = (*by_network.get(profile.network, ()), profile)
    return Forms(
        rule_sets,
        {
            name: NetworkForms(rule_sets, some, _elsewhere(name, profiles))
            for name, some in by_network.items()
        },
    )


def _elsewhere(network: str, profiles: Iterable[Profile]) -> dict[str, str]:
    """The networks of the profiles that are not of this one, by name of profile."""
    return {each.name: each.network for each in profiles if each.network != network}
