"""`einvoice doctor` and `einvoice plugins` show the checks and settings of plugins."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from click import ClickException
from click.testing import CliRunner

from einvoice import rules
from einvoice.app import create_app
from einvoice.cli import application, doctor, doctor_checks, doctor_plugins, plugins
from einvoice.config import Settings
from einvoice.network import checks, registry
from einvoice.network.checks import Check
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import PluginFault
from einvoice.network.types import INTERFACE_VERSION
from tests.networks import toll

PASSWORD = "correct-horse"


class Checking:
    """A plugin that offers checks."""

    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self, *offered: object) -> None:
        self._offered = offered

    @hookimpl
    def einvoice_checks(self):
        return self._offered


def checked(*offered: object) -> list[tuple[str, str, str]]:
    extras = registry.load_all({}, [Checking(*offered)]).extras
    return [(one.name, one.level.value, one.sentence) for one in doctor_plugins.run(extras)]


def test_each_check_is_named_with_its_level_and_sentence():
    assert checked(
        Check("a", lambda: checks.good("Fine.")),
        Check("b", lambda: checks.warning("Soon.")),
        Check("c", lambda: checks.error("Over.")),
    ) == [
        ("Checking/a", "good", "Fine."),
        ("Checking/b", "warning", "Soon."),
        ("Checking/c", "error", "Over."),
    ]


def raising() -> checks.CheckResult:
    raise OSError("no\nroute")


def leaving() -> checks.CheckResult:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (raising, "The check raised OSError: no route"),
        (leaving, "The check raised SystemExit: 3"),
        (lambda: True, "The check returned bool, not a CheckResult."),
    ],
)
def test_a_check_that_fails_is_an_error_and_the_others_go_on(run, sentence):
    found = checked(Check("a", run), Check("b", lambda: checks.good("Fine.")))

    assert found == [("Checking/a", "error", sentence), ("Checking/b", "good", "Fine.")]


def test_a_check_that_hangs_is_an_error_after_its_deadline(monkeypatch):
    monkeypatch.setattr(doctor_plugins, "CHECK_SECONDS", 0.05)
    ended = threading.Event()
    hanging = Check("a", lambda: ended.wait(30) and checks.good("Late."))
    found = checked(hanging, Check("b", lambda: checks.good("Fine.")))
    ended.set()

    assert found == [
        ("Checking/a", "error", "The check did not end within 0.05 seconds."),
        ("Checking/b", "good", "Fine."),
    ]


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        ([Check("Upper", raising)], "lower-case"),
        ([Check("a", raising), Check("a", raising)], "two checks are named 'a'"),
        (["a"], "is not a Check"),
        ([Check("a", None)], "Check.run is NoneType, not Callable"),
    ],
)
def test_an_invalid_check_stops_the_start(offered, words):
    with pytest.raises(PluginFault, match=words):
        registry.load_all({}, [Checking(*offered)])


@pytest.fixture
def run(tmp_path, monkeypatch) -> Callable:
    """A command with the plugin of the toll authority, its output and exit code."""
    monkeypatch.setattr(doctor_checks, "problems", lambda _: iter(()))

    def _run(command, **variables: str) -> tuple[str, int]:
        def made():
            settings = Settings(data_dir=str(tmp_path))
            return create_app(settings, plugins=[toll], environ=variables)

        monkeypatch.setattr(doctor, "application", made)
        monkeypatch.setattr(application, "application", made)
        result = CliRunner().invoke(command)
        return result.output, result.exit_code

    return _run


def test_the_doctor_lists_checks_and_settings_without_secrets(run):
    """Also where a check quotes the secret."""
    output, code = run(doctor.doctor, EINVOICE_TOLL_PASSWORD=PASSWORD, EINVOICE_TOLL_QUOTA="5")

    assert "✓ tests.networks.toll/password: The account has the password [secret]." in output
    assert "! tests.networks.toll/quota: 5 requests an hour are few." in output
    assert "nothing to fix" not in output
    lines = {line.split()[0]: line.split()[2] for line in output.splitlines() if "_TOLL_" in line}
    assert lines == {
        "EINVOICE_TOLL_ACCOUNT": "demo",
        "EINVOICE_TOLL_PASSWORD": "set",
        "EINVOICE_TOLL_QUOTA": "5",
    }
    assert PASSWORD not in output
    assert code == 0


def test_a_check_with_an_error_makes_the_exit_code_1(run):
    output, code = run(doctor.doctor)

    assert "✗ tests.networks.toll/password: The account has no password" in output
    assert code == 1


@pytest.mark.parametrize(
    ("compiled", "line"), [(True, "rules: compiled"), (False, "rules: plain Python")]
)
def test_doctor_says_whether_the_rules_are_compiled(run, monkeypatch, compiled, line):
    monkeypatch.setattr(rules, "are_compiled", lambda: compiled)
    output, _ = run(doctor.doctor)

    assert line in output.splitlines()


def test_all_checks_good_is_nothing_to_fix(run):
    output, code = run(doctor.doctor, EINVOICE_TOLL_PASSWORD=PASSWORD)

    assert "✓ nothing to fix" in output
    assert code == 0


def test_the_list_of_plugins_has_their_settings_and_runs_no_check(run):
    output, code = run(plugins.plugins, EINVOICE_TOLL_PASSWORD=PASSWORD)

    assert "toll-test" in output
    assert "EINVOICE_TOLL_QUOTA     tests.networks.toll  100    Requests an hour" in output
    profiles = {tuple(line.split()) for line in output.splitlines()}
    assert ("toll-bill", "toll", "toll-bill") in profiles
    assert ("peppol-bis-self-billing", "peppol", "selfbilling") in profiles
    assert PASSWORD not in output
    assert "The account has" not in output
    assert code == 0


def test_a_broken_plugin_is_named_and_the_other_checks_go_on(tmp_path, monkeypatch):
    """Nothing else starts with it, but the doctor says which it is."""
    installed = tmp_path / "packages"
    metadata = installed / "crumbling-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: crumbling\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[einvoice]\ncrumbling = crumbling\n")
    (installed / "crumbling.py").write_text("raise ImportError('no module of this kind')\n")
    monkeypatch.syspath_prepend(installed)
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path / "data"))
    output = CliRunner().invoke(doctor.doctor).output

    assert "The plugin crumbling cannot be used: ImportError: no module of this kind" in output
    assert "The database is SQLite" in output
    assert output.count("cannot be used") == 1


def test_plugins_that_cannot_be_used_together_are_left_out(tmp_path, monkeypatch):
    def refused():
        raise ClickException("refused") from PluginFault("two plugins serve one network")

    def made(settings, *, plugins):
        if plugins:
            raise PluginFault("two plugins serve one network")
        return create_app(settings, plugins=plugins)

    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(doctor, "application", refused)
    monkeypatch.setattr(doctor, "create_app", made)
    output = CliRunner().invoke(doctor.doctor).output

    assert "two plugins serve one network" in output
    assert "The database is SQLite" in output
