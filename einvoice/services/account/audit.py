"""The audit log: one entry per management action, written in the action's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.services.principal import Principal, Session
from einvoice.store import audit as stored
from einvoice.store.audit import AuditRecord as AuditRecord
from einvoice.store.audit import NewAuditEntry

PERSON, KEY = "person", "key"


def record(
    database: Connection | DatabaseSession,
    tenant_id: str,
    session: Session | Principal | None,
    action: str,
    target: str,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Store that `session` did `action` ("key.created") to `target` (an id).

    `database`: the transaction of the action, by models or by statements.
    `detail` holds plain JSON values and never a secret. Without a session it was the operator,
    whose commands are not part of the tenant's log: nothing is stored.
    """
    if session is None:
        return
    person = session if isinstance(session, Session) else None
    entry = NewAuditEntry(
        tenant_id=tenant_id,
        at=clock.now(),
        actor=_actor(session),
        actor_kind=PERSON if person else KEY,
        email=person.email if person else None,
        address=session.address,
        action=action,
        target=target,
        detail=dict(detail or {}),
    )
    stored.add(database, entry)


def _actor(who: Session | Principal) -> str:
    return who.subject if isinstance(who, Session) else who.key_id or ""


def page(
    tenant_id: str, *, before: int | None, limit: int, matching: Mapping[str, str]
) -> list[AuditRecord]:
    """Entries, newest first, before a position; `matching`: action, actor or target."""
    return stored.before(tenant_id, before, limit, matching)
