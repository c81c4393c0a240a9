"""The audit log: adding entries, and reading them newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, insert, literal_column, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import AuditEntry


@dataclass(frozen=True, slots=True)
class NewAuditEntry:
    """One action to log: the actor, the action and its object."""

    tenant_id: str
    at: datetime
    actor: str
    actor_kind: str
    email: str | None
    address: str | None
    action: str
    target: str
    detail: Mapping[str, Any]


def add(database: Connection | Session, entry: NewAuditEntry) -> None:
    """Add the entry to a transaction, whether it works by models or by statements."""
    database.execute(insert(AuditEntry).values(**asdict(entry)))


@dataclass(frozen=True, slots=True)
class AuditRecord(NewAuditEntry):
    """An entry with its position in the log."""

    sequence: int


_RECORD = RecordColumns(AuditRecord, AuditEntry)


def of_operators(place: int | None, limit: int, matching: Mapping[str, str]) -> list[AuditRecord]:
    """At most `limit` entries of operators in all tenants, as `before`."""
    # Not a parameter: the index of these entries has the same condition.
    is_operator = AuditEntry.actor_kind == literal_column("'operator'")
    return _newest(select(AuditEntry).where(is_operator), place, limit, matching)


def before(
    tenant_id: str, place: int | None, limit: int, matching: Mapping[str, str]
) -> list[AuditRecord]:
    """At most `limit` entries before a position, newest first; `matching`: values by column."""
    own = select(AuditEntry).where(AuditEntry.tenant_id == tenant_id)
    return _newest(own, place, limit, matching)


def _newest(
    query: Select[Any], place: int | None, limit: int, matching: Mapping[str, str]
) -> list[AuditRecord]:
    query = query.where(*(getattr(AuditEntry, name) == value for name, value in matching.items()))
    if place is not None:
        query = query.where(AuditEntry.sequence < place)
    with db.reading_session() as session:
        found = session.scalars(query.order_by(AuditEntry.sequence.desc()).limit(limit))
        return [_RECORD.of(entry) for entry in found]
