"""Loads the plugins, calls their hooks, and checks what they offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import click
import pluggy

from einvoice import config
from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network import hookspec
from einvoice.network import settings as plugin_settings
from einvoice.network.access_points import NAME, NAME_RULE, AccessPoints, simulates
from einvoice.network.access_points import PluginFault as PluginFault
from einvoice.network.checks import Check
from einvoice.network.duties import MAX_INTERVAL, MAX_SECONDS, MIN_INTERVAL, Duty
from einvoice.network.endpoints import Endpoint
from einvoice.network.plugin_store import ClosedStore, PluginStore
from einvoice.network.settings import InvalidSetting, PluginSettings, SettingValue
from einvoice.network.types import (
    INTERFACE_VERSION,
    SUPPORTED_INTERFACES,
    ClosedInbox,
    Inbox,
)
from einvoice.rules import RuleSet

MAX_PLUGIN_NAME_LENGTH = 100

T = TypeVar("T")


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
    """The offers of plugins besides their networks. A duty is found by (plugin, name), a command by
    its name."""

    settings: tuple[SettingValue, ...] = ()
    checks: tuple[OfPlugin[Check], ...] = ()
    duties: Mapping[tuple[str, str], OfPlugin[Duty]] = field(default_factory=dict)
    commands: Mapping[str, click.Command] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offered:
    """The offers of the plugins."""

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
    """The access points; one of interface 1 always needs the id of a receiver."""
    plugins = dict(_named(manager))
    for each in offered:
        capabilities = getattr(each.offer, "capabilities", None)
        if (
            getattr(capabilities, "reaches_without_id", False)
            and _interface(plugins[each.plugin]) == 1
        ):
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
        if other.plugin != each.plugin and not simulates(each.offer):
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
        duty, message = each.offer, f"plugin {each.plugin!r}, duty {each.offer.name!r}"
        if not MIN_INTERVAL <= duty.every <= MAX_INTERVAL:
            raise PluginFault(f"{message}: its interval must be 1 second to 366 days")
        if not 0 < duty.seconds <= MAX_SECONDS:
            raise PluginFault(f"{message}: its time must be more than 0 and at most 300 seconds")
        if (each.plugin, duty.name) in found:
            raise PluginFault(f"plugin {each.plugin!r}: two duties are named {duty.name!r}")
        found[each.plugin, duty.name] = each
    return found


def _commands(offered: Iterable[OfPlugin[Any]]) -> Mapping[str, click.Command]:
    found: dict[str, click.Command] = {}
    for each in offered:
        name = getattr(each.offer, "name", None)
        if not isinstance(each.offer, click.Command) or not NAME.fullmatch(name or ""):
            raise PluginFault(f"plugin {each.plugin!r}: {each.offer!r} is not a named command")
        if name in found:
            raise PluginFault(f"two plugins have a command {name!r}")
        found[str(name)] = each.offer
    return found


def _check_part(each: OfPlugin[Any], kind: type[Check | Duty]) -> None:
    if not isinstance(each.offer, kind):
        raise PluginFault(f"plugin {each.plugin!r}: {each.offer!r} is not a {kind.__name__}")
    if not NAME.fullmatch(each.offer.name):
        message = f"{kind.__name__.lower()} {each.offer.name!r}"
        raise PluginFault(f"plugin {each.plugin!r}, {message}: {NAME_RULE}")
    if not callable(each.offer.run):
        raise PluginFault(f"plugin {each.plugin!r}: {each.offer.name!r} has no function to run")


def load_forms(plugins: Iterable[object] | None = None) -> OfferedForms:
    """The rule sets and profiles of the plugins. Raises PluginFault."""
    manager = plugin_manager(plugins)
    rule_sets = tuple(each for _, each in _call(manager, "einvoice_rule_sets"))
    for rule_set in rule_sets:
        if not isinstance(rule_set, RuleSet) or not rule_set.packs:
            raise PluginFault(f"{rule_set!r} is not a RuleSet with a pack")
        if not NAME.fullmatch(rule_set.name):
            raise PluginFault(f"rule set {rule_set.name!r}: {NAME_RULE}")
    profiles = tuple(each for _, each in _call(manager, "einvoice_profiles"))
    for profile in profiles:
        if not isinstance(profile, Profile):
            raise PluginFault(f"{profile!r} is not a Profile")
        for name in (profile.name, profile.network):
            if not NAME.fullmatch(name):
                raise PluginFault(f"profile {name!r}: {NAME_RULE}")
    return OfferedForms(rule_sets, profiles)


def _endpoints(offered: Iterable[Endpoint]) -> Mapping[str, Endpoint]:
    by_name: dict[str, Endpoint] = {}
    for endpoint in offered:
        if not isinstance(endpoint, Endpoint):
            raise PluginFault(f"{endpoint!r} is not an Endpoint")
        if not NAME.fullmatch(endpoint.name):
            raise PluginFault(f"endpoint {endpoint.name!r}: {NAME_RULE}")
        if endpoint.max_bytes < 1 or endpoint.per_minute < 1:
            raise PluginFault(f"endpoint {endpoint.name!r}: its limits must be at least 1")
        if endpoint.host and any(endpoint.host == one.host for one in by_name.values()):
            raise PluginFault(f"two endpoints have the host {endpoint.host!r}")
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
            message = f"plugin {name!r} cannot start: {fault!r}"
            shown = own[name].redacted(message) if own else message
            # A fault that shows a secret is not printed with its traceback.
            raise PluginFault(shown) from (fault if shown == message else None)
        yield from ((name, offer) for offer in offered)
