"""The simulator: an access point for the sandbox that simulates a network and sends nothing.

Its magic participants (`participants`) behave as the cases of real networks; every other one is
registered and gets the document after two seconds. Like any plugin it imports einvoice.network and
the packages below it, not the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from einvoice.network.hookspec import hookimpl
from einvoice.network.types import Inbox
from einvoice_loopback.directory import Directory
from einvoice_loopback.simulator import Simulator

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_access_points(settings: Mapping[str, str], inbox: Inbox) -> Iterator[Simulator]:
    """The simulator, in the environment test only."""
    directory = Directory(Path(settings.get("EINVOICE_DATA_DIR", "./data")))
    yield Simulator(directory, inbox.deliver_inbound)
