"""Real servers for the tests: PostgreSQL and Redis on sockets of their own, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children, Guard
from tests.ports import free_port


class NotInstalled(Exception):
    """A server the tests need is not there; `make test` installs it."""


def postgres_binaries() -> Path:
    """The directory of the programs of PostgreSQL, of the newest version. Raises NotInstalled."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if found:
        return found[-1]
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    raise NotInstalled("PostgreSQL is not installed: apt-get install postgresql")


def _as_its_user(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as its own user."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]


class Postgres:
    """A fresh cluster on a unix socket, which can be stopped the hard way and started again.

    With `primary` it is a streaming standby of that one.
    """

    def __init__(
        self, directory: Path, options: Sequence[str] = (), primary: Postgres | None = None
    ) -> None:
        self._options = options
        self._binaries = postgres_binaries()
        self._directory = directory
        chosen = (each.removeprefix("port=") for each in options if each.startswith("port="))
        self.port = next(chosen, "5432")
        self.url = f"postgresql://einvoice@/postgres?host={directory}"
        if self.port != "5432":
            self.url += f"&port={self.port}"
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(directory, owner.pw_uid, owner.pw_gid)
        self._run(self._initial() if primary is None else self._copy_of(primary))
        self._guard = Guard()
        self.start()

    def _initial(self) -> list[str]:
        return ["initdb", "-D", str(self._directory / "data"), "-U", "einvoice", "-A", "trust",
                "-E", "UTF8", "--locale=C", "--no-sync"]  # fmt: skip

    def _copy_of(self, primary: Postgres) -> list[str]:
        return ["pg_basebackup", "-h", str(primary._directory), "-p", primary.port, "-U",
                "einvoice", "-R", "-c", "fast", "--no-sync",
                "-D", str(self._directory / "data")]  # fmt: skip

    def _run(self, command: Sequence[str]) -> None:
        path = str(self._binaries / command[0])
        subprocess.run(_as_its_user([path, *command[1:]]), check=True, capture_output=True, cwd="/")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._server = subprocess.Popen(
            _as_its_user([
                str(self._binaries / "postgres"), "-D", str(self._directory / "data"),
                "-k", str(self._directory), "-c", "listen_addresses=", "-c", "max_connections=200",
                *self._options,
            ]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", start_new_session=True,
        )  # fmt: skip
        self._guard.add(self._server.pid)
        _await_answer(self.url, self._server)

    def stop(self) -> None:
        """Fast: does not wait for clients."""
        self._end(signal.SIGINT)
        self._guard.close()

    def restart(self) -> None:
        """Stop, without waiting for clients, and start."""
        self._end(signal.SIGINT)
        self.start()

    def crash(self) -> None:
        """Immediate: as a power cut would, with recovery at the next start."""
        self._end(signal.SIGQUIT)

    def _end(self, number: int) -> None:
        self._server.send_signal(number)
        self._server.wait(60)
        self._guard.remove(self._server.pid)

    @property
    def pid(self) -> int:
        return self._server.pid


@contextmanager
def cluster(options: Sequence[str] = (), primary: Postgres | None = None) -> Iterator[Postgres]:
    """A PostgreSQL server of our own; gone afterwards. `options` are those of its command.

    With `primary` it is a streaming standby of that one.
    """
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as name:
        server = Postgres(Path(name), options, primary)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def postgresql(options: Sequence[str] = ()) -> Iterator[str]:
    """A fresh cluster; yields the URL of its maintenance database. `options` as for `cluster`."""
    with cluster(options) as server:
        yield server.url


def _await_answer(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        if server.poll() is not None:
            raise NotInstalled(f"PostgreSQL ended with {server.returncode}")
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise NotInstalled("PostgreSQL does not answer")


@contextmanager
def redis() -> Iterator[str]:
    """A Redis server on a socket; yields its URL."""
    children = Children()
    with tempfile.TemporaryDirectory(prefix="redis-") as directory:
        try:
            yield start_redis(children, Path(directory))
        finally:
            children.stop()


@contextmanager
def s3() -> Iterator[str]:
    """An S3 server (moto) in a process of its own on loopback; yields its URL."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    guard = Guard()
    guard.add(server.pid)
    try:
        _await_port(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait(30)
        guard.remove(server.pid)
        guard.close()


def _await_port(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        if server.poll() is not None:
            raise NotInstalled(f"moto ended with {server.returncode}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
            return
        time.sleep(0.05)
    raise NotInstalled("moto does not answer")


@contextmanager
def pgbouncer(url: str, *, pool_size: int = 4) -> Iterator[str]:
    """PgBouncer in transaction mode before the PostgreSQL server of `url`; yields its URL.

    Raises NotInstalled.
    """
    binary = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if binary is None:
        raise NotInstalled("PgBouncer is not installed: apt-get install pgbouncer")
    server = psycopg.conninfo.conninfo_to_dict(url)
    with tempfile.TemporaryDirectory(prefix="pgb-") as name:
        directory = Path(name)
        settings = directory / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={server['host']} user={server['user']}\n"
            f"[pgbouncer]\nunix_socket_dir = {directory}\nlisten_addr =\nauth_type = any\n"
            f"pool_mode = transaction\ndefault_pool_size = {pool_size}\nmax_client_conn = 200\n"
            "ignore_startup_parameters = options,extra_float_digits\n"
        )
        if os.geteuid() == 0:
            shutil.chown(directory, "postgres")
        process = subprocess.Popen(
            _as_its_user([binary, "-q", str(settings)]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", start_new_session=True,
        )  # fmt: skip
        guard = Guard()
        guard.add(process.pid)
        try:
            through = f"postgresql://einvoice@/{server['dbname']}?host={directory}&port=6432"
            _await_answer(through, process)
            yield through
        finally:
            process.terminate()
            process.wait(30)
            guard.close()
