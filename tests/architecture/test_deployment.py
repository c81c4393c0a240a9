"""The files of deploy/: known settings, minimal rights, all processes. They are read as text,
because tests have neither a container engine nor systemd."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

from einvoice import config
from einvoice.config import Settings
from einvoice.security.sealing import keyring
from jobs.table import LANES
from tests.tables import each_row
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
DOCKERFILE = (DEPLOY.parent / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: s for name, s in SERVICES.items() if "EINVOICE_MODE" in s.get("environment", {})}
FILES = [ROOT / "Dockerfile", *(path for path in DEPLOY.rglob("*") if path.is_file())]


@each_row("path", FILES, ids=lambda path: path.name)
def test_every_variable_of_a_deployment_is_a_setting(path):
    """A misspelt variable would be ignored silently."""
    known = {variable for variable, *_ in config.describe()}
    known |= set(re.findall(r"`(EINVOICE_PEPPOL_[A-Z_]+)`", (ROOT / "docs/peppol.md").read_text()))
    readme = (ROOT / "plugins/mail/README.md").read_text()
    known |= set(re.findall(r"^\| `(EINVOICE_MAIL_[A-Z_]+)`", readme, re.MULTILINE))
    of_builds = {"EINVOICE_IMAGE", "EINVOICE_COMPILED"}
    named = set(re.findall(r"\bEINVOICE_[A-Z_]+\b", path.read_text())) - of_builds

    assert {name.removesuffix("_FILE") for name in named} <= known


# -- the image -------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_runs_as_an_unprivileged_user():
    """By number, so that an orchestrator can verify it; nothing is installed as that user."""
    given = instructions()
    last_stage = given[max(i for i, (word, _) in enumerate(given) if word == "FROM") :]
    users = [rest for word, rest in last_stage if word == "USER"]

    assert users == ["10001:10001"]
    assert [word for word, _ in last_stage].index("USER") > max(
        i for i, (word, _) in enumerate(last_stage) if word in {"RUN", "COPY"}
    )


def test_the_image_holds_pinned_packages_and_named_versions():
    """Hashes for every package, a version for every base image, nothing fetched by ADD."""
    given = instructions()
    images = {rest.split()[0] for word, rest in given if word == "FROM"}
    default = dict(rest.split("=", 1) for word, rest in given if word == "ARG" and "=" in rest)

    assert images == {"${PYTHON_IMAGE}"}
    assert re.fullmatch(r"python:3\.[0-9]+-slim-[a-z]+", default["PYTHON_IMAGE"])
    assert not [rest for word, rest in given if word == "ADD"]
    installs = [
        step for w, rest in given if w == "RUN" for step in rest.split("&&") if "pip" in step
    ]
    assert all(
        "--require-hashes" in step or "--no-deps" in step for step in installs if "install" in step
    )


def test_the_image_gets_signals_and_commands_directly():
    """Without a shell between engine and process; STOPSIGNAL lets requests finish."""
    given = dict(instructions())

    assert given["ENTRYPOINT"] == '["einvoice"]'
    assert given["CMD"] == '["serve"]'
    assert given["STOPSIGNAL"] == "SIGTERM"


def test_the_image_says_what_it_is():
    """Labels of OCI, with the version of the distribution as default."""
    labels = next(rest for word, rest in instructions() if word == "LABEL")
    named = set(re.findall(r"org\.opencontainers\.image\.([a-z]+)=", labels))
    setup = (ROOT / "setup.cfg").read_text()
    version = re.search(r"^version = (.+)$", setup, re.MULTILINE)

    assert {"title", "licenses", "version", "revision", "created"} <= named
    assert version
    assert f"ARG VERSION={version[1]}\n" in DOCKERFILE


def test_the_image_names_its_authorities_for_programs_with_an_openssl_of_their_own():
    """The PostgreSQL driver has one, whose directory of certificates does not exist."""
    environment = next(rest for word, rest in instructions() if word == "ENV")
    page = (ROOT / "docs/kubernetes.md").read_text()
    (authorities,) = re.findall(r"SSL_CERT_FILE=(\S+)", environment)

    assert f"test -s {authorities}" in DOCKERFILE
    assert f"sslmode=verify-full&sslrootcert={authorities}'" in page


def test_secrets_and_development_files_are_not_in_the_image():
    ignored = (ROOT / ".dockerignore").read_text().split()

    assert {".git", "deploy", "tests", "data", ".venv"} <= set(ignored)


# -- compose ---------------------------------------------------------------------------------------


def test_compose_runs_every_process_and_every_lane():
    commands = {tuple(service["command"]) for service in OURS.values()}

    assert commands == {
        ("serve",), ("relay",), ("db", "upgrade"), ("mail", "receive", "--listen", "0.0.0.0:2424"),
        *(("worker", lane) for lane in LANES)
    }  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_containers_of_the_service_are_read_only(name):
    """Without capabilities; writable directories are in memory, but those of exports and mails."""
    service = OURS[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged")
    settings = service["environment"]
    assert service["volumes"] == [
        f"exports:{settings['EINVOICE_EXPORT_DIR']}", f"mails:{settings['EINVOICE_MAIL_IN_SPOOL']}"
    ]  # fmt: skip
    assert any(path.startswith("/var/lib/einvoice:") for path in service["tmpfs"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_has_health_check_limits_and_restart(name):
    """Except the migration, which ends."""
    service = SERVICES[name]

    assert "no-new-privileges:true" in service["security_opt"]
    assert service["read_only"] is True
    assert service["logging"]["options"]["max-size"]
    assert re.search(r"[0-9]+[mg]\b", service["mem_limit"])
    if name == "migrate":
        assert service["restart"] == "no"
    else:
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", [name for name in OURS if name != "migrate"])
def test_processes_start_after_the_migration(name):
    assert SERVICES[name]["depends_on"]["migrate"] == {
        "condition": "service_completed_successfully"
    }


@pytest.mark.parametrize("name", ["web", "worker-plugins", "relay"])
def test_the_memory_of_a_container_has_room_for_a_computation(name):
    """160 MiB and 256 MiB of /tmp; web: 790 MiB for each process, and its computation."""
    settings = SERVICES[name]["environment"]
    computation = int(settings["EINVOICE_COMPUTE_PROCESSES"]) * int(
        settings["EINVOICE_COMPUTE_MEMORY_MB"]
    )
    needed = {"web": 416 + 2 * (790 + computation), "relay": 416}.get(name, 576 + computation)

    assert _mebibytes(SERVICES[name]["mem_limit"]) >= needed


def _mebibytes(limit: str) -> int:
    """Of a limit such as 2g, 768m or ${WEB_MEMORY:-4608m}."""
    found = re.fullmatch(r"(?:\$\{[A-Z_]+:-)?([0-9]+)([mg])\}?", limit)
    assert found, limit
    return int(found[1]) * (1024 if found[2] == "g" else 1)


def test_the_image_has_the_directories_of_volumes_for_its_user():
    """A new volume takes the owner from it."""
    settings = OURS["web"]["environment"]
    directories = f"{settings['EINVOICE_EXPORT_DIR']} {settings['EINVOICE_MAIL_IN_SPOOL']}"

    assert f"install -d -o einvoice -g einvoice -m 0700 {directories}" in DOCKERFILE


def test_only_the_proxy_is_published_and_the_data_network_is_internal():
    """TLS ends at the proxy; PostgreSQL and Redis are on an internal network. Mails come from a
    mail server of the machine."""
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert published.keys() == {"proxy", "mail"}
    assert all(each.startswith("127.0.0.1:") for each in published["mail"])
    assert SERVICES["mail"]["profiles"] == ["mail"]
    for name in ("postgres", "redis"):
        assert SERVICES[name]["networks"] == ["data"]
    assert COMPOSE["networks"]["data"]["internal"] is True
    assert "data" not in SERVICES["proxy"]["networks"]


def test_no_secret_is_in_a_file_of_the_repository():
    """Secrets are separate files, generated by deploy/new-secrets and not committed."""
    assert all(set(entry) == {"file"} for entry in COMPOSE["secrets"].values())
    used = {name for service in SERVICES.values() for name in service.get("secrets", [])}
    assert used == COMPOSE["secrets"].keys()
    assert "/deploy/secrets/" in (ROOT / ".gitignore").read_text().split()


def test_images_of_others_can_be_pinned_by_digest():
    """Each is a variable with a tag as default, which deploy/pin-images finds."""
    named = [service["image"] for service in SERVICES.values()]
    named.append(OURS["web"]["build"]["args"]["PYTHON_IMAGE"])
    pinned = (DEPLOY / "pin-images").read_text()

    assert [
        name for name in named if not re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[^:]+:[^:}]+\}", name)
    ] == []
    assert "[A-Z]+_IMAGE:-" in pinned
    assert os.access(DEPLOY / "pin-images", os.X_OK)


def test_redis_has_room_to_rewrite_its_file_and_refuses_more():
    """It would be killed at the container's limit, and again after it has read the same file."""
    service = SERVICES["redis"]
    most = service["command"][service["command"].index("--maxmemory") + 1]
    found = re.fullmatch(r"\$\{REDIS_MAXMEMORY:-([0-9]+)mb\}", most)

    assert found
    assert int(found[1]) <= 0.75 * _mebibytes(service["mem_limit"])


def test_redis_answers_nobody_without_its_password(tmp_path):
    """The command and the secret of compose, with Debian's server."""
    secrets = compose_secrets(tmp_path)
    command = [
        each.replace("/run/secrets", str(secrets)).replace("${REDIS_MAXMEMORY:-768mb}", "64mb")
        for each in SERVICES["redis"]["command"]
    ]
    socket = tmp_path / "redis.sock"
    server = subprocess.Popen(
        [*command, "--port", "0", "--unixsocket", str(socket), "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    try:
        until(socket.exists)
        _, password, _ = re.split("redis://:|@", (secrets / "redis_url").read_text())
        with Redis(unix_socket_path=str(socket), password=password) as known:
            until(lambda: answers(known))
            most = known.config_get("maxmemory")
        with Redis(unix_socket_path=str(socket)) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
    finally:
        server.terminate()
        server.wait(30)

    assert most == {"maxmemory": str(64 * 1024**2)}


def answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisError:
        return False


def test_redis_keeps_its_queues():
    command = SERVICES["redis"]["command"]

    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_a_container_has_time_to_finish_its_work():
    """Requests wait at most 25 seconds, submissions for the access point's timeout."""
    seconds = {"1m": 60, "2m": 120}

    assert seconds[SERVICES["web"]["stop_grace_period"]] > 25
    for lane in LANES:
        assert seconds[SERVICES[f"worker-{lane}"]["stop_grace_period"]] >= 120


def test_the_proxy_removes_forged_headers():
    """Caddy replaces For, Proto and Host; a port given by the caller is removed."""
    caddy = (DEPLOY / "Caddyfile").read_text()

    assert "header_up -X-Forwarded-Port" in caddy
    assert "{$PUBLIC_HOST}, {$SANDBOX_HOST} {" in caddy
    assert caddy.count("{") == caddy.count("}")


def compose_secrets(directory: Path) -> Path:
    script = shutil.copy(DEPLOY / "new-secrets", directory)
    subprocess.run([script], check=True, capture_output=True)
    return directory / "secrets"


def test_generated_secrets_start_production(tmp_path):
    """Mounted as by compose. A second run keeps them."""
    secrets = compose_secrets(tmp_path)
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    compose_secrets(tmp_path)
    environ = {name: str(value) for name, value in OURS["web"]["environment"].items()}
    for name, value in environ.items():
        changed = value.replace("${PUBLIC_HOST:?}", "a.example").replace("${WEB_WORKERS:-2}", "2")
        changed = changed.replace("${SANDBOX_HOST:?}", "b.example")
        environ[name] = changed.replace("/run/secrets", str(secrets))
    settings = Settings.from_env(environ)

    assert {path.name: path.read_text() for path in secrets.iterdir()} == before
    assert (
        settings.database
        == f"postgresql://einvoice:{before['postgres_password']}@postgres/einvoice"
    )
    assert settings.redis == before["redis_url"]
    assert before.keys() == COMPOSE["secrets"].keys()
    assert keyring(settings)
    assert secrets.stat().st_mode & 0o777 == 0o700


# -- backups ---------------------------------------------------------------------------------------


def test_compose_and_the_page_archive_alike_and_keep_what_the_page_says():
    """Every night by a timer, deleted by a retention, and read once a month."""
    page = (ROOT / "docs/disaster.md").read_text()
    backup = DEPLOY / "backup"
    (server,) = yaml.safe_load((backup / "compose.yaml").read_text())["services"].values()
    (push,) = [word for word in server["command"] if word.startswith("archive_command=")]
    settings = (backup / "pgbackrest.conf").read_text()

    assert f"archive_command = '{push.partition('=')[2]}'" in page
    assert {"repo1-retention-full-type=time", f"repo1-retention-full={5 * 7}"} <= {
        *settings.splitlines()
    }
    assert "five weeks" in page
    for name in ("einvoice-backup", "einvoice-restore-check"):
        assert "OnCalendar=" in (backup / f"{name}.timer").read_text()
        service = (backup / f"{name}.service").read_text()
        (script,) = re.findall(r"^ExecStart=/usr/local/lib/einvoice/(\w+)$", service, re.MULTILINE)
        assert os.access(backup / script, os.X_OK)
        assert f"{name}.timer" in page
    notes = {"backup": "night", "restore-check": "verify"}
    for name, script in notes.items():
        service = (backup / f"einvoice-{name}.service").read_text()
        (noted,) = re.findall(r"^ExecStartPost=\+/usr/local/sbin/(.+)$", service, re.MULTILINE)
        assert re.search(rf" postgres {script} && \$C exec -T web {noted}$", page, re.MULTILINE)


def test_every_trial_has_a_limit_and_runs_by_default():
    """But for those that take an hour, which are named at the beginning."""
    trials = {path.name for path in (DEPLOY / "trials").iterdir()} - {"run"}
    run = (DEPLOY / "trials/run").read_text()
    (default,) = re.findall(r"\|\| set -- (.+)", run)

    (hour,) = re.findall(r"# By default all but (.+), which take an hour each", run)

    assert set(default.split()) == trials - set(re.split(", | and ", hour))
    assert trials == set(re.findall(r"\[([a-z-]+)\]=", run))


# -- a new version without a pause -----------------------------------------------------------------


@each_row(
    "path",
    sorted((ROOT / "migrations" / "versions").glob("[0-9]*.py")),
    ids=lambda path: path.stem[:4],
)
def test_a_migration_only_adds_unless_it_declares_a_removal(path):
    """The version before runs beside it (docs/operators.md). What breaks that is a migration of
    its own, with `Takes away:` and the last version that may run beside it in its docstring."""
    text = path.read_text()
    if "Takes away:" in text:
        return
    upgrade = text.partition("def upgrade")[2].partition("def downgrade")[0]

    assert not re.search(r"drop_table|drop_column|rename_table|new_column_name", upgrade)


# Before it was forbidden: a VARCHAR that became longer.
TYPE_CHANGED = {"0016", "0028"}
_OTHER_TYPE = re.compile(
    r"\btype_=sa|\bALTER\s+(?:COLUMN\s+)?\S+\s+(?:SET\s+DATA\s+)?TYPE\b", re.IGNORECASE
)


def test_no_migration_changes_the_type_of_a_column():
    """Processes that run keep statements, which PostgreSQL then refuses (`cached plan must not
    change result type`). Add a column of the new type instead."""
    paths = (ROOT / "migrations" / "versions").glob("[0-9]*.py")
    found = {path.stem[:4] for path in paths if _OTHER_TYPE.search(path.read_text())}

    assert found == TYPE_CHANGED
    assert _OTHER_TYPE.search('op.execute("ALTER TABLE a ALTER COLUMN b TYPE text")')
    assert _OTHER_TYPE.search('op.execute("ALTER TABLE a ALTER b SET DATA TYPE text")')
    assert not _OTHER_TYPE.search('drop_constraint("a", type_="unique")')


# -- systemd ---------------------------------------------------------------------------------------

HARDENED = (
    "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes",
    "PrivateDevices=yes", "CapabilityBoundingSet=", "RestrictSUIDSGID=yes", "User=einvoice",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_has_only_the_rights_it_needs(unit):
    lines = unit.read_text().splitlines()

    assert [line for line in HARDENED if line not in lines] == []


def test_the_target_starts_every_process_and_every_lane():
    target = (DEPLOY / "systemd" / "einvoice.target").read_text()
    wanted = set(re.findall(r"einvoice-[a-z@]+\.service", target))

    assert wanted == {
        "einvoice-web.service", "einvoice-relay.service", "einvoice-migrate.service",
        "einvoice-mail.service",
        *(f"einvoice-worker@{lane}.service" for lane in LANES),
    }  # fmt: skip
    assert "Wants=einvoice-doctor.timer" in target.splitlines()
    assert (DEPLOY / "systemd" / "einvoice-doctor.service").is_file()


# Of what a unit may take at most: MiB for its processes, as deploy/kubernetes and compose have it.
COMPUTING = {"web", "worker@"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_cannot_take_the_machine_along(unit):
    """Its limit of memory has room for the computations that einvoice.env allows."""
    given = dict(line.split("=", 1) for line in unit.read_text().splitlines() if "=" in line)
    settings = (DEPLOY / "systemd/einvoice.env").read_text()
    environ = dict(re.findall(r"^(EINVOICE_\w+)=(.*)$", settings, re.MULTILINE))
    name = unit.stem.removeprefix("einvoice-")
    computing = int(environ["EINVOICE_COMPUTE_PROCESSES"]) * int(
        environ["EINVOICE_COMPUTE_MEMORY_MB"]
    )
    web = 160 + int(environ["EINVOICE_WEB_WORKERS"]) * (790 + computing)
    needed = {"web": web, "worker@": 320 + computing}.get(name, 320)
    files = {"web": 4352, "worker@": 800}.get(name, 256)  # docs/operators.md

    assert _mebibytes(given["MemoryMax"].lower()) >= needed
    assert int(given["TasksMax"]) >= 64
    assert int(given["LimitNOFILE"]) >= files
    assert (given.get("OOMPolicy") == "continue") == (name in COMPUTING)


def test_a_unit_reads_keys_of_networks_as_credentials():
    """/etc/einvoice is of root; docs/peppol.md names the directory."""
    line = "LoadCredential=peppol:/etc/einvoice/peppol"

    assert [unit.name for unit in UNITS if line not in unit.read_text().splitlines()] == []
    assert "`/etc/einvoice/peppol/ap.p12`" in (ROOT / "docs/peppol.md").read_text()


@pytest.fixture
def units(tmp_path) -> list[str]:
    """The units as installed, with an existing program."""
    for unit in DEPLOY.glob("systemd/*.*"):
        text = unit.read_text().replace("/opt/einvoice/bin/einvoice", "/bin/true")
        names = [unit.name]
        if "@" in unit.name:
            names = [unit.name.replace("@", f"@{lane}") for lane in LANES]
        for name in names:
            (tmp_path / name).write_text(text)
    return [
        str(path) for path in tmp_path.iterdir() if path.suffix in {".service", ".target", ".timer"}
    ]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_systemd_accepts_the_units(units):
    verdict = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)

    assert (verdict.returncode, verdict.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_systemd_rates_the_units_as_hardened(units):
    """Below 2 of 10 points of exposure."""
    for unit in units:
        if unit.endswith(".service"):
            command = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit]
            verdict = subprocess.run(command, capture_output=True, text=True)

            assert verdict.returncode == 0, verdict.stdout[-300:] + verdict.stderr
