"""The audit log: one entry per management action, written in the action's transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.services.principal import Operator, Principal, Session
from einvoice.store.account import audit as stored
from einvoice.store.account.audit import AuditRecord as AuditRecord
from einvoice.store.account.audit import NewAuditEntry

PERSON, KEY, OPERATOR, PLATFORM = "person", "key", "operator", "platform"

# Who operates the service now; a name of "" is not known.
_OPERATOR: ContextVar[Operator | None] = ContextVar("operator", default=None)
_UNNAMED = Operator("", "")


@contextmanager
def of_operator(by: Operator = _UNNAMED) -> Iterator[None]:
    """Within the block, actions without a session are this operator's."""
    reset = _OPERATOR.set(by)
    try:
        yield
    finally:
        _OPERATOR.reset(reset)


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
    `detail` holds plain JSON values and never a secret. Without a session it was the operator, by a
    command or at the console, whose name is the member `operator` of the detail; or the service
    itself, whose own actions are not logged.
    """
    if session is None and _OPERATOR.get() is None:
        return
    stored.add(database, entry_of(tenant_id, session, action, target, detail))


def entry_of(
    tenant_id: str,
    session: Session | Principal | None,
    action: str,
    target: str,
    detail: Mapping[str, Any] | None = None,
) -> NewAuditEntry:
    """The entry of an action, with the arguments of `record`; without a session the operator's."""
    person = session if isinstance(session, Session) else None
    operator = _OPERATOR.get() if session is None else None
    by = session or operator
    return NewAuditEntry(
        tenant_id=tenant_id,
        at=clock.now(),
        actor=_actor(session),
        actor_kind=_kind(session),
        email=person.email if person else None,
        address=by.address if by else None,
        action=action,
        target=target,
        detail=dict(detail or {}) | _of_platform(session) | _named(operator),
    )


def _named(operator: Operator | None) -> dict[str, str]:
    return {"operator": operator.name} if operator and operator.name else {}


def _of_platform(principal: Session | Principal | None) -> dict[str, Any]:
    """The name and the credential of a platform that did it."""
    platform = principal.platform if principal else None
    if platform is None:
        return {}
    return {"platform": platform.name, "credential": platform.credential_id}


def _actor(principal: Session | Principal | None) -> str:
    if principal is None:
        return OPERATOR
    if principal.platform is not None:
        return principal.platform.id
    return principal.subject if isinstance(principal, Session) else principal.key_id or ""


def _kind(principal: Session | Principal | None) -> str:
    if principal is None:
        return OPERATOR
    if principal.platform is not None:
        return PLATFORM
    return PERSON if isinstance(principal, Session) else KEY


def page(
    tenant_id: str, *, before: int | None, limit: int, matching: Mapping[str, str]
) -> list[AuditRecord]:
    """Entries, newest first, before a position; `matching`: action, actor or target."""
    return stored.before(tenant_id, before, limit, matching)
