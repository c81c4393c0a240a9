"""What the registry accepts, what stops the start, and which access point serves a participant."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pluggy
import pytest

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import access_points, registry
from einvoice.network.access_points import AccessPoints
from einvoice.network.connections import ConnectionField, ConnectionForm
from einvoice.network.endpoints import Endpoint, Response
from einvoice.network.hookspec import hookimpl, hookspec
from einvoice.network.registry import PluginFault
from einvoice.network.settings import Setting
from einvoice.network.types import (
    INTERFACE_VERSION,
    SUPPORTED_INTERFACES,
    AccessPointBase,
    Capabilities,
    ClosedInbox,
)
from tests.tables import each_row

ANYBODY = ParticipantId("0208", "0123456749")
MAGIC = ParticipantId("0088", "9520000000004")


class Point(AccessPointBase):
    """An access point that is registered and selected, but never used."""

    environment = Environment.TEST

    def __init__(self, name, network="peppol", environment=Environment.TEST, **can):
        self.name, self.network, self.environment = name, network, environment
        self.capabilities = Capabilities(**can)
        self.schemes = {"0208", "0088"}

    def serves(self, participant):
        return participant.scheme in self.schemes

    def lookup(self, participant):
        raise NotImplementedError


def describing(form):
    """An access point with accounts, whose `describe` returns or raises this."""

    def describe():
        if isinstance(form, Exception):
            raise form
        return form

    point = Point("a")
    point.describe = describe
    for name in ("open", "check"):
        setattr(point, name, print)
    return point


class OneByOne(Point):
    """An access point without the operation `poll_many`."""

    poll_many = None


def plugin(*points, version=INTERFACE_VERSION):
    class Plugin:
        EINVOICE_INTERFACE = version

        @hookimpl
        def einvoice_access_points(self):
            return points

    return Plugin()


def test_what_plugins_offer_is_found_by_name():
    """Two plugins, three access points."""
    points = registry.load({}, [plugin(Point("a"), Point("b")), plugin(Point("c"))])

    assert sorted(point.name for point in points) == ["a", "b", "c"]
    assert points["b"].name == "b"
    assert "d" not in points


def test_two_access_points_of_one_name_stop_the_start():
    """A stored name must mean one access point."""
    with pytest.raises(PluginFault, match="two access points are named 'a'"):
        registry.load({}, [plugin(Point("a")), plugin(Point("a"))])


def configured(point, *settings):
    """A plugin with one access point, which declares these settings."""

    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_settings(self):
            return [Setting(name, "A setting", secret=True) for name in settings]

        @hookimpl
        def einvoice_access_points(self):
            return [point]

    return type(f"Plugin{point.name.upper()}", (Plugin,), {})()


def test_two_plugins_that_serve_one_network_stop_the_start_with_the_settings_that_choose():
    """Of the environment in question, by name; their values are not shown."""
    names = ("EINVOICE_A_TEST_KEYS", "EINVOICE_A_LIVE_KEYS")
    plugins = [configured(Point("a"), *names), configured(Point("b"), "EINVOICE_B_TEST_URL")]
    given = {"EINVOICE_A_TEST_KEYS": "k-1", "EINVOICE_A_LIVE_KEYS": "k-2"}
    with pytest.raises(PluginFault) as fault:
        registry.load(given | {"EINVOICE_B_TEST_URL": "u-1"}, plugins)

    assert str(fault.value) == (
        "two plugins serve the network 'peppol' with test keys: "
        "plugin 'PluginA' (access point 'a', set by EINVOICE_A_TEST_KEYS), and "
        "plugin 'PluginB' (access point 'b', set by EINVOICE_B_TEST_URL). "
        "Keep the settings of one of them."
    )


@pytest.mark.parametrize(
    "points",
    [
        (Point("a"), Point("b", environment=Environment.LIVE)),
        (Point("a"), Point("b", network="ksef")),
        (Point("a", network="simulator"), Point("b", network="simulator")),
    ],
)
def test_two_plugins_may_serve_two_networks_or_environments(points):
    """And several simulators: they serve where no other access point does."""
    found = registry.load({}, [configured(point) for point in points])

    assert [point.name for point in found] == ["a", "b"]


def test_one_plugin_may_have_several_access_points_in_a_network():
    found = registry.load({}, [plugin(Point("a"), Point("b"))])

    assert [point.name for point in found] == ["a", "b"]


def test_a_misspelt_hook_stops_the_start():
    """Otherwise it would never be called, without an error."""

    class Misspelt:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_acces_points(self, settings):
            return []

    with pytest.raises(PluginFault, match="einvoice_acces_points"):
        registry.load({}, [Misspelt()])


def test_a_hook_with_an_unknown_argument_stops_the_start():
    """The service could not supply it."""

    class Asking:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_access_points(self, database):
            return []

    with pytest.raises(PluginFault, match="database"):
        registry.load({}, [Asking()])


@pytest.mark.parametrize("version", [INTERFACE_VERSION + 1, 0, None, "1"])
def test_another_interface_version_stops_the_start(version):
    """Also a missing EINVOICE_INTERFACE, and one that is not a number."""
    with pytest.raises(PluginFault, match=f"written for interface {version!r}"):
        registry.load({}, [plugin(Point("a"), version=version)])


@pytest.mark.parametrize("version", SUPPORTED_INTERFACES)
def test_a_plugin_of_a_supported_interface_is_loaded(version):
    assert "a" in registry.load({}, [plugin(Point("a"), version=version)])


def test_a_plugin_of_interface_1_is_never_given_a_receiver_without_an_id():
    """It could not know of such envelopes: the capability needs interface 2."""
    consumers = Point("a", reaches_without_id=True)

    with pytest.raises(PluginFault, match="'a': reaches_without_id needs EINVOICE_INTERFACE = 2"):
        registry.load({}, [plugin(consumers, version=1)])
    points = registry.load({}, [plugin(consumers)])
    assert [point.name for point in points.serving_without_id(Environment.TEST)] == ["a"]


@pytest.mark.parametrize(
    ("network", "found"), [(None, ["a", "b"]), ("tax", ["b"]), ("b", ["b"]), ("peppol", ["a"])]
)
def test_receivers_without_an_id_are_reached_by_those_who_say_so(network, found):
    """In their environment, and of the network or the name that is asked for."""
    points = access_points.AccessPoints(
        [
            Point("b", network="tax", reaches_without_id=True),
            Point("a", reaches_without_id=True),
            Point("c"),
            Point("d", environment=Environment.LIVE, reaches_without_id=True),
        ]
    )

    serving = points.serving_without_id(Environment.TEST, network)
    assert [point.name for point in serving] == found


def test_a_missing_setting_stops_the_start_and_is_named():
    """At the start, not at the first send."""

    class Wanting:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_access_points(self, settings):
            yield Point(settings["KSEF_URL"])

    with pytest.raises(PluginFault, match=r"Wanting.*KSEF_URL"):
        registry.load({}, [Wanting()])


def test_a_plugin_that_cannot_start_stops_the_start_and_is_named():
    """Whatever it raises."""

    class Broken:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_access_points(self):
            raise OSError("no certificate")

    with pytest.raises(PluginFault, match=r"Broken.*no certificate"):
        registry.load({}, [Broken()])


def hook(name, offered=(), marked=True):
    """A plugin with one hook, which returns or raises this."""

    def called():
        if isinstance(offered, BaseException):
            raise offered
        return offered

    module = ModuleType("parcel")
    module.EINVOICE_INTERFACE = INTERFACE_VERSION
    setattr(module, name, hookimpl(called) if marked else called)
    return module


@each_row(
    ("offered", "words"),
    [
        (
            hook("einvoice_checks", SystemExit("no certificate")),
            "no certificate.* in einvoice_checks",
        ),
        (hook("einvoice_checks", Point("a")), "returns a list, not a Point"),
        (hook("einvoice_access_points", Point("a")), "not a Point.* in einvoice_access_points"),
        (hook("einvoice_access_points", {"a": Point("a")}), "not a dict"),
        (hook("einvoice_checks", marked=False), "einvoice_checks is no hook: put @hookimpl above"),
        (hook("einvoice_of_tomorrow"), "unknown hook 'einvoice_of_tomorrow'"),
    ],
)
def test_a_hook_that_offers_nothing_usable_stops_the_start_with_its_plugin_and_name(offered, words):
    with pytest.raises(PluginFault, match=f"plugin 'parcel'.*{words}"):
        registry.load_all({}, [offered])


def test_a_hook_of_another_interface_is_a_fault_of_the_interface():
    """The advice is to install another version, not to correct the spelling."""
    newer = hook("einvoice_of_tomorrow")
    newer.EINVOICE_INTERFACE = INTERFACE_VERSION + 1

    with pytest.raises(PluginFault, match="install a version for this interface"):
        registry.load_all({}, [newer])


def test_two_plugins_with_an_access_point_or_endpoint_of_one_name_are_both_named():
    first, second = configured(Point("a")), plugin(Point("a"))

    with pytest.raises(PluginFault, match="of plugin 'PluginA', and of plugin 'Plugin'"):
        registry.load({}, [first, second])
    with pytest.raises(PluginFault, match="of plugin 'Plugin', and of plugin 'Plugin'"):
        registry.load_all({}, [offering(endpoint("a")), offering(endpoint("a"))])


def install(directory, name, text, distribution):
    """A distribution with a plugin, whose module has this text."""
    metadata = directory / f"{distribution}-1.0.dist-info"
    metadata.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
    (metadata / "METADATA").write_text(about)
    (metadata / "entry_points.txt").write_text(f"[einvoice]\n{name} = {distribution}_hooks\n")
    (directory / f"{distribution}_hooks.py").write_text(text)


@contextmanager
def installed(*plugins):
    """Distributions before all others, each with (name of its plugin, text, its own name)."""
    with tempfile.TemporaryDirectory() as directory:
        for each in plugins:
            install(Path(directory), *each)
        sys.path.insert(0, directory)
        try:
            yield
        finally:
            sys.path.remove(directory)
            for *_, distribution in plugins:
                sys.modules.pop(f"{distribution}_hooks", None)


@each_row("text", ["raise SystemExit('no licence')", "import no_licence", "no licence"])
def test_an_installed_plugin_that_cannot_be_loaded_is_named_with_its_distribution(text):
    with installed(("parcel", text, "crumbling")), pytest.raises(PluginFault) as fault:
        registry.plugin_manager()

    shown = str(fault.value)
    assert shown.startswith("plugin 'parcel' (crumbling_hooks of crumbling) cannot be loaded: ")


def test_two_installed_plugins_of_one_name_stop_the_start():
    """Otherwise one of them would be left out, silently: that of the later directory."""
    empty, both = (
        f"EINVOICE_INTERFACE = {INTERFACE_VERSION}",
        r"'parcel': .* of (ours|theirs), and .* of (ours|theirs)\.",
    )
    with installed(("parcel", empty, "ours"), ("parcel", empty, "theirs")):  # noqa: SIM117
        with pytest.raises(PluginFault, match=both):
            registry.plugin_manager()


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        (SimpleNamespace(name="thing"), "lacks network, .*submit, submit_many, poll, find"),
        (Point("Upper"), "lower-case"),
        (Point(7), "its name: int, not str"),
        (Point("a", network="ACME Net"), "its network 'ACME Net': a name is"),
        (Point("a", timeout="20"), r"Capabilities\.timeout is str, not float"),
        (Point("a", formats="ubl"), r"Capabilities\.formats is str, not tuple"),
        (Point("a", repeat="idempotent"), r"Capabilities\.repeat is str, not Repeat"),
        (describing(None), r"describe\(\): NoneType, not ConnectionForm"),
        (describing(ConnectionForm(("key",))), r"fields\[0\] is str, not ConnectionField"),
        (describing(KeyError("url")), r"describe\(\): it raised KeyError"),
        (Point(""), "lower-case"),
        (Point("-a"), "lower-case"),
        (Point("a" * 41), "lower-case"),
        (Point("a", network="simulator", environment=Environment.LIVE), "simulator.*live"),
        (Point("a", reserved=frozenset({MAGIC})), "only a simulator may reserve"),
        (Point("a", environment="test"), "environment"),
        (Point("a", bulk=0), "at least 1"),
        (Point("a", concurrency=0), "at least 1"),
        (Point("a", timeout=0), "more than 0"),
        (Point("a", max_bytes=0), "max_bytes"),
        (Point("a", formats=()), "no format"),
        (Point("a", poll_bulk=0), "poll_bulk"),
        (OneByOne("a", poll_bulk=2), "poll_many"),
    ],
)
def test_an_access_point_that_cannot_work_is_refused(offered, words):
    """The message says what is wrong."""
    with pytest.raises(PluginFault, match=words):
        AccessPoints([offered])


@pytest.mark.parametrize(
    "offered",
    [
        Point("a" * 40),
        Point("9"),
        Point("peppol-test", bulk=1, concurrency=1, timeout=0.1, max_bytes=1),
        Point("a", network="simulator", reserved=frozenset({MAGIC})),
        Point("a", environment=Environment.LIVE),
        Point("a", timeout=20),
        describing(ConnectionForm([ConnectionField("key", "Key")])),
        Point("a", poll_bulk=2),
        OneByOne("a", poll_bulk=1),
    ],
)
def test_an_access_point_just_inside_the_limits_is_taken(offered):
    """The valid neighbours of the table above."""
    assert list(AccessPoints([offered])) == [offered]


def offering(*endpoints):
    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_endpoints(self, settings, inbox):
            return endpoints

    return Plugin()


def endpoint(name, **limits):
    return Endpoint(name, lambda request: Response(204), **limits)


def test_endpoints_are_found_by_name():
    """From all plugins; a plugin may offer endpoints only."""
    offered = registry.load_all({}, [offering(endpoint("a")), offering(endpoint("b"))])

    assert sorted(offered.endpoints) == ["a", "b"]
    assert list(offered.access_points) == []


@pytest.mark.parametrize(
    ("endpoints", "words"),
    [
        ([endpoint("a"), endpoint("a")], "two endpoints are named 'a'"),
        ([endpoint("a/b")], "lower-case"),
        ([endpoint("")], "lower-case"),
        ([endpoint("a", max_bytes=0)], "at least 1"),
        ([endpoint("a", per_minute=0)], "at least 1"),
        ([endpoint("a", at_once=0)], "at least 1"),
        (
            [endpoint("a", max_bytes="20")],
            "plugin 'Plugin', 'a': Endpoint.max_bytes is str, not int",
        ),
        ([Endpoint("a", None)], "Endpoint.answer is NoneType, not Callable"),
        ([print], "is not an Endpoint"),
    ],
)
def test_an_invalid_endpoint_stops_the_start(endpoints, words):
    with pytest.raises(PluginFault, match=words):
        registry.load_all({}, [offering(*endpoints)])


def test_a_simulator_never_serves_live():
    """A live key without a live access point gets none, never the simulator."""
    points = registry.load({}, [einvoice_loopback])

    assert points.serving(ANYBODY, Environment.TEST) == [points["simulator"]]
    assert points.serving(ANYBODY, Environment.LIVE) == []


def test_a_real_test_network_comes_before_the_simulator():
    """For the participants that it serves; the simulator serves the others."""
    real = Point("peppol-test")
    points = registry.load({}, [einvoice_loopback, plugin(real)])

    other = ParticipantId("0106", "12345678")
    assert points.serving(ANYBODY, Environment.TEST) == [real]
    assert points.serving(other, Environment.TEST) == [points["simulator"]]


@pytest.mark.parametrize("network", [None, "peppol"])
@pytest.mark.parametrize("simulator", ["a-simulator", "simulator", "z-simulator"])
def test_a_simulator_serves_nothing_that_a_real_test_network_serves(simulator, network):
    """Whatever its name."""
    points = AccessPoints([Point(simulator, network="simulator"), Point("peppol-a")])

    assert points.serving(ANYBODY, Environment.TEST, network) == [points["peppol-a"]]


def test_magic_participants_are_served_by_their_simulator():
    """Even if a real network would serve their scheme."""
    points = registry.load({}, [plugin(Point("peppol-test")), einvoice_loopback])

    assert points.serving(MAGIC, Environment.TEST) == [points["simulator"]]
    assert points.reserved(MAGIC)
    assert not points.reserved(ANYBODY)


def test_an_access_point_that_raises_serves_nobody_and_the_others_are_asked():
    """A plugin that cannot read an id must not end the sends of all networks."""

    class Raising(Point):
        def serves(self, participant):
            return int(participant.value[0:99] + "x") > 0

    points = AccessPoints([Raising("a", network="acme"), Point("b")])

    assert [point.name for point in points.serving(ANYBODY, Environment.TEST)] == ["b"]


def test_the_environment_of_the_key_decides():
    """A network's test and live sides are two access points."""
    test, live = Point("p-test"), Point("p-live", environment=Environment.LIVE)
    points = AccessPoints([live, test])

    assert points.serving(ANYBODY, Environment.TEST) == [test]
    assert points.serving(ANYBODY, Environment.LIVE) == [live]


@pytest.mark.parametrize("network", ["ksef", "simulator", "zatca"])
def test_a_named_network_is_served_by_itself_or_by_the_simulator(network):
    """A simulator stands for any test network."""
    ksef, simulator = Point("k", network="ksef"), Point("s", network="simulator")
    serving = AccessPoints([simulator, ksef]).serving(ANYBODY, Environment.TEST, network)

    assert serving == [ksef if network == "ksef" else simulator]


def test_all_that_serve_are_found_and_no_others():
    """Which of them is used is never decided by their names (decisions 20.13)."""
    points = AccessPoints([Point("c"), Point("d"), Point("b", network="ksef"), Point("a")])
    points["a"].schemes = set()

    assert points.serving(ANYBODY, Environment.TEST) == [points["b"], points["c"], points["d"]]
    assert points.serving(ANYBODY, Environment.TEST, "peppol") == [points["c"], points["d"]]
    assert points.serving(ANYBODY, Environment.TEST, "d") == [points["d"]]


def test_a_hook_may_gain_arguments_without_breaking_a_plugin():
    """A plugin receives only the arguments that it names."""

    class Later:
        @hookspec
        def einvoice_access_points(self, settings, inbox, store):
            """A later version of the hook."""

    manager = pluggy.PluginManager("einvoice")
    manager.add_hookspecs(Later())
    manager.register(einvoice_loopback)
    (offered,) = manager.hook.einvoice_access_points(settings={}, inbox=ClosedInbox(), store=None)

    assert [point.name for point in offered] == ["simulator"]


@pytest.mark.parametrize(
    ("points", "networks"),
    [
        ([Point("a", network="ksef")], ["ksef"]),
        ([Point("s", network="simulator")], ["peppol", "simulator"]),
        ([Point("l", environment=Environment.LIVE)], []),
    ],
    ids=["without a simulator", "a simulator stands for Peppol", "another environment"],
)
def test_the_networks_of_an_environment_are_those_of_its_access_points(points, networks):
    assert AccessPoints(points).networks(Environment.TEST) == networks


@pytest.mark.parametrize(
    ("network", "found"), [(None, ["a"]), ("procurement", ["b"]), ("b", ["b"]), ("peppol", ["a"])]
)
def test_an_access_point_that_has_to_be_named_carries_nothing_unasked(network, found):
    """With and without the id of a receiver: a send to another network stays unambiguous."""
    named = Point("b", network="procurement", reaches_without_id=True, named_only=True)
    points = AccessPoints([named, Point("a", reaches_without_id=True)])

    serving = points.serving(ANYBODY, Environment.TEST, network)
    without_id = points.serving_without_id(Environment.TEST, network)
    assert [point.name for point in serving] == found
    assert [point.name for point in without_id] == found


def test_a_receiver_may_be_left_out_where_only_a_named_network_reaches_it():
    points = AccessPoints([Point("a", reaches_without_id=True, named_only=True), Point("b")])

    assert points.reaches_without_id(Environment.TEST)
    assert not points.reaches_without_id(Environment.LIVE)
