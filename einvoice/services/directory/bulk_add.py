"""Adding the missing ones of many parties to a directory.

A party is in the directory if an entry has its tax id, else if one has its name, with any tax id
(decisions 19.12). Parties given twice are added once.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from einvoice.domain.directory import EntryKind, EntrySource
from einvoice.services.directory.entries import match_keys
from einvoice.services.participants import reachability
from einvoice.store.directory import bulk
from einvoice.store.directory.bulk import NewEntry

Party = Mapping[str, Any]  # by the names of the columns


def missing(
    connection: Connection, kind: EntryKind, tenant_id: str, parties: Sequence[Party]
) -> list[NewEntry]:
    """The parties that are not in the directory, each once, in the given order."""
    candidates = [_new_entry(party) for party in parties]
    keys = [(candidate.tax_key, candidate.name_key) for candidate in candidates]
    there = bulk.matched(connection, kind, tenant_id, keys)
    taken: set[tuple[str, str]] = set()
    new = []
    for place, candidate in enumerate(candidates):
        ways = {("name", candidate.name_key)}
        if candidate.tax_key is not None:
            ways.add(("tax", candidate.tax_key))
        if place not in there and taken.isdisjoint(ways):
            taken |= ways
            new.append(candidate)
    return new


def add_missing(
    connection: Connection,
    kind: EntryKind,
    tenant_id: str,
    parties: Sequence[Party],
    *,
    source: EntrySource,
    now: datetime,
) -> int:
    """Add the missing parties and plan their lookups; returns their number."""
    bulk.lock(connection, tenant_id)
    new = missing(connection, kind, tenant_id, parties)
    added = bulk.add_many(connection, kind, tenant_id, new, source=source.value, now=now)
    asked = [entry.id for entry in new if entry.peppol_key and entry.id in added]
    reachability.plan_lookups(connection, tenant_id, asked, now)
    return len(added)


def _new_entry(party: Party) -> NewEntry:
    keys = match_keys(party)
    del keys["external_id"]
    return NewEntry(id=str(uuid.uuid4()), values=party, **keys)
