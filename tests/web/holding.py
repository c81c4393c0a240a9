"""A plugin whose access points hold addresses of buyers, for tests of isolation."""

from __future__ import annotations

import uuid
from datetime import timedelta

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.network.held_addresses import HeldAddress
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import AccessPointBase, Capabilities, NotRegistered

EINVOICE_INTERFACE = 2


class Holding(AccessPointBase):
    """It carries nothing that does not name it."""

    network = "holding"
    capabilities = Capabilities(needs_lookup=False, named_only=True)

    def __init__(self, environment):
        self.name, self.environment = f"holding-{environment.value}", environment
        self._held = {}

    def serves(self, participant):
        return False

    def lookup(self, participant):
        return NotRegistered()

    def hold(self, tenant_id):
        """The id of a new entry."""
        now, address_id = clock.now(), str(uuid.uuid4())
        self._held[tenant_id, address_id] = HeldAddress(
            address_id, tenant_id, "ap@buyer.example", "550", now, now + timedelta(days=7)
        )
        return address_id

    def held_addresses(self, tenant_id=None):
        return [each for (of, _), each in self._held.items() if tenant_id in (None, of)]

    def lift_address(self, tenant_id, address_id):
        return self._held.pop((tenant_id, address_id), None)


@hookimpl
def einvoice_access_points(settings):
    yield from map(Holding, Environment)


def held(points, tenant_id, environment):
    """The id of an address that is held for a tenant; any id where nothing holds addresses."""
    for point in points:
        if isinstance(point, Holding) and point.environment is environment:
            return point.hold(tenant_id)
    return str(uuid.uuid4())
