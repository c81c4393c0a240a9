"""Settings that plugins declare: checked at start, typed, and secret where they say so."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from einvoice.network import registry
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import PluginFault
from einvoice.network.settings import Setting
from einvoice.network.types import INTERFACE_VERSION

SECRET = "hunter2hunter2"


class Declaring:
    """A plugin that declares settings; `received` is what its other hooks get."""

    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self, *settings: object) -> None:
        self._settings = settings
        self.received: dict = {}

    @hookimpl
    def einvoice_settings(self) -> Iterable[object]:
        return self._settings

    @hookimpl
    def einvoice_access_points(self, settings) -> Iterable:
        self.received = settings
        return []


def setting(name: str = "EINVOICE_TOLL_QUOTA", doc: str = "Requests an hour", **more) -> Setting:
    return Setting(name, doc, **more)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (str, " a ", "a"),
        (int, "7", 7),
        (float, "0.5", 0.5),
        (bool, "true", True),
        (bool, "off", False),
    ],
)
def test_a_declared_setting_is_passed_with_its_type(kind, text, value):
    plugin = Declaring(setting(type=kind))
    registry.load({"EINVOICE_TOLL_QUOTA": text}, [plugin])

    assert plugin.received["EINVOICE_TOLL_QUOTA"] == value
    assert type(plugin.received["EINVOICE_TOLL_QUOTA"]) is kind


@pytest.mark.parametrize(("default", "value"), [(5, 5), (None, None)])
@pytest.mark.parametrize("variables", [{}, {"EINVOICE_TOLL_QUOTA": " "}])
def test_a_setting_that_is_not_given_or_blank_has_its_default(default, value, variables):
    plugin = Declaring(setting(type=int, default=default))
    registry.load(variables, [plugin])

    assert plugin.received["EINVOICE_TOLL_QUOTA"] == value


def test_undeclared_variables_are_passed_as_text():
    plugin = Declaring(setting())
    registry.load({"KSEF_PORT": "7"}, [plugin])

    assert plugin.received["KSEF_PORT"] == "7"


def test_a_setting_may_be_given_as_a_file(tmp_path):
    (tmp_path / "password").write_text(f"{SECRET}\n")
    plugin = Declaring(setting(secret=True))
    registry.load({"EINVOICE_TOLL_QUOTA_FILE": str(tmp_path / "password")}, [plugin])

    assert plugin.received["EINVOICE_TOLL_QUOTA"] == SECRET


@pytest.mark.parametrize(
    ("declared", "variables", "words"),
    [
        (setting("TOLL_QUOTA"), {}, "a name is EINVOICE_<PLUGIN>_"),
        (setting("EINVOICE_QUOTA"), {}, "a name is EINVOICE_<PLUGIN>_"),
        (setting("EINVOICE_TOLL_quota"), {}, "a name is EINVOICE_<PLUGIN>_"),
        (setting(doc=" "), {}, "documentation"),
        (setting(doc="a\nb"), {}, "documentation"),
        (setting(type=list), {}, "its type"),
        (setting(type=int, default="7"), {}, "default is not of its type, int"),
        (setting(default=7), {}, "default is not of its type, str"),
        (setting(default="a", required=True), {}, "required setting has no default"),
        (setting(required=True), {}, "is required: Requests an hour"),
        (setting(required=True), {"EINVOICE_TOLL_QUOTA": " "}, "is required"),
        (setting(type=int), {"EINVOICE_TOLL_QUOTA": "many"}, "'many' is not a whole number"),
        (setting(type=float), {"EINVOICE_TOLL_QUOTA": "nan"}, "'nan' is not a number"),
        (setting(type=bool), {"EINVOICE_TOLL_QUOTA": "2"}, "'2' is not true or false"),
        (setting(), {"EINVOICE_TOLL_QUOTA_FILE": "/missing"}, "_FILE cannot be read"),
        (setting("EINVOICE_SECRET_KEY"), {}, "the service has EINVOICE_SECRET_KEY already"),
        (setting("EINVOICE_SECRET_KEY_FILE"), {}, "the service has EINVOICE_SECRET_KEY already"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_is_named(declared, variables, words):
    """With the plugin and what is wrong."""
    with pytest.raises(PluginFault, match=words) as caught:
        registry.load(variables, [Declaring(declared)])

    assert "plugin 'Declaring'" in str(caught.value)
    assert declared.name in str(caught.value)


def test_what_is_not_a_setting_stops_the_start():
    with pytest.raises(PluginFault, match="'EINVOICE_A_B' is not a Setting"):
        registry.load({}, [Declaring("EINVOICE_A_B")])


def test_a_name_that_two_plugins_declare_stops_the_start():
    class Second(Declaring):
        pass

    with pytest.raises(PluginFault, match=r"'Second'.*plugin 'Declaring' has EINVOICE_TOLL_QUOTA"):
        registry.load({}, [Declaring(setting()), Second(setting())])


def test_the_fault_of_a_secret_setting_shows_no_value():
    secret = setting(type=int, secret=True)
    with pytest.raises(PluginFault, match="its value is not a whole number") as caught:
        registry.load({"EINVOICE_TOLL_QUOTA": SECRET}, [Declaring(secret)])

    assert SECRET not in str(caught.value)
    assert caught.value.__cause__.__cause__ is None  # a traceback would show it


def test_a_plugin_that_fails_with_a_secret_in_its_message_does_not_show_it():
    class Careless(Declaring):
        @hookimpl
        def einvoice_endpoints(self, settings):
            raise OSError(f"no access with {settings['EINVOICE_TOLL_QUOTA']}")

    with pytest.raises(PluginFault, match=r"no access with \[secret\]") as caught:
        registry.load({"EINVOICE_TOLL_QUOTA": SECRET}, [Careless(setting(secret=True))])

    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("declared", "given", "shown"),
    [
        (setting(), {"EINVOICE_TOLL_QUOTA": "7"}, "7"),
        (setting(), {}, "not set"),
        (setting(secret=True), {"EINVOICE_TOLL_QUOTA": SECRET}, "set"),
        (setting(secret=True), {}, "not set"),
    ],
)
def test_values_are_shown_but_of_secrets_only_whether_they_are_set(declared, given, shown):
    offered = registry.load_all(given, [Declaring(declared)])
    (value,) = offered.extras.settings

    assert value.shown == shown
    assert SECRET not in repr(offered)
