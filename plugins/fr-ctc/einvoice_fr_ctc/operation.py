"""Facts about an account for its company, and about all platforms for operators.

The interface names no version and no platform: a platform is the host of its Flow Service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from einvoice.network.connections import Connection
from einvoice.network.facts import Fact
from einvoice_fr_ctc.accounts import HOOK

_MAX_PLATFORMS: Final = 16  # those with the most companies


def of_connection(connection: Connection) -> Iterator[Fact]:
    """Lines for the page of an account."""
    yield Fact("Platform", host_of(connection))
    hook = "registered at the platform" if connection.state.get(HOOK) else "none"
    yield Fact("Web-hook", hook)


def of_all(connections: Sequence[Connection]) -> Iterator[Fact]:
    """Lines for operators."""
    hooked = sum(bool(each.state.get(HOOK)) for each in connections)
    yield Fact("Web-hooks registered", f"{hooked} of {len(connections)} connections")
    hosts = Counter(host_of(each) for each in connections)
    for host, count in hosts.most_common(_MAX_PLATFORMS):
        yield Fact(f"Platform {host}", f"{count} connections")


def host_of(connection: Connection) -> str:
    """The host of the platform, without the path and without credentials in the address."""
    try:
        return urlsplit(connection.credentials.get("url", "")).hostname or "unknown"
    except ValueError:
        return "unknown"
