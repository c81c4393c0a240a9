"""The Peppol network: the test network for sandbox keys, the production network for live keys.

Both are one implementation; `stages` holds what differs. Like any plugin it imports
einvoice.network and the packages below it, not the service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from einvoice.network.endpoints import Endpoint
from einvoice.network.hookspec import hookimpl
from einvoice.network.settings import Setting
from einvoice.network.types import Inbox
from einvoice_peppol import configuration
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.configuration import Network
from einvoice_peppol.receiving import MAX_BODY_BYTES, PER_MINUTE, Receiver
from einvoice_peppol.stages import STAGES

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both networks."""
    for stage in STAGES.values():
        yield from configuration.settings_of(stage)


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any]) -> Iterator[Peppol]:
    """An access point for each network that is configured: peppol-test, peppol."""
    for network in _networks(settings):
        yield Peppol(network)


@hookimpl
def einvoice_endpoints(settings: Mapping[str, Any], inbox: Inbox) -> Iterator[Endpoint]:
    """Where other access points send: /networks/peppol-test/ and /networks/peppol/."""
    for network in _networks(settings):
        receiver = Receiver(network, inbox)
        yield Endpoint(
            network.stage.name,
            receiver.answer,
            max_bytes=MAX_BODY_BYTES,
            per_minute=PER_MINUTE,
            spooled=True,
        )


def _networks(settings: Mapping[str, Any]) -> Iterator[Network]:
    """The configured networks. Raises InvalidConfiguration."""
    for stage in STAGES.values():
        network = configuration.configured(stage, settings)
        if network is not None:
            yield network
