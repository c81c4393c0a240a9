"""Loads the plugins, calls their hooks, and checks what they offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

import click
import pluggy

from einvoice import config
from einvoice.domain.environments import Environment
from einvoice.domain.profiles import Profile
from einvoice.network import hookspec
from einvoice.network import settings as plugin_settings
from einvoice.network.access_points import NAME, NAME_RULE, AccessPoints, faults, simulates
from einvoice.network.access_points import PluginFault as PluginFault
from einvoice.network.checks import Check
from einvoice.network.conformity import fault_of
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
    named = _installed() if plugins is None else [(None, plugin) for plugin in plugins]
    for name, plugin in named:
        _register(manager, name, plugin)
    return manager


def _register(manager: pluggy.PluginManager, name: str | None, plugin: object) -> None:
    """Register a plugin, by the name of its entry point if it has one.

    Its interface is looked at first: hooks that it misses may be those of another one.
    """
    shown = name or _shown_name(plugin)
    _check_interface(shown, plugin)
    if len(shown) > MAX_PLUGIN_NAME_LENGTH:
        raise PluginFault(f"plugin {shown!r}: a name has at most 100 characters")
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
    except pluggy.PluginValidationError as fault:
        raise PluginFault(f"plugin {shown!r}: {' '.join(str(fault).split())}") from fault
    except ValueError as fault:
        raise PluginFault(f"plugin {shown!r}: it is installed by another name too") from fault
    for each in _unmarked(manager, plugin):
        raise PluginFault(f"plugin {shown!r}: {each} is no hook: put @hookimpl above it")


def _shown_name(plugin: object) -> str:
    return getattr(plugin, "__name__", None) or type(plugin).__name__


def _unmarked(manager: pluggy.PluginManager, plugin: object) -> Iterator[str]:
    """Functions with the name of a hook that would never be called."""
    hooks = {caller.name for caller in manager.get_hookcallers(plugin) or ()}
    for name in vars(hookspec):
        if name.startswith("einvoice_") and name not in hooks and hasattr(plugin, name):
            yield name


def _installed() -> Iterator[tuple[str, object]]:
    """The plugins of all entry points, by the names of these. Raises PluginFault."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=hookspec.PROJECT):
        first = found.setdefault(point.name, point)
        if first is not point:
            raise PluginFault(
                f"two plugins are named {point.name!r}: {_source(first)}, and {_source(point)}. "
                "Uninstall one of them, or rename its entry point."
            )
        yield point.name, _loaded(point)


def _loaded(point: EntryPoint) -> object:
    try:
        return point.load()
    except (Exception, SystemExit) as fault:
        raise PluginFault(
            f"plugin {point.name!r} ({_source(point)}) cannot be loaded: {fault!r}"
        ) from fault


def _source(point: EntryPoint) -> str:
    """The place of its hooks, and the distribution that they are of."""
    return f"{point.value} of {point.dist.name if point.dist else 'no distribution'}"


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
            f"plugin {name!r} is written for interface {written_for!r}; this is "
            f"{INTERFACE_VERSION}: set EINVOICE_INTERFACE beside its hooks to the number of the "
            "interface that it is written for, or install a version for this interface"
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
        _endpoints(offered("einvoice_endpoints")),
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
    plugins, names = dict(_named(manager)), dict[str, str]()
    for each in offered:
        point = each.offer
        message = f"plugin {each.plugin!r}, access point {getattr(point, 'name', None)!r}"
        for wrong in faults(point):
            raise PluginFault(f"{message}: {wrong}")
        if point.capabilities.reaches_without_id and _interface(plugins[each.plugin]) == 1:
            raise PluginFault(f"{message}: reaches_without_id needs EINVOICE_INTERFACE = 2")
        if point.name in names:
            raise PluginFault(
                f"two access points are named {point.name!r}: "
                f"of plugin {names[point.name]!r}, and of plugin {each.plugin!r}"
            )
        names[point.name] = each.plugin
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
    _check_types(each, kind)
    if not NAME.fullmatch(each.offer.name):
        message = f"{kind.__name__.lower()} {each.offer.name!r}"
        raise PluginFault(f"plugin {each.plugin!r}, {message}: {NAME_RULE}")


def _check_types(each: OfPlugin[Any], kind: type[Check | Duty | Endpoint]) -> None:
    if not isinstance(each.offer, kind):
        wanted = f"{'an' if kind is Endpoint else 'a'} {kind.__name__}"
        raise PluginFault(f"plugin {each.plugin!r}: {each.offer!r} is not {wanted}")
    fault = fault_of(each.offer, kind)
    if fault is not None:
        raise PluginFault(f"plugin {each.plugin!r}, {each.offer.name!r}: {fault}")


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


def _endpoints(offered: Iterable[OfPlugin[Any]]) -> Mapping[str, Endpoint]:
    by_name: dict[str, OfPlugin[Endpoint]] = {}
    for each in offered:
        _check_types(each, Endpoint)
        endpoint, message = each.offer, f"plugin {each.plugin!r}, endpoint {each.offer.name!r}"
        if not NAME.fullmatch(endpoint.name):
            raise PluginFault(f"{message}: {NAME_RULE}")
        if endpoint.max_bytes < 1 or endpoint.per_minute < 1 or endpoint.at_once < 1:
            raise PluginFault(f"{message}: its limits must be at least 1")
        for other in by_name.values():
            whose = f"of plugin {other.plugin!r}, and of plugin {each.plugin!r}"
            if endpoint.host and endpoint.host == other.offer.host:
                raise PluginFault(f"two endpoints have the host {endpoint.host!r}: {whose}")
            if endpoint.name == other.offer.name:
                raise PluginFault(f"two endpoints are named {endpoint.name!r}: {whose}")
        by_name[endpoint.name] = each
    return {name: each.offer for name, each in by_name.items()}


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
            offered = [offer for returned in call(**given) for offer in _each(returned)]
        except KeyError as fault:
            raise PluginFault(f"plugin {name!r} misses the setting {fault}") from fault
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - raised as PluginFault
            message = f"plugin {name!r} cannot start: {fault!r} in {hook}"
            shown = own[name].redacted(message) if own else message
            # A fault that shows a secret is not printed with its traceback.
            raise PluginFault(shown) from (fault if shown == message else None)
        yield from ((name, offer) for offer in offered)


def _each(returned: object) -> Iterable[Any]:
    """The offers of a hook. Raises TypeError for one thing where several are expected."""
    if isinstance(returned, Iterable) and not isinstance(returned, str | bytes | Mapping):
        return returned
    raise TypeError(
        f"a hook yields what it offers, or returns a list, not a {type(returned).__name__}"
    )
