"""Adding the missing ones of many parties to a directory.

A party is in the directory if an entry has its tax id, else if one has its name, with any tax id
(decisions 19.12). Parties given twice are added once. Where a participant id is unique (EntryKind),
a second party that has it is added without.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice.domain.directory import EntryKind, EntrySource, match_keys
from einvoice.services.directory.candidates import Candidate
from einvoice.services.participants import reachability
from einvoice.store.directory import bulk
from einvoice.store.directory.bulk import NewEntry


def missing(
    connection: Connection, kind: EntryKind, tenant_id: str, candidates: Sequence[Candidate]
) -> dict[int, NewEntry]:
    """The candidates that are not in the directory, each once, by their places in this order."""
    keys = [(candidate.tax_key, candidate.name_key) for candidate in candidates]
    there = bulk.matched(connection, kind, tenant_id, keys)
    taken: set[tuple[str, str]] = set()
    new: dict[int, NewEntry] = {}
    for place, candidate in enumerate(candidates):
        ways = {("name", candidate.name_key)}
        if candidate.tax_key is not None:
            ways.add(("tax", candidate.tax_key))
        if place not in there and taken.isdisjoint(ways):
            taken |= ways
            new[place] = _new_entry(candidate)
    return _without_taken_ids(connection, kind, tenant_id, new) if kind.unique_participant else new


def _without_taken_ids(
    connection: Connection, kind: EntryKind, tenant_id: str, new: Mapping[int, NewEntry]
) -> dict[int, NewEntry]:
    """The entries, without a participant id that an entry or an earlier one of them has."""
    ids = [entry.peppol_key for entry in new.values() if entry.peppol_key]
    taken = bulk.taken_participants(connection, kind, tenant_id, ids)
    kept: dict[int, NewEntry] = {}
    for place, entry in new.items():
        kept[place] = _without_id(entry) if entry.peppol_key in taken else entry
        if entry.peppol_key:
            taken.add(entry.peppol_key)
    return kept


def _without_id(entry: NewEntry) -> NewEntry:
    values = {**entry.values, "peppol_id": None}
    return replace(entry, values=values, peppol_key=None, search=match_keys(values)["search"])


def add_missing(
    connection: Connection,
    kind: EntryKind,
    tenant_id: str,
    candidates: Sequence[Candidate],
    *,
    source: EntrySource,
    now: datetime,
) -> int:
    """Add the missing candidates and plan their lookups; returns their number."""
    bulk.lock(connection, tenant_id)
    new = list(missing(connection, kind, tenant_id, candidates).values())
    added = bulk.add_many(connection, kind, tenant_id, new, source=source.value, now=now)
    asked = [entry.id for entry in new if entry.peppol_key and entry.id in added]
    reachability.plan_lookups(connection, tenant_id, asked, now)
    return len(added)


def _new_entry(candidate: Candidate) -> NewEntry:
    return NewEntry(
        id=str(uuid.uuid4()),
        values=candidate.values,
        name_key=candidate.name_key,
        tax_key=candidate.tax_key,
        peppol_key=candidate.peppol_key,
        search=candidate.search,
    )
