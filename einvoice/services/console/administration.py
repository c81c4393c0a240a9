"""Set-up of tenants and platforms by operators: names, numbers, ids, switches, sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.services.account import claims, platforms, session_ends, tenants
from einvoice.services.account.platforms import PlatformRecord as PlatformRecord
from einvoice.services.caches import Caches
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import ConnectionRecord as ConnectionRecord
from einvoice.services.console.tenants import SeenTenant, get

MAX_CONNECTIONS = 100


def create_tenant(name: str) -> SeenTenant:
    """Create a tenant of the operator's own, without a platform."""
    return get(tenants.create(name))


def verify_number(tenant_id: str, number: str, caches: Caches) -> SeenTenant:
    """Store a register or VAT number as verified, with the claims that it proves.

    Raises NotFound, AccountClosed, InvalidField.
    """
    try:
        claims.verify_number(tenant_id, number, caches)
    except ValueError as fault:
        raise _no_number(fault) from None
    return get(tenant_id)


def withdraw_number(tenant_id: str, number: str) -> SeenTenant:
    """Remove a verified number; what it has verified stays.

    Raises NotFound, AccountClosed, InvalidField.
    """
    try:
        claims.withdraw_number(tenant_id, number)
    except ValueError as fault:
        raise _no_number(fault) from None
    return get(tenant_id)


def _no_number(fault: ValueError) -> InvalidField:
    return InvalidField([FieldError("/number", "not-a-number", str(fault))])


def end_sessions(tenant_id: str, caches: Caches) -> datetime:
    """End the sessions of all people and OAuth clients of the tenant; API keys go on.

    Raises NotFound, AccountClosed, Conflict.
    """
    return session_ends.end(tenant_id, None, caches)


def connections(tenant_id: str) -> Sequence[ConnectionRecord]:
    """The accounts of the tenant at networks; at most MAX_CONNECTIONS."""
    return accounts.of_all(tenant_id, MAX_CONNECTIONS)


def create_platform(name: str) -> SeenTenant:
    """Create a platform: an account that owns tenants, as its account is seen."""
    return get(platforms.create(name))


def trust_platform(platform_id: str, *, verifies: bool) -> PlatformRecord:
    """Say whether its word verifies numbers of its tenants. Raises NotFound."""
    platforms.set_verifies_numbers(platform_id, verifies=verifies)
    return platforms.get(platform_id)


def adopt(platform_id: str, tenant_id: str, external_id: str) -> SeenTenant:
    """Make a tenant of the operator one of the platform's. Raises NotFound, Conflict."""
    platforms.adopt(platform_id, tenant_id, external_id)
    return get(tenant_id)
