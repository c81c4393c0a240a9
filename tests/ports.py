"""Ports for servers that are told theirs beforehand."""

from __future__ import annotations

import random
import socket

_DICE = random.SystemRandom()


def free_port() -> int:
    """A port nobody has, which nobody gets by chance before the server is there.

    The system gives ports from 32768 on to whoever connects or asks for any: those may be gone a
    moment later, and a client that waits for its server there may even connect to itself.
    """
    for _ in range(100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", _DICE.randrange(12_000, 32_000)))
            except OSError:
                continue
            port: int = probe.getsockname()[1]
            return port
    raise OSError("no port is free")
