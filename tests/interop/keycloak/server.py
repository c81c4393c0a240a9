"""Keycloak as a process on loopback, with the realm of docs/operators.md, and its admin API.

Its heap is bounded. It ends with its fixture, or by its guard if this process is killed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from einvoice.cli.processes import Guard
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[3]
REALM = ROOT / "deploy" / "keycloak" / "realm.json"
PASSWORD = "correct horse"
START_SECONDS = 300
_ADMIN = "admin"
_SECTION = re.compile(r"^### Keycloak\n.*?^```ini\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_JAVA = "-Xms64m -Xmx512m"


def version() -> str:
    """The version of `versions`."""
    lines = (Path(__file__).parent / "versions").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)["KEYCLOAK"]


def documented(origin: str, keycloak: str) -> dict[str, str]:
    """The settings of docs/operators.md, with these origins in place of those of the examples."""
    found = _SECTION.search((ROOT / "docs" / "operators.md").read_text())
    assert found is not None
    text = found[1].replace("https://invoices.example.com", origin)
    text = text.replace("https://login.example.com", keycloak)
    return dict(line.split("=", 1) for line in text.splitlines())


@dataclass(frozen=True)
class Keycloak:
    """A running Keycloak."""

    url: str

    @property
    def realm(self) -> str:
        return f"{self.url}/realms/einvoice"

    def admin(self, method: str, path: str, json: Any = None) -> requests.Response:
        """Call the admin API of the realm."""
        answer = requests.post(
            f"{self.url}/realms/master/protocol/openid-connect/token",
            {"client_id": "admin-cli", "grant_type": "password", "username": _ADMIN,
             "password": _ADMIN},
            timeout=60,
        )  # fmt: skip
        token = answer.json()["access_token"]
        return requests.request(
            method, f"{self.url}/admin/realms/einvoice{path}", json=json, timeout=60,
            headers={"Authorization": f"Bearer {token}"},
        )  # fmt: skip

    def add(self, name: str, tenants: list[str], role: Any) -> str:
        """Add a person; their id. `role`: a role, or an object with one for each tenant."""
        made = self.admin("POST", "/users", person(name, tenants, role))
        assert made.status_code == 201, made.text
        return made.headers["Location"].rpartition("/")[2]

    def change(self, person: str, **changes: Any) -> None:
        """Change members of a person; `tenants` and `role` are their attributes."""
        now = self.admin("GET", f"/users/{person}").json()
        attributes = now["attributes"]
        if "tenants" in changes:
            attributes["tenant_id"] = changes.pop("tenants")
        if "role" in changes:
            attributes["role"] = [json.dumps(changes.pop("role"))]
        done = self.admin("PUT", f"/users/{person}", now | changes | {"attributes": attributes})
        assert done.status_code == 204, done.text

    def end_session(self, person: str) -> None:
        assert self.admin("POST", f"/users/{person}/logout").status_code == 204

    def remove(self, person: str) -> None:
        assert self.admin("DELETE", f"/users/{person}").status_code == 204


def person(name: str, tenants: list[str], role: Any) -> dict[str, Any]:
    return {
        "username": name, "enabled": True, "email": f"{name}@example.com", "emailVerified": True,
        "firstName": name.capitalize(), "lastName": "Other",
        "attributes": {"tenant_id": tenants, "role": [json.dumps(role)]},
        "credentials": [{"type": "password", "value": PASSWORD}],
    }  # fmt: skip


@contextmanager
def running(environment: Mapping[str, str], port: int, log: Path) -> Iterator[Keycloak]:
    """Keycloak with the realm, whose placeholders have the values of `environment`."""
    home = ROOT / ".cache" / "keycloak" / f"keycloak-{version()}"
    (home / "data" / "import").mkdir(parents=True, exist_ok=True)
    shutil.copy(REALM, home / "data" / "import")
    url = f"http://127.0.0.1:{port}"
    command = [
        str(home / "bin" / "kc.sh"), "start", "--optimized", "--import-realm", "--cache=local",
        "--http-enabled=true", "--http-host=127.0.0.1", f"--http-port={port}",
        f"--hostname={url}", f"--http-management-port={free_port()}", "--log-level=warn",
    ]  # fmt: skip
    given = {
        "JAVA_OPTS_KC_HEAP": _JAVA,
        "KC_BOOTSTRAP_ADMIN_USERNAME": _ADMIN,
        "KC_BOOTSTRAP_ADMIN_PASSWORD": _ADMIN,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env=os.environ | given | environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    guard = Guard()
    guard.add(process.pid)
    try:
        _await(process, f"{url}/realms/einvoice", log)
        yield Keycloak(url)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        guard.remove(process.pid)
        guard.close()


def _await(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Wait until the realm is there."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with suppress(requests.RequestException):
            if requests.get(url, timeout=10).status_code == 200:
                return
        time.sleep(0.5)
    raise AssertionError(f"Keycloak does not answer: {log.read_text()[-3000:]}")
