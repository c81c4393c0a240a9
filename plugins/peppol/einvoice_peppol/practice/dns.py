"""DNS of a practice network: dnsmasq in place of the SML."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import sml

ZONE: Final = "sml.practice"
_PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/opt/homebrew/sbin"
_OPTIONS: Final = (
    "-k", "-C", "/dev/null", "--bind-interfaces",
    "--no-resolv", "--no-hosts", "--pid-file=", "--user=",
)  # fmt: skip
_START_SECONDS: Final = 10.0
_dice = random.SystemRandom()


class NoDnsServer(Exception):
    """dnsmasq is not installed or does not start. The message says what to do."""


def record_of(participant: ParticipantId, smp: str, zone: str = ZONE) -> str:
    """The option of dnsmasq that names the SMP of a participant."""
    return f"--naptr-record={sml.host_name(participant, zone)},100,10,U,Meta:SMP,!.*!{smp}!"


@contextmanager
def serving(
    options: Iterable[str], *, host: str = "127.0.0.1", port: int | None = None
) -> Iterator[str]:
    """dnsmasq with these options, on a free port if none is given; its address.

    Raises NoDnsServer.
    """
    program = shutil.which("dnsmasq", path=_PATH)
    if program is None:
        raise NoDnsServer("dnsmasq is not installed (Debian: apt-get install dnsmasq-base)")
    command = [program, *_OPTIONS, f"--listen-address={host}", *options]
    process, taken = _started(command, host, port)
    try:
        yield f"{host}:{taken}"
    finally:
        process.terminate()
        process.wait(10)


def _started(
    command: list[str], host: str, wanted: int | None
) -> tuple[subprocess.Popen[bytes], int]:
    """The process and its port; another port is tried where the first is taken meanwhile."""
    for _ in range(5):
        port = wanted or _free_port()
        process = subprocess.Popen(  # noqa: S603 - the program of the system
            [*command, f"--port={port}"], stderr=subprocess.DEVNULL
        )
        if _answers(process, host, port):
            return process, port
        process.kill()
        process.wait(10)
    raise NoDnsServer("dnsmasq does not start")


def _answers(process: subprocess.Popen[bytes], host: str, port: int) -> bool:
    until = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((host, port), 0.2).close()
        except OSError:
            time.sleep(0.05)
        else:
            return process.poll() is None
    return False


def _free_port() -> int:
    """A free port below those that the system assigns to clients."""
    for _ in range(100):
        port = _dice.randrange(12_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise NoDnsServer("no port of 127.0.0.1 is free")
