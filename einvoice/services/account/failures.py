"""Failed authentications: counted, in the log, and in the audit log of the tenant that is known.

A program with a wrong credential repeats it many times a second. So the log has one line a minute
for each reason and network, and the audit log one entry an hour for each credential and reason, of
each process.
"""

from __future__ import annotations

from einvoice import clock
from einvoice.domain.errors import CredentialOwner
from einvoice.observability import logging, metrics
from einvoice.services.account import audit
from einvoice.services.caches import Caches
from einvoice.store.account import audit as stored
from einvoice.store.account.audit import NewAuditEntry
from einvoice.store.core import db

log = logging.get(__name__)

ACTION = "authentication.failed"


def note(
    reason: str,
    address: str | None,
    network: str | None,
    owner: CredentialOwner | None,
    caches: Caches,
) -> None:
    """Record a failed authentication: the slug of the refusal, and where it came from."""
    metrics.authentication_failed(reason)
    caches.failure_lines.get((reason, network or ""), lambda: _log(reason, address, owner))
    if owner is not None:
        caches.failure_entries.get((owner, reason), lambda: _record(reason, address, owner))


def _log(reason: str, address: str | None, owner: CredentialOwner | None) -> bool:
    owner_ids = {"tenant": owner.tenant_id, "credential": owner.actor} if owner else {}
    log.warning("authentication failed", reason=reason, address=address, **owner_ids)
    return True


def _record(reason: str, address: str | None, owner: CredentialOwner) -> bool:
    entry = NewAuditEntry(
        tenant_id=owner.tenant_id,
        at=clock.now(),
        actor=owner.actor,
        actor_kind=audit.PERSON if owner.person else audit.KEY,
        email=None,
        address=address,
        action=ACTION,
        target=owner.actor,
        detail={"reason": reason},
    )
    with db.writing() as connection:
        stored.add(connection, entry)
    return True
