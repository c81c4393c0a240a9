"""The audit log: added to, and read newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy.engine import Connection

from einvoice.store.tables import AuditEntry


@dataclass(frozen=True, slots=True)
class Entry:
    """Who did what to what."""

    tenant_id: str
    at: datetime
    actor: str
    actor_kind: str
    email: str | None
    address: str | None
    action: str
    target: str
    detail: Mapping[str, Any]


def add(connection: Connection, entry: Entry) -> None:
    connection.execute(insert(AuditEntry).values(**asdict(entry)))
