"""Names that resolve to given addresses, and what a server there answers."""

from __future__ import annotations

import socket

from einvoice.http import (
    Policy,
)

OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
INSIDE = Policy(https_only=False, allow_private=True)


def resolving_to(*addresses):
    """A resolver that returns these addresses for every name, and counts its calls."""
    asked = []

    def resolve(host, port, **_):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    resolve.asked = asked
    return resolve
