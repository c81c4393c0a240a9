"""E-mail addresses to which nothing is sent for a while, because mails came back from them.

Access points keep the lists (`HoldsAddresses`), one of each tenant; people see theirs and lift an
address, operators those of all tenants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.network.access_points import AccessPoints
from einvoice.network.held_addresses import MAX_HELD, HeldAddress, HoldsAddresses
from einvoice.services.account import audit
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.core import db


def of_tenant(tenant_id: str, environment: Environment, runtime: Runtime) -> Sequence[HeldAddress]:
    """The addresses that are held for a tenant in an environment, the newest first."""
    found = [
        each
        for point in _points(environment, runtime.access_points)
        for each in point.held_addresses(tenant_id)
    ]
    return sorted(found, key=lambda each: each.since, reverse=True)[:MAX_HELD]


def of_all(runtime: Runtime) -> list[tuple[Environment, HeldAddress]]:
    """Those of all tenants, at most MAX_HELD of an environment, the newest first."""
    found = [
        (environment, each)
        for environment in Environment
        for point in _points(environment, runtime.access_points)
        for each in list(point.held_addresses())[:MAX_HELD]
    ]
    return sorted(found, key=lambda each: each[1].since, reverse=True)


def lift(
    tenant_id: str,
    environments: Iterable[Environment],
    address_id: str,
    runtime: Runtime,
    by: Session | None = None,
) -> None:
    """Send mail to an address again, in these environments. Raises NotFound if none holds it."""
    if not sum(_lifted(tenant_id, each, address_id, runtime, by) for each in environments):
        raise NotFound(f"There is no address {address_id[:40]!r}.")


def _lifted(
    tenant_id: str, environment: Environment, address_id: str, runtime: Runtime, by: Session | None
) -> bool:
    for point in _points(environment, runtime.access_points):
        lifted = point.lift_address(tenant_id, address_id)
        if lifted is not None:
            detail = {"address": lifted.address, "environment": environment.value}
            with db.writing() as connection:
                audit.record(connection, tenant_id, by, "mailAddress.lifted", address_id, detail)
            return True
    return False


def _points(environment: Environment, points: AccessPoints) -> list[HoldsAddresses]:
    return [
        point
        for point in points
        if point.environment is environment and isinstance(point, HoldsAddresses)
    ]
