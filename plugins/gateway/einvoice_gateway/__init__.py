"""Peppol through the REST interface of another access point.

Lookups are made here; documents are sent and received by that access point. Like any plugin it
imports einvoice.network and the packages below it, not the service, and of the plugin
einvoice_peppol the lookups and the formats of the network.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from einvoice.network.endpoints import Endpoint
from einvoice.network.hookspec import hookimpl
from einvoice.network.settings import Setting
from einvoice.network.types import Inbox

if TYPE_CHECKING:
    from einvoice_gateway.access_point import GatewayAccessPoint
    from einvoice_gateway.configuration import Gateway

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_settings() -> Iterator[Setting]:
    """The settings of both environments."""
    from einvoice_gateway import configuration
    from einvoice_peppol.stages import STAGES

    for stage in STAGES.values():
        yield from configuration.settings_of(stage)


@hookimpl
def einvoice_access_points(settings: Mapping[str, Any]) -> Iterator[GatewayAccessPoint]:
    """An access point for each environment that is configured: gateway-test, gateway."""
    from einvoice_gateway.access_point import GatewayAccessPoint

    for gateway in _gateways(settings):
        yield GatewayAccessPoint(gateway)


@hookimpl
def einvoice_endpoints(settings: Mapping[str, Any], inbox: Inbox) -> Iterator[Endpoint]:
    """Where the access point posts received documents: /networks/gateway-test/ and /gateway/."""
    from einvoice_gateway.receiving import MAX_BODY_BYTES, PER_MINUTE, Receiver

    for gateway in _gateways(settings):
        if gateway.inbound_token is not None:
            yield Endpoint(
                gateway.name,
                Receiver(gateway, gateway.inbound_token, inbox).answer,
                max_bytes=MAX_BODY_BYTES,
                per_minute=PER_MINUTE,
                spooled=True,
            )


def _gateways(settings: Mapping[str, Any]) -> Iterator[Gateway]:
    """The configured gateways. Raises InvalidConfiguration."""
    from einvoice_gateway import configuration
    from einvoice_peppol.stages import STAGES

    for stage in STAGES.values():
        gateway = configuration.configured(stage, settings)
        if gateway is not None:
            yield gateway
