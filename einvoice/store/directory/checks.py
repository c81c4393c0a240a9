"""Checks of reachability: the entries that a worker looks up, and the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from einvoice.domain.directory import EntryKind
from einvoice.store import outbox, tables
from einvoice.store.core import db, rows
from einvoice.store.directory.entries import MODELS


@dataclass(frozen=True, slots=True)
class ReachabilityCheck:
    """A directory entry whose participant a worker looks up."""

    outbox_id: int
    kind: EntryKind
    entry_id: str
    tenant_id: str
    peppol_id: str | None
    asked_at: datetime | None


def held(outbox_ids: Sequence[int], token: str, now: datetime) -> list[ReachabilityCheck]:
    """The checks of the rows that the token leases; none for deleted entries."""
    found: list[ReachabilityCheck] = []
    with db.reading() as connection:
        for kind, table in MODELS.items():
            query = (
                select(
                    tables.Outbox.id.label("outbox_id"),
                    table.id.label("entry_id"),
                    table.tenant_id,
                    table.peppol_id,
                    table.network_asked_at.label("asked_at"),
                )
                .join_from(tables.Outbox, table, table.id == tables.Outbox.subject_id)
                .where(
                    rows.in_values(tables.Outbox.id, outbox_ids),
                    tables.Outbox.kind == outbox.LOOKUP,
                    tables.Outbox.token == token,
                    tables.Outbox.lease_until > now,
                )
            )
            found += [
                ReachabilityCheck(kind=kind, **row) for row in connection.execute(query).mappings()
            ]
    return found


def drop(connection: Connection, outbox_ids: Sequence[int], token: str, now: datetime) -> None:
    """Delete the rows that are lookups; the lane has transmissions too."""
    if outbox_ids:
        connection.execute(
            delete(tables.Outbox).where(
                rows.in_values(tables.Outbox.id, outbox_ids),
                tables.Outbox.token == token,
                tables.Outbox.lease_until > now,
                tables.Outbox.kind == outbox.LOOKUP,
            )
        )


_CHECKED = """
UPDATE {table} SET network_status = x.status, network_checked_at = :now,
    updated_at = CASE WHEN {table}.network_status = x.status THEN {table}.updated_at ELSE :now END
FROM {{rows}} WHERE {table}.id = x.id AND {table}.peppol_key = x.peppol_key
"""


def write(
    connection: Connection,
    kind: EntryKind,
    answers: Iterable[tuple[str, str, str]],
    now: datetime,
) -> None:
    """Store results (entry id, participant key, status), unless the participant has changed."""
    rows.execute(
        connection,
        _CHECKED.format(table=MODELS[kind].__tablename__),
        {"id": rows.TEXT, "peppol_key": rows.TEXT, "status": rows.TEXT},
        ({"id": i, "peppol_key": key, "status": status} for i, key, status in answers),
        now=now,
    )
