"""Loads the plugins, checks what they offer, and finds the access point for a participant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import click
import pluggy

from einvoice import config
from einvoice.domain.delivery import Clearance, DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.profiles import Profile
from einvoice.network import hookspec
from einvoice.network import settings as plugin_settings
from einvoice.network.checks import Check
from einvoice.network.duties import MAX_INTERVAL, MAX_SECONDS, MIN_INTERVAL, Duty
from einvoice.network.endpoints import Endpoint
from einvoice.network.plugin_store import ClosedStore, PluginStore
from einvoice.network.settings import InvalidSetting, PluginSettings, SettingValue
from einvoice.network.types import (
    INTERFACE_VERSION,
    SUPPORTED_INTERFACES,
    AccessPoint,
    Capabilities,
    ClosedInbox,
    Inbox,
    PollsMany,
)
from einvoice.rules import RuleSet

PEPPOL = "peppol"
SIMULATOR = "simulator"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
_NAME_RULE = "a name is 1 to 40 lower-case letters, digits and inner hyphens"
MAX_PLUGIN_NAME_LENGTH = 100

T = TypeVar("T")


class PluginFault(Exception):
    """A plugin that cannot be used. The message names the plugin and what is wrong."""


class AccessPoints:
    """All access points by name. Simulators never serve live."""

    def __init__(self, offered: Iterable[AccessPoint]) -> None:
        self._by_name: dict[str, AccessPoint] = {}
        self._reserved: dict[str, AccessPoint] = {}
        for point in offered:
            self._add(point)
        self._in_order = sorted(self._by_name.values(), key=lambda point: point.name)
        self._without_directory = {
            point.environment for point in self if not point.capabilities.needs_lookup
        }

    def _add(self, point: AccessPoint) -> None:
        if not isinstance(point, AccessPoint):
            raise PluginFault(f"{point!r} lacks an operation of AccessPoint")
        for wrong in faults(point):
            raise PluginFault(f"access point {point.name!r}: {wrong}")
        if point.name in self._by_name:
            raise PluginFault(f"two access points are named {point.name!r}")
        self._by_name[point.name] = point
        for participant in point.capabilities.reserved:
            self._reserved[participant.canonical] = point

    def __getitem__(self, name: str) -> AccessPoint:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[AccessPoint]:
        return iter(self._by_name.values())

    def capabilities_of(self, name: str) -> Capabilities:
        """The capabilities of the access point; the default ones, if it is not installed."""
        found = self._by_name.get(name)
        return Capabilities() if found is None else found.capabilities

    def reserved(self, participant: ParticipantId) -> bool:
        """Whether the participant exists in a sandbox only. Live keys may not send to it."""
        return participant.canonical in self._reserved

    def networks(self, environment: Environment) -> list[str]:
        """The networks offered in an environment; a simulator stands for Peppol's test network."""
        offered = {point.network for point in self if point.environment is environment}
        return sorted(offered | ({PEPPOL} if SIMULATOR in offered else set()))

    def serving(
        self, participant: ParticipantId, environment: Environment, network: str | None = None
    ) -> list[AccessPoint]:
        """The access points that reach the participant, in the order of their names.

        Simulators only if no other does: they stand for any test network. `network`: only those of
        the network, or the one of this name; None: without those that have to be named.
        """
        found = [
            point
            for point in self._candidates(participant)
            if point.environment is environment
            and (_is_offered(point) if network is None else stands_for(point, network))
            and point.serves(participant)
        ]
        return [point for point in found if not _simulates(point)] or found

    def serving_without_id(
        self, environment: Environment, network: str | None = None
    ) -> list[AccessPoint]:
        """The access points that reach receivers without a participant id, by name.

        `network`: only those of the network, or the one of this name; None: without those that
        have to be named.
        """
        return [
            point
            for point in self._in_order
            if point.environment is environment
            and point.capabilities.reaches_without_id
            and (_is_offered(point) if network is None else is_of(point, network))
        ]

    def reaches_without_id(self, environment: Environment) -> bool:
        """Whether some access point of the environment, also one that has to be named, reaches
        receivers without a participant id."""
        return any(
            point.capabilities.reaches_without_id and point.environment is environment
            for point in self._in_order
        )

    def without_directory(self, environment: Environment) -> bool:
        """Whether some access point of the environment sends without a lookup."""
        return environment in self._without_directory

    def _candidates(self, participant: ParticipantId) -> Iterable[AccessPoint]:
        owner = self._reserved.get(participant.canonical)
        return self._in_order if owner is None else (owner,)


def is_of(point: AccessPoint, network: str) -> bool:
    """Whether an access point is of a network, or has this name."""
    return network in (point.network, point.name)


def stands_for(point: AccessPoint, network: str) -> bool:
    """Whether an access point is of a network, or has this name, or simulates it."""
    return is_of(point, network) or _simulates(point)


def _is_offered(point: AccessPoint) -> bool:
    """Whether an access point may carry documents whose send names no network."""
    return not point.capabilities.named_only


def _simulates(point: AccessPoint) -> bool:
    return point.network == SIMULATOR


def faults(point: AccessPoint) -> Iterator[str]:
    """What is wrong with the access point's name, environment or capabilities."""
    can = point.capabilities
    if not _NAME.fullmatch(point.name):
        yield _NAME_RULE
    if not isinstance(point.environment, Environment):
        yield "its environment is not one of Environment"
    if point.network == SIMULATOR and point.environment is not Environment.TEST:
        yield "a simulator offers itself for live"
    if can.reserved and point.network != SIMULATOR:
        yield "only a simulator may reserve participants"
    if can.bulk < 1 or can.concurrency < 1 or can.timeout <= 0:
        yield "bulk and concurrency must be at least 1, the timeout more than 0 seconds"
    if can.poll_bulk < 1 or (can.poll_bulk > 1 and not isinstance(point, PollsMany)):
        yield "poll_bulk must be at least 1, and more than 1 only with poll_many"
    if can.max_bytes is not None and can.max_bytes < 1:
        yield "max_bytes must be at least 1, or None"
    if not isinstance(can.delivered_means, DeliveredMeans):
        yield "delivered_means is not one of DeliveredMeans"
    if not isinstance(can.clearance, Clearance):
        yield "clearance is not one of Clearance"
    if not can.formats:
        yield "its capabilities name no format"


def plugin_manager(plugins: Iterable[object] | None = None) -> pluggy.PluginManager:
    """The manager of the installed plugins, or of exactly those given. Raises PluginFault."""
    manager = pluggy.PluginManager(hookspec.PROJECT)
    manager.add_hookspecs(hookspec)
    try:
        _register(manager, plugins)
        manager.check_pending()
    except pluggy.PluginValidationError as fault:
        raise PluginFault(str(fault)) from fault
    for name, plugin in _named(manager):
        _check_interface(name, plugin)
        if len(name) > MAX_PLUGIN_NAME_LENGTH:
            raise PluginFault(f"plugin {name!r}: a name has at most 100 characters")
    return manager


def _register(manager: pluggy.PluginManager, plugins: Iterable[object] | None) -> None:
    if plugins is None:
        _load_installed(manager)
        return
    for plugin in plugins:
        manager.register(plugin)


def _load_installed(manager: pluggy.PluginManager) -> None:
    try:
        manager.load_setuptools_entrypoints(hookspec.PROJECT)
    except pluggy.PluginValidationError:
        raise
    except Exception as fault:
        raise PluginFault(f"an installed plugin cannot be loaded: {fault!r}") from fault


def _named(manager: pluggy.PluginManager) -> Iterator[tuple[str, object]]:
    """Each plugin with the name of its entry point, module or class."""
    for name, plugin in manager.list_name_plugin():
        yield (type(plugin).__name__ if name.isdigit() else name), plugin


def _interface(plugin: object) -> object:
    """The version of the interface that the plugin is written for; None if it names none."""
    return getattr(plugin, "EINVOICE_INTERFACE", None)


def _check_interface(name: str, plugin: object) -> None:
    written_for = _interface(plugin)
    if written_for not in SUPPORTED_INTERFACES:
        raise PluginFault(
            f"plugin {name!r} is written for interface {written_for}; this is {INTERFACE_VERSION}: "
            f"set EINVOICE_INTERFACE beside its hooks, or install a version for this interface"
        )


def load(
    settings: Mapping[str, str],
    plugins: Iterable[object] | None = None,
    inbox: Inbox | None = None,
) -> AccessPoints:
    """The access points of all plugins. Raises PluginFault."""
    return load_all(settings, plugins, inbox).access_points


@dataclass(frozen=True, slots=True)
class OfPlugin(Generic[T]):
    """Something that a plugin offers, with the name of the plugin."""

    plugin: str
    offer: T
    settings: PluginSettings = field(repr=False)


@dataclass(frozen=True, slots=True)
class Extras:
    """What plugins offer besides their networks. A duty is found by (plugin, name), a command by
    its name."""

    settings: tuple[SettingValue, ...] = ()
    checks: tuple[OfPlugin[Check], ...] = ()
    duties: Mapping[tuple[str, str], OfPlugin[Duty]] = field(default_factory=dict)
    commands: Mapping[str, click.Command] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offered:
    """What the plugins offer."""

    access_points: AccessPoints
    endpoints: Mapping[str, Endpoint]
    extras: Extras = Extras()


@dataclass(frozen=True, slots=True)
class OfferedForms:
    """The rule sets and profiles that the plugins offer."""

    rule_sets: tuple[RuleSet, ...]
    profiles: tuple[Profile, ...]


def load_all(
    settings: Mapping[str, str],
    plugins: Iterable[object] | None = None,
    inbox: Inbox | None = None,
    store_of: Callable[[str], PluginStore] | None = None,
) -> Offered:
    """Call the hooks of every plugin, with its own settings and store. Raises PluginFault."""
    manager = plugin_manager(plugins)
    own = _settings(manager, settings)
    arguments = {
        name: {
            "settings": own[name].values,
            "inbox": inbox or ClosedInbox(),
            "store": store_of(name) if store_of else ClosedStore(),
        }
        for name, _ in _named(manager)
    }

    def offered(hook: str) -> Iterator[OfPlugin[Any]]:
        for name, offer in _call(manager, hook, arguments, own):
            yield OfPlugin(name, offer, own[name])

    points = list(_points(offered("einvoice_access_points"), manager))
    access_points = AccessPoints(each.offer for each in points)
    _refuse_rivals(points)
    return Offered(
        access_points,
        _endpoints(each.offer for each in offered("einvoice_endpoints")),
        Extras(
            tuple(value for each in own.values() for value in each.declared),
            _checks(offered("einvoice_checks")),
            _duties(offered("einvoice_duties")),
            _commands(offered("einvoice_commands")),
        ),
    )


def _points(
    offered: Iterable[OfPlugin[Any]], manager: pluggy.PluginManager
) -> Iterator[OfPlugin[Any]]:
    """The access points; those of interface 1 always need the id of a receiver."""
    plugins = dict(_named(manager))
    for each in offered:
        can = getattr(each.offer, "capabilities", None)
        if getattr(can, "reaches_without_id", False) and _interface(plugins[each.plugin]) == 1:
            raise PluginFault(
                f"plugin {each.plugin!r}, access point {getattr(each.offer, 'name', '')!r}: "
                "reaches_without_id needs EINVOICE_INTERFACE = 2"
            )
        yield each


def _refuse_rivals(points: Iterable[OfPlugin[Any]]) -> None:
    """Refuse two plugins that serve one network in one environment: each send would be ambiguous.

    Several access points of one plugin are its own choice, and simulators stand back by themselves.
    """
    first: dict[tuple[str, Environment], OfPlugin[Any]] = {}
    for each in points:
        key = (each.offer.network, each.offer.environment)
        other = first.setdefault(key, each)
        if other.plugin != each.plugin and not _simulates(each.offer):
            network, environment = key
            raise PluginFault(
                f"two plugins serve the network {network!r} with {environment} keys: "
                f"{_shown(other, environment)}, and {_shown(each, environment)}. "
                "Keep the settings of one of them."
            )


def _shown(each: OfPlugin[Any], environment: Environment) -> str:
    """A plugin with its access point, and which of its settings are given for the environment."""
    elsewhere = [f"_{other.upper()}_" for other in Environment if other is not environment]
    given = [
        value.setting.name
        for value in each.settings.declared
        if value.value not in (None, "", value.setting.default)
        and not any(part in value.setting.name for part in elsewhere)
    ]
    by = f"set by {', '.join(given)}" if given else "without settings: uninstall it otherwise"
    return f"plugin {each.plugin!r} (access point {each.offer.name!r}, {by})"


def _settings(
    manager: pluggy.PluginManager, variables: Mapping[str, str]
) -> Mapping[str, PluginSettings]:
    """The settings of each plugin, by its name."""
    taken = {name: "the service" for name, *_ in config.describe()}
    declared: dict[str, list[Any]] = {name: [] for name, _ in _named(manager)}
    for name, setting in _call(manager, "einvoice_settings"):
        declared[name].append(setting)
    own: dict[str, PluginSettings] = {}
    for name, some in declared.items():
        try:
            own[name] = plugin_settings.validated(name, some, variables, taken)
        except InvalidSetting as fault:
            raise PluginFault(f"plugin {name!r}: {fault}") from fault
        taken |= {value.setting.name: f"plugin {name!r}" for value in own[name].declared}
    return own


def _checks(offered: Iterable[OfPlugin[Any]]) -> tuple[OfPlugin[Check], ...]:
    found: list[OfPlugin[Check]] = []
    for each in offered:
        _check_part(each, Check)
        if any((one.plugin, one.offer.name) == (each.plugin, each.offer.name) for one in found):
            raise PluginFault(f"plugin {each.plugin!r}: two checks are named {each.offer.name!r}")
        found.append(each)
    return tuple(found)


def _duties(offered: Iterable[OfPlugin[Any]]) -> Mapping[tuple[str, str], OfPlugin[Duty]]:
    found: dict[tuple[str, str], OfPlugin[Duty]] = {}
    for each in offered:
        _check_part(each, Duty)
        duty, words = each.offer, f"plugin {each.plugin!r}, duty {each.offer.name!r}"
        if not MIN_INTERVAL <= duty.every <= MAX_INTERVAL:
            raise PluginFault(f"{words}: its interval must be 1 second to 366 days")
        if not 0 < duty.seconds <= MAX_SECONDS:
            raise PluginFault(f"{words}: its time must be more than 0 and at most 300 seconds")
        if (each.plugin, duty.name) in found:
            raise PluginFault(f"plugin {each.plugin!r}: two duties are named {duty.name!r}")
        found[each.plugin, duty.name] = each
    return found


def _commands(offered: Iterable[OfPlugin[Any]]) -> Mapping[str, click.Command]:
    found: dict[str, click.Command] = {}
    for each in offered:
        name = getattr(each.offer, "name", None)
        if not isinstance(each.offer, click.Command) or not _NAME.fullmatch(name or ""):
            raise PluginFault(f"plugin {each.plugin!r}: {each.offer!r} is not a named command")
        if name in found:
            raise PluginFault(f"two plugins have a command {name!r}")
        found[str(name)] = each.offer
    return found


def _check_part(each: OfPlugin[Any], kind: type[Check | Duty]) -> None:
    if not isinstance(each.offer, kind):
        raise PluginFault(f"plugin {each.plugin!r}: {each.offer!r} is not a {kind.__name__}")
    if not _NAME.fullmatch(each.offer.name):
        words = f"{kind.__name__.lower()} {each.offer.name!r}"
        raise PluginFault(f"plugin {each.plugin!r}, {words}: {_NAME_RULE}")
    if not callable(each.offer.run):
        raise PluginFault(f"plugin {each.plugin!r}: {each.offer.name!r} has no function to run")


def load_forms(plugins: Iterable[object] | None = None) -> OfferedForms:
    """The rule sets and profiles of the plugins. Raises PluginFault."""
    manager = plugin_manager(plugins)
    rule_sets = tuple(each for _, each in _call(manager, "einvoice_rule_sets"))
    for rule_set in rule_sets:
        if not isinstance(rule_set, RuleSet) or not rule_set.packs:
            raise PluginFault(f"{rule_set!r} is not a RuleSet with a pack")
        if not _NAME.fullmatch(rule_set.name):
            raise PluginFault(f"rule set {rule_set.name!r}: {_NAME_RULE}")
    profiles = tuple(each for _, each in _call(manager, "einvoice_profiles"))
    for profile in profiles:
        if not isinstance(profile, Profile):
            raise PluginFault(f"{profile!r} is not a Profile")
        for name in (profile.name, profile.network):
            if not _NAME.fullmatch(name):
                raise PluginFault(f"profile {name!r}: {_NAME_RULE}")
    return OfferedForms(rule_sets, profiles)


def _endpoints(offered: Iterable[Endpoint]) -> Mapping[str, Endpoint]:
    by_name: dict[str, Endpoint] = {}
    for endpoint in offered:
        if not isinstance(endpoint, Endpoint):
            raise PluginFault(f"{endpoint!r} is not an Endpoint")
        if not _NAME.fullmatch(endpoint.name):
            raise PluginFault(f"endpoint {endpoint.name!r}: {_NAME_RULE}")
        if endpoint.max_bytes < 1 or endpoint.per_minute < 1:
            raise PluginFault(f"endpoint {endpoint.name!r}: its limits must be at least 1")
        if endpoint.name in by_name:
            raise PluginFault(f"two endpoints are named {endpoint.name!r}")
        by_name[endpoint.name] = endpoint
    return by_name


def _call(
    manager: pluggy.PluginManager,
    hook: str,
    arguments: Mapping[str, Mapping[str, object]] | None = None,
    own: Mapping[str, PluginSettings] | None = None,
) -> Iterator[tuple[str, Any]]:
    """(plugin, what it returns from the hook); called one by one, so that a fault has a name.

    `arguments` and `own` have the arguments and the settings of each plugin.
    """
    all_plugins = manager.get_plugins()
    for name, plugin in _named(manager):
        call = manager.subset_hook_caller(hook, all_plugins - {plugin})
        given = arguments[name] if arguments else {}
        try:
            offered = [offer for returned in call(**given) for offer in returned]
        except KeyError as fault:
            raise PluginFault(f"plugin {name!r} misses the setting {fault}") from fault
        except Exception as fault:  # noqa: BLE001 - raised as PluginFault
            words = f"plugin {name!r} cannot start: {fault!r}"
            shown = own[name].redacted(words) if own else words
            # A fault that shows a secret is not printed with its traceback.
            raise PluginFault(shown) from (fault if shown == words else None)
        yield from ((name, offer) for offer in offered)
