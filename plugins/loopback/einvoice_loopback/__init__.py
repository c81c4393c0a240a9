"""The simulator: an access point for the sandbox that plays a network and sends nothing.

Its magic participants (`participants`) act out what real networks do; anybody else is registered
and gets the document after two seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from einvoice.network.hookspec import hookimpl
from einvoice.network.types import Inbox
from einvoice_loopback.directory import Directory
from einvoice_loopback.simulator import Simulator

EINVOICE_INTERFACE = 1


@hookimpl
def einvoice_access_points(settings: Mapping[str, str], inbox: Inbox) -> Iterator[Simulator]:
    """One simulator, for the environment test only."""
    directory = Directory(Path(settings.get("EINVOICE_DATA_DIR", "./data")))
    yield Simulator(directory, inbox.deliver_inbound)
