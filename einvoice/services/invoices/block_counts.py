"""The sweep that counts documents in blocks, for totals (store/invoices/blocks)."""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.store.account import tenants
from einvoice.store.invoices import blocks
from einvoice.store.invoices.blocks import Counted

TENANTS_PER_STEP = 20
STEP_SECONDS = 0.05  # the relay hands out no work meanwhile


class CountingRound:
    """A round over all tenants, in steps; the next begins at the first tenant."""

    def __init__(self) -> None:
        self._after = ""

    def step(self) -> bool:
        """Count the blocks of a few tenants; whether the round goes on."""
        until = clock.monotonic() + STEP_SECONDS
        found = tenants.ids_after(self._after, TENANTS_PER_STEP)
        for tenant_id in found:
            if not count(tenant_id, until):
                return True  # the same tenant is next
            self._after = tenant_id
        if len(found) < TENANTS_PER_STEP:
            self._after = ""
        return bool(self._after)


def count(tenant_id: str, until: float) -> bool:
    """Add and count blocks of a tenant, at least one, until this moment of the monotonic clock;
    whether nothing is left."""
    return all(_count(Counted(tenant_id, e.value), until) for e in Environment)


def _count(scope: Counted, until: float) -> bool:
    while blocks.add_next(scope, clock.now()) or blocks.count_settled(scope):
        blocks.count_settled(scope)
        if clock.monotonic() >= until:
            return False
    return True
