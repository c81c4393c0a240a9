"""Ports for servers that need a port number at their start."""

from __future__ import annotations

import random
import socket

_DICE = random.SystemRandom()


def free_port() -> int:
    """A free port below the ephemeral range.

    The system assigns ports from 32768 on to clients: one of them could be taken before the server
    starts, and a client waiting for the server could connect to itself.
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
