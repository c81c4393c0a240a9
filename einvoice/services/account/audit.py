"""Every management action leaves an entry, in the transaction that carries it out."""

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
    """Note that `session` did `action` ("key.created") to `target` (an id).

    `database`: the transaction of the action, by models or by statements.
    `detail` holds plain JSON values and never a secret. Where no one is given it was the operator,
    whose commands are not the tenant's to review: nothing is noted.
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
    """What was done, newest first, from a place on; `matching`: action, actor or target."""
    return stored.before(tenant_id, before, limit, matching)
