"""Closing a tenant: all access to it ends, and its documents stay (decisions 20.11)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from einvoice import clock
from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.network.access_points import names_of_leaving
from einvoice.network.types import AccessPoint
from einvoice.services.account import audit, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Reader
from einvoice.store.account import credentials, entries
from einvoice.store.account import tenants as stored
from einvoice.store.connections import connections, parked, shared_consents
from einvoice.store.core import budgets, db
from einvoice.store.sending import sequences
from einvoice.store.webhooks import webhook_endpoints

_REASON = "the account is closed"


def close(
    tenant_id: str, caches: Caches, by: Reader | None = None, points: Iterable[AccessPoint] = ()
) -> datetime:
    """End all keys, OAuth clients, tokens, share links, webhooks and connections of the tenant.

    The credentials of its connections are deleted, consents that they shared are withdrawn.
    Networks that keep something for an account (`LeavesNetwork`) are left by a worker.

    What was accepted before is delivered, unless it needs one of the connections; nothing is
    received for it any more. Documents stay.

    points  the access points of the installation

    Repeating it changes nothing. Returns when it was closed. Other processes notice it within a
    second. Raises NotFound.
    """
    now = clock.now()
    with db.writing_session() as database:
        tenant = stored.lock(database, tenant_id)
        if tenant is None:
            raise tenants.unknown(tenant_id)
        if tenant.closed_at is not None:
            return tenant.closed_at
        tenant.closed_at = now
        keys = credentials.revoke_all(database, API_KEY, tenant_id, now)
        credentials.revoke_all(database, OAUTH_CLIENT, tenant_id, now)
        webhook_endpoints.disable_all(database, tenant_id, _REASON, now)
        connections.revoke_all(database, tenant_id, _REASON, now, names_of_leaving(points))
        shared_consents.end_unused(database, tenant_id, now)
        entries.ask_all_of(database.connection(), tenant_id)
        parked.resume_of_tenant(database.connection(), tenant_id, now)
        sequences.end_all(database.connection(), connections.ids_of(database, tenant_id), now)
        audit.record(database, tenant_id, by, "tenant.closed", tenant_id)
    for key_id in keys:
        budgets.stamp(key_id)
    caches.tenants.drop(tenant_id)
    return now
