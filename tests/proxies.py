"""The proxies of deploy/ in front of a port, from Debian's packages, with a certificate of ours."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port

CHECKED_EVERY = "200ms"
DEPLOY = Path(__file__).resolve().parents[1] / "deploy"


class NotInstalled(Exception):
    """The program of the proxy is not there; `deploy/install-test-servers` installs it."""


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its port for TLS, and a context that trusts it."""

    port: int
    context: ssl.SSLContext


@dataclass(frozen=True)
class _Place:
    """Where a proxy of a test has its files and ports."""

    directory: Path
    upstream: int
    port: int
    plain: int
    second: int | None = None

    @property
    def upstreams(self) -> list[int]:
        return [self.upstream] if self.second is None else [self.upstream, self.second]

    @property
    def certificate(self) -> str:
        return str(self.directory / "certificate.pem")

    @property
    def key(self) -> str:
        return str(self.directory / "key.pem")


def _replaced(name: str, replacements: dict[str, str]) -> str:
    """A file of deploy/ with parts replaced, each of which must be there."""
    text = (DEPLOY / name).read_text()
    for old, new in replacements.items():
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    return text


def _caddy(place: _Place) -> tuple[str, list[str]]:
    replacements = {
        "{\n\tservers {": f"{{\n\tadmin off\n\thttp_port {place.plain}\n\tservers {{",
        "{$PUBLIC_HOST}, {$SANDBOX_HOST} {":
            f"https://127.0.0.1:{place.port} {{\n\ttls {place.certificate} {place.key}",
        "{$UPSTREAMS:web:8000}": " ".join(f"127.0.0.1:{port}" for port in place.upstreams),
        "health_interval 5s": f"health_interval {CHECKED_EVERY}",
    }  # fmt: skip
    return _replaced("Caddyfile", replacements), ["caddy", "run", "--adapter", "caddyfile"]


def caddy_environment() -> dict[str, str]:
    """The variables that deploy/Caddyfile needs for the installed version."""
    return {"BUFFERING": "request_buffers"} if _caddy_version() >= (2, 7) else {}


def _caddy_version() -> tuple[int, ...]:
    said = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.split()[0].lstrip("v").split(".")[:2])


def _nginx(place: _Place) -> tuple[str, list[str]]:
    replacements = {
        "worker_processes auto;": "worker_processes auto;\ndaemon off;\npid nginx.pid;",
        "listen 80": f"listen 127.0.0.1:{place.plain}",
        "listen 443 ssl": f"listen 127.0.0.1:{place.port} ssl",
        "api.example.com sandbox.example.com": "127.0.0.1",
        "#server 192.0.2.2:8000":
            "#" if place.second is None else f"server 127.0.0.1:{place.second}",
        "/etc/ssl/einvoice/fullchain.pem": place.certificate,
        "/etc/ssl/einvoice/key.pem": place.key,
        "127.0.0.1:8000": f"127.0.0.1:{place.upstream}",
        "access_log off;": "access_log off;\n" + "".join(
            f"\t{kind}_temp_path {place.directory}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        ),
    }  # fmt: skip
    prefix = str(place.directory)
    return _replaced("nginx.conf", replacements), ["nginx", "-p", prefix, "-e", "stderr", "-c"]


def _haproxy(place: _Place) -> tuple[str, list[str]]:
    bundle = place.directory / "bundle.pem"
    bundle.write_text(Path(place.certificate).read_text() + Path(place.key).read_text())
    replacements = {
        "bind :80": f"bind 127.0.0.1:{place.plain}",
        "bind :443": f"bind 127.0.0.1:{place.port}",
        "/etc/ssl/einvoice/bundle.pem": str(bundle),
        "-i api.example.com sandbox.example.com": "-i 127.0.0.1",
        "127.0.0.1:8000": f"127.0.0.1:{place.upstream}",
        "check inter 5s": f"check inter {CHECKED_EVERY}",
        "#server web2 192.0.2.2:8000":
            "" if place.second is None else f"server web2 127.0.0.1:{place.second}",
    }  # fmt: skip
    return _replaced("haproxy.cfg", replacements), ["haproxy", "-db", "-q", "-f"]


_KINDS: dict[str, Callable[[_Place], tuple[str, list[str]]]] = {
    "caddy": _caddy, "nginx": _nginx, "haproxy": _haproxy,
}  # fmt: skip
PROXIES = tuple(_KINDS)


@contextmanager
def proxy(kind: str, upstream: int, second: int | None = None) -> Iterator[Proxy]:
    """Run a proxy with its file of deploy/ in front of a port, or two. Raises NotInstalled."""
    if shutil.which(kind) is None:
        raise NotInstalled(f"{kind} is not installed: deploy/install-test-servers")
    with tempfile.TemporaryDirectory(prefix=f"{kind}-") as name:
        place = _Place(Path(name), upstream, free_port(), free_port(), second)
        place.directory.chmod(0o755)  # the workers of nginx are another user
        _make_certificate(place)
        text, command = _KINDS[kind](place)
        (place.directory / "config").write_text(text)
        if kind == "caddy":
            command = [*command, "--config"]
        with _running(place, [*command, str(place.directory / "config")]):
            yield Proxy(place.port, ssl.create_default_context(cafile=place.certificate))


@contextmanager
def _running(place: _Place, command: list[str]) -> Iterator[None]:
    environ = {"HOME": str(place.directory), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    if command[0] == "caddy":
        environ |= caddy_environment()
    with (
        (place.directory / "log").open("w") as log,
        subprocess.Popen(
            command, cwd=place.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=environ,
        ) as process,
    ):  # fmt: skip
        try:
            _await(place, process)
            yield
        finally:
            process.terminate()
            process.wait(30)


def _make_certificate(place: _Place) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-addext", "basicConstraints=critical,CA:TRUE",
         "-keyout", place.key, "-out", place.certificate],
        check=True, capture_output=True,
    )  # fmt: skip


def _await(place: _Place, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", place.port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError((place.directory / "log").read_text())
