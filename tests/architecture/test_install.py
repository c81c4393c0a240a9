"""What deploy/install places on a machine. Its steps run in deploy/trials/install-debian."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from einvoice.config import Settings
from einvoice.security.sealing import keyring
from tests import proxies

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
SYSTEMD = DEPLOY / "systemd"
INSTALL = (DEPLOY / "install").read_text()


def new_secrets(directory: Path) -> dict[str, str]:
    subprocess.run([DEPLOY / "new-secrets", directory], check=True, capture_output=True)
    return {path.name: path.read_text() for path in directory.iterdir()}


def settings_of(text: str) -> dict[str, str]:
    return dict(re.findall(r"^(EINVOICE_\w+)=(.*)$", text, re.MULTILINE))


def test_secrets_for_the_units_are_readable_by_root_only_and_kept(tmp_path):
    """A second run must not replace the key: the secrets of webhooks are encrypted with it."""
    first = new_secrets(tmp_path)

    assert new_secrets(tmp_path) == first
    assert first.keys() == {"secret_key", "database_url"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_a_full_disk_leaves_no_half_of_a_secret(tmp_path):
    """It would be kept by the next run, and no process would start with it."""
    limited = ["bash", "-c", f"trap '' XFSZ; ulimit -f 0; exec '{DEPLOY}/new-secrets' '{tmp_path}'"]
    full = subprocess.run(limited, capture_output=True, text=True)

    assert full.returncode != 0
    assert not {path.name for path in tmp_path.iterdir()} & {"secret_key", "database_url"}
    assert new_secrets(tmp_path)["secret_key"]


def test_the_installed_settings_and_secrets_start_production(tmp_path):
    secrets = new_secrets(tmp_path)
    environ = settings_of((SYSTEMD / "einvoice.env").read_text())
    settings = Settings.from_env(
        environ | {f"EINVOICE_{name.upper()}": text for name, text in secrets.items()}
    )

    assert settings.production
    assert keyring(settings)
    assert settings.database.startswith("postgresql:///einvoice?host=/var/run/postgresql")


def test_the_service_and_its_redis_instance_have_the_same_socket():
    """Debian's redis-server has no socket by default; its instances have the one they configure."""
    redis = dict(
        re.findall(r"^([\w-]+) (.+)$", (SYSTEMD / "redis-einvoice.conf").read_text(), re.MULTILINE)
    )
    url = settings_of((SYSTEMD / "einvoice.env").read_text())["EINVOICE_REDIS_URL"]

    assert url == f"unix://{redis['unixsocket']}"
    assert f"redis_socket={url}\n" in INSTALL
    assert (redis["port"], redis["appendonly"]) == ("0", "yes")
    assert redis["maxmemory-policy"] == "noeviction"


@pytest.fixture
def command(tmp_path) -> Path:
    """The command of deploy/systemd with its files below tmp_path, as the user of the test."""
    text = (SYSTEMD / "einvoice").read_text()
    for old, new in {
        "/etc/einvoice": str(tmp_path),
        '"$(id -u)"': "0",
        "setpriv --reuid einvoice --regid einvoice --init-groups --no-new-privs": "env",
    }.items():
        assert old in text
        text = text.replace(old, new)
    new_secrets(tmp_path)
    (tmp_path / "einvoice.env").write_text(
        '# EINVOICE_PROVIDER=Comment\nEINVOICE_PROVIDER="A b"\nEINVOICE_LISTEN=127.0.0.1:1'
    )
    release = tmp_path / "release" / "bin" / "einvoice"
    release.parent.mkdir(parents=True)
    release.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nenv')
    script = tmp_path / "command"
    script.write_text(text)
    for path in (script, release):
        path.chmod(0o755)
    return script


def test_the_command_has_the_settings_and_secrets_of_the_units(command, tmp_path):
    """As systemd reads them: comments are ignored, quotes are removed."""
    done = subprocess.run(
        [command, "tenants", "add", "Customer NV"],
        env={"PATH": os.environ["PATH"], "RELEASE": str(tmp_path / "release")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    key = (tmp_path / "secret_key").read_text()

    assert lines[:3] == ["tenants", "add", "Customer NV"]
    assert {
        "EINVOICE_PROVIDER=A b", "EINVOICE_LISTEN=127.0.0.1:1", f"EINVOICE_SECRET_KEY={key}",
        "EINVOICE_DATA_DIR=/var/lib/einvoice",
    } <= set(lines)  # fmt: skip


def test_the_command_has_the_keys_of_networks_while_it_runs(command, tmp_path):
    """Under the names that the units have them, and gone afterwards."""
    (tmp_path / "peppol").mkdir()
    (tmp_path / "peppol/ap.p12").write_text("key")
    text = command.read_text()
    for old, new in {"/run/einvoice-command": f"{tmp_path}/run", "chown -R einvoice": ":"}.items():
        assert old in text
        text = text.replace(old, new)
    command.write_text(text)
    release = tmp_path / "release/bin/einvoice"
    release.write_text('#!/bin/sh\ncat "$CREDENTIALS_DIRECTORY/peppol_ap.p12"; exit 3')
    environ = {"PATH": os.environ["PATH"], "RELEASE": str(tmp_path / "release")}
    done = subprocess.run([command, "doctor"], env=environ, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (3, "key")
    assert list(tmp_path.glob("run*")) == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--plugin"], "--plugin needs a value"),
        (["--rules"], "--rules needs a value"),
        (["--rules", "fast"], "--rules is compiled or plain"),
        (["--host", "a.example"], "unknown argument --host"),
        (["--upgrade", "--back"], "one of --upgrade, --back and --uninstall"),
        (["--back", "--uninstall"], "one of --upgrade, --back and --uninstall"),
    ],
)
def test_install_refuses_wrong_arguments(arguments, reason):
    done = subprocess.run([DEPLOY / "install", *arguments], capture_output=True, text=True)

    assert done.returncode == 1
    assert reason in done.stderr


def test_install_lists_its_options():
    done = subprocess.run([DEPLOY / "install", "--help"], capture_output=True, text=True)

    assert done.returncode == 0
    assert {
        "--public-host", "--sandbox-host", "--upgrade", "--back", "--plugin", "--rules"
    } <= set(done.stdout.split())  # fmt: skip


def test_an_upgrade_migrates_before_it_restarts_and_restarts_web_last():
    """The order of docs/operators.md, "Upgrading without downtime"."""
    steps = INSTALL.partition('read_arguments "$@"\n')[2].splitlines()
    migration = steps.index("migrate")
    restarted = re.search(r"for what in (.*); do", INSTALL.partition("\nstart() {")[2])

    assert steps.index("make_release") < migration < steps.index("install_units")
    assert steps.index("install_units") < steps.index("switch_release")
    assert steps.index("switch_release") < steps.index("start") < steps.index("report")
    assert restarted
    assert restarted[1].split() == [
        "'einvoice-worker@*.service'", "einvoice-relay.service", "einvoice-mail.service",
        "einvoice-web.service",
    ]  # fmt: skip


# Functions of deploy/install with directories of the test; systemctl prints what it is asked.
_FUNCTIONS = """
set -euo pipefail
etc={0}/etc opt={0}/opt root={0}/checkout upgrade= back= plugins=() rules=plain
die() {{ echo "$*" >&2; exit 1; }}
say() {{ :; }}
systemctl() {{ echo "systemctl $*"; }}
"""
_TAKEN = (
    "running", "link", "keep_deployment", "install_units", "switch_release",
    "choose_release_before", "keep_deployment_of_now", "uninstall", "migrate",
    "make_data_directory",
)  # fmt: skip


def function_of(name: str) -> str:
    found = re.search(rf"^{name}\(\) \{{.*?(?:\}}|^\}})$", INSTALL, re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


@pytest.fixture
def installed(tmp_path):
    """Run steps of deploy/install on releases below tmp_path; their output."""
    script = _FUNCTIONS.format(tmp_path) + "\n".join(map(function_of, _TAKEN))
    for old, new in {
        "/etc/systemd/system": f"{tmp_path}/units", "/usr/local/sbin": f"{tmp_path}/sbin",
        "-o einvoice -g einvoice -m 700 /var/lib/einvoice": f"{tmp_path}/data",
        "/etc/redis/": f"{tmp_path}/redis/", "/var/lib/redis/": f"{tmp_path}/queues/",
    }.items():  # fmt: skip
        assert old in script
        script = script.replace(old, new)
    for name in ("etc", "opt/releases", "units", "sbin", "checkout/deploy"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copytree(SYSTEMD, tmp_path / "checkout/deploy/systemd")

    def run(steps: str) -> str:
        command = ["bash", "-c", script + "\n" + steps]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.stdout + done.stderr

    return run


_INSTALL = """
release=$opt/releases/{0} plugins=({1})
mkdir -p "$release/bin" "$release/docs"; touch "$release/complete"
ln -sf "$(type -P true)" "$release/bin/python"
keep_deployment; install_units; switch_release
"""
# The steps of the installer from the release on, in its order; RESULT is that of `db upgrade`.
_STEPS = INSTALL.partition("\nmake_release\n")[2].partition("\nstart\n")[0]
_UPGRADE = (
    """
upgrade=1 release=$opt/releases/{0} plugins=({1})
mkdir -p "$release/bin" "$release/docs"; touch "$release/complete"
printf 'echo "$RELEASE $*"; exit {2}' > "$root/deploy/systemd/einvoice"
"""
    + _STEPS
)
_BACK = "back=1; choose_release_before; install_units; switch_release"


def test_going_back_restores_the_units_and_the_choices_of_the_release_before(installed, tmp_path):
    """A unit that only the newer release has is removed; forward again, it is there."""
    units = tmp_path / "checkout/deploy/systemd"
    installed(_INSTALL.format("first", "loopback"))
    (units / "einvoice-extra.service").write_text("[Service]")
    (units / "einvoice-web.service").write_text("newer")
    installed(_INSTALL.format("second", "loopback peppol"))
    newer = {path.name: path.read_text() for path in (tmp_path / "units").iterdir()}
    said = installed(_BACK)
    older = {path.name: path.read_text() for path in (tmp_path / "units").iterdir()}

    assert newer.keys() - older.keys() == {"einvoice-extra.service"}
    assert newer["einvoice-web.service"] == "newer"
    assert older["einvoice-web.service"] == (SYSTEMD / "einvoice-web.service").read_text()
    assert "systemctl disable -q --now einvoice-extra.service" in said
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/first/bin"
    assert (tmp_path / "etc/plugins").read_text() == "loopback\n"
    assert "the release before this one is not here" in installed(_BACK)
    assert installed(_INSTALL.format("second", "loopback peppol"))
    assert (tmp_path / "units/einvoice-extra.service").exists()
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/second/bin"


def contents(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): path.read_text()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_a_failed_upgrade_of_the_database_leaves_the_running_release_whole(installed, tmp_path):
    """Its units run on and start again, its command and choices stay, and either way is open."""
    installed(_INSTALL.format("first", "loopback"))
    installed(_INSTALL.format("second", "loopback"))
    gone = tmp_path / "checkout/deploy/systemd/einvoice-mail.service"
    (gone.parent / "einvoice-extra.service").write_text("[Service]")
    gone.unlink()
    places = [tmp_path / name for name in ("units", "sbin", "etc")]
    before = [contents(place) for place in places]
    said = installed(_UPGRADE.format("third", "loopback peppol", 1))

    assert said.startswith(f"{tmp_path}/opt/releases/third db upgrade\n")
    assert "the release before runs on" in said
    assert "systemctl" not in said
    assert [contents(place) for place in places] == before
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/second/bin"
    assert (tmp_path / "opt/releases/first").exists()

    assert "systemctl enable" in installed(_UPGRADE.format("third", "loopback peppol", 0))
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/third/bin"
    assert not (tmp_path / "units/einvoice-mail.service").exists()
    installed(_BACK)
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/second/bin"
    assert (tmp_path / "units/einvoice-mail.service").exists()


def test_there_is_no_way_back_to_a_release_without_its_python(installed, tmp_path):
    """As after an upgrade of Debian: nothing is changed."""
    for name in ("first", "second"):
        installed(_INSTALL.format(name, "loopback"))
    python = tmp_path / "opt/releases/first/bin/python"
    python.unlink()
    python.symlink_to(shutil.which("false"))

    assert "does not run with the Python of this Debian" in installed(_BACK)
    assert (tmp_path / "opt/bin").resolve() == tmp_path / "opt/releases/second/bin"


def test_there_is_no_way_back_to_a_release_that_was_deleted(installed, tmp_path):
    """Two releases are kept: the one that runs and the one before."""
    for name in ("first", "second", "third"):
        installed(_INSTALL.format(name, "loopback"))
    shutil.rmtree(tmp_path / "opt/releases/second")

    assert {path.name for path in (tmp_path / "opt/releases").iterdir()} == {"third"}
    assert "the release before this one is not here" in installed(_BACK)


def test_what_is_uninstalled_leaves_settings_secrets_and_the_units_of_others(installed, tmp_path):
    """Workers are stopped by their names; a backup of the operator goes on."""
    for name in ("redis", "queues/einvoice"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "redis/redis-einvoice.conf").touch()
    installed(_INSTALL.format("first", "loopback"))
    (tmp_path / "units/einvoice-backup.service").touch()
    (tmp_path / "etc/secret_key").write_text("k")

    said = installed("uninstall")

    stopped = next(line for line in said.splitlines() if "einvoice-web.service" in line)
    assert stopped.startswith("systemctl disable -q --now einvoice.target einvoice-worker@")
    assert "@.service" not in stopped
    assert "systemctl disable -q --now redis-server@einvoice.service" in said
    assert [path.name for path in (tmp_path / "units").iterdir()] == ["einvoice-backup.service"]
    assert not (tmp_path / "opt").exists()
    assert not (tmp_path / "sbin/einvoice").exists()
    assert not list((tmp_path / "redis").iterdir()) + list((tmp_path / "queues").iterdir())
    assert (tmp_path / "etc/secret_key").read_text() == "k"


def test_going_back_asks_the_release_before_anything_changes():
    steps = [line.split() for line in function_of("go_back").splitlines()]
    names = [words[0] for words in steps]
    order = ["migrate", "install_units", "switch_release", "start", "check_units", "report"]

    assert [name for name in names if name in order] == order


@pytest.mark.skipif(not shutil.which("caddy"), reason="caddy is not installed")
def test_caddy_accepts_its_file_unchanged():
    environ = os.environ | {"PUBLIC_HOST": "a.example", "SANDBOX_HOST": "b.example"}
    environ |= proxies.caddy_environment()
    done = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile"],
        env=environ, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "Valid configuration" in done.stdout + done.stderr
