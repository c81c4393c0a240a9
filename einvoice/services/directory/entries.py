"""The directory: customers and suppliers of a tenant, which complete sends and code bills.

A directory belongs to the tenant, not to one of its environments: a customer is the same company in
both.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.directory import (
    SUPPLIER,
    Customer,
    DirectoryEntry,
    EntryKind,
    EntrySource,
    Reachability,
    match_keys,
    name_key,
    tax_key,
)
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, DuplicateEntry, NotFound, PreconditionFailed
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.access_points import AccessPoints
from einvoice.services.account import audit
from einvoice.services.caches import Caches
from einvoice.services.participants import reachability
from einvoice.services.principal import Reader, Session
from einvoice.store import outbox, tables
from einvoice.store.core import db
from einvoice.store.directory import bulk, entries, pages
from einvoice.store.directory.entries import MODELS, Entry
from einvoice.store.directory.pages import CREATED, EntryFilter
from einvoice.store.directory.pages import NAME as NAME
from einvoice.store.directory.pages import Position as Position
from einvoice.store.inbound import received
from einvoice.store.sending import registrations

# -- one entry -------------------------------------------------------------------------------------


def create(
    kind: EntryKind,
    tenant_id: str,
    values: Mapping[str, Any],
    *,
    session: Session | None = None,
    caches: Caches | None = None,
) -> DirectoryEntry:
    """Add one entry; `values` are attributes among those of `kind.fields`.

    A participant id is looked up in the background. Raises `kind.duplicate`.
    """
    now, entry_id = clock.now(), str(uuid.uuid4())
    given = {name: _or_null(values.get(name)) for name in kind.fields.values()}
    given["address"] = _merged_address(None, values.get("address"))
    given["network_status"] = given.get("network_status") or _first_status(given["peppol_id"])
    given |= match_keys(given)
    entry = MODELS[kind](
        id=entry_id,
        tenant_id=tenant_id,
        source=EntrySource.MANUAL.value,
        network_asked_at=now if given["peppol_id"] else None,
        created_at=now,
        updated_at=now,
        **given,
    )
    try:
        with db.writing_session() as database:
            _check_participant(database, kind, tenant_id, entry_id, entry.peppol_key)
            database.add(entry)
            database.flush()
            if entry.peppol_id:
                reachability.plan_lookups(database.connection(), tenant_id, [entry_id], now)
            audit.record(database, tenant_id, session, f"{kind}.created", entry_id)
            created = entries.record(kind, entry)
    except IntegrityError:
        raise _duplicate(kind, tenant_id, given) from None
    if caches is not None:
        caches.tenants_with_customers.drop(tenant_id)
    return created


def _or_null(value: Any) -> Any:
    """Empty values are stored as NULL; 0 is a value."""
    return None if value in ("", {}) else value


def get(kind: EntryKind, tenant_id: str, entry_id: str) -> DirectoryEntry:
    """One entry of the tenant. Raises NotFound."""
    with db.reading_session() as database:
        return entries.record(kind, _found(database, kind, tenant_id, entry_id))


def _found(
    database: DatabaseSession,
    kind: EntryKind,
    tenant_id: str,
    entry_id: str,
    *,
    locked: bool = False,
) -> Entry:
    entry = entries.find(database, kind, tenant_id, entry_id, locked=locked)
    if entry is None:
        raise NotFound(f"There is no {kind} {entry_id}.")
    return entry


def change(
    kind: EntryKind,
    tenant_id: str,
    entry_id: str,
    patch: Mapping[str, Any],
    *,
    expected: Collection[int] | None = None,
    session: Reader | None = None,
) -> DirectoryEntry:
    """Set the attributes in the patch; None removes (RFC 7396).

    `expected` are the versions the caller has seen. Raises NotFound, PreconditionFailed and
    `kind.duplicate`.
    """
    try:
        with db.writing_session() as database:
            entry = _found(database, kind, tenant_id, entry_id, locked=True)
            _check_version(entry, expected)
            wanted = match_keys(patch)["peppol_key"]
            if wanted != entry.peppol_key:
                _check_participant(database, kind, tenant_id, entry_id, wanted)
            changed = _patched(kind, entry, patch)
            if changed:
                if "peppol_id" in changed:
                    _restart_lookup(database, entry, patch)
                database.flush()
                detail = {"fields": changed}
                audit.record(database, tenant_id, session, f"{kind}.changed", entry_id, detail)
            return entries.record(kind, entry)
    except IntegrityError:
        raise _duplicate(kind, tenant_id, match_keys(patch), entry_id) from None


def _check_version(entry: Entry, expected: Collection[int] | None) -> None:
    if expected is not None and entry.version not in expected:
        raise PreconditionFailed("The record was changed since you read it: read it again.")


def _check_participant(
    database: DatabaseSession, kind: EntryKind, tenant_id: str, entry_id: str, key: str | None
) -> None:
    """Raise `kind.duplicate` if the id has to be unique and another entry has it.

    Directories of earlier releases can have several such entries, so no constraint of the database
    ensures it: the directory is locked against other additions until the end of the transaction.
    """
    if key is None or not kind.unique_participant:
        return
    bulk.lock(database.connection(), tenant_id)
    existing = entries.find_duplicate(
        database, kind, tenant_id, "peppol_key", key, other_than=entry_id
    )
    if existing is not None:
        message = f"There is a {kind} with this peppolId already: change it, or merge the two."
        raise kind.duplicate(message, existing, "peppolId")


def _patched(kind: EntryKind, entry: Entry, patch: Mapping[str, Any]) -> list[str]:
    """Apply the patch; returns the changed attributes of `kind.fields`."""
    before = {name: getattr(entry, name) for name in kind.fields.values()}
    after = before | {name: _or_null(value) for name, value in patch.items()}
    if "address" in patch:
        after["address"] = _merged_address(entry.address, patch["address"])
    if "network_status" in after and after["network_status"] is None:
        after["network_status"] = _first_status(None)
    changed = [name for name in before if after[name] != before[name]]
    if changed:
        for name, value in {**after, **match_keys(after)}.items():
            setattr(entry, name, value)
        entry.updated_at = clock.now()
    return changed


def _restart_lookup(database: DatabaseSession, entry: Entry, patch: Mapping[str, Any]) -> None:
    """Reset the status after a change of the participant id, and plan a lookup of the new one."""
    entry.network_status = patch.get("network_status") or _first_status(entry.peppol_id)
    entry.network_checked_at = None
    entry.network_asked_at = entry.updated_at if entry.peppol_id else None
    if entry.peppol_id:
        connection = database.connection()
        reachability.plan_lookups(connection, entry.tenant_id, [entry.id], entry.updated_at)


def _merged_address(before: Mapping[str, Any] | None, patch: Mapping[str, Any] | None) -> object:
    if patch is None:
        return None
    merged = {**(before or {}), **patch}
    return {name: value for name, value in merged.items() if value} or None


def remove(
    kind: EntryKind,
    tenant_id: str,
    entry_id: str,
    *,
    expected: Collection[int] | None = None,
    session: Session | None = None,
) -> None:
    """Delete the entry; invoices are not touched. Raises NotFound, PreconditionFailed."""
    with db.writing_session() as database:
        entry = _found(database, kind, tenant_id, entry_id, locked=True)
        _check_version(entry, expected)
        database.delete(entry)
        database.flush()
        outbox.discard(database.connection(), entry_id)
        detail = {"name": entry.name}
        audit.record(database, tenant_id, session, f"{kind}.deleted", entry_id, detail)


def merge(
    kind: EntryKind,
    tenant_id: str,
    entry_id: str,
    other_id: str,
    *,
    session: Session | None = None,
) -> DirectoryEntry:
    """Merge another entry into this one: its bills and the values this one lacks; delete it.

    Bills that have no supplier because several had their sender's participant id get this one, if
    it is the only one now. Raises NotFound, and Conflict if both are the same entry.
    """
    if entry_id == other_id:
        raise Conflict(f"A {kind} cannot be merged with itself.")
    with db.writing_session() as database:
        locked = {  # in one order, so that two merges never wait for each other
            each: _found(database, kind, tenant_id, each, locked=True)
            for each in sorted((entry_id, other_id))
        }
        entry, other = locked[entry_id], locked[other_id]
        lacking = [name for name in kind.fields.values() if getattr(entry, name) is None]
        taken = {name: getattr(other, name) for name in lacking}
        database.delete(other)
        database.flush()  # its tax id and externalId are free now
        connection = database.connection()
        outbox.discard(connection, other_id)
        if "peppol_id" in _patched(kind, entry, taken):
            _restart_lookup(database, entry, taken)
        entry.updated_at = clock.now()
        database.flush()
        detail: dict[str, object] = {"merged": other_id, "name": other.name}
        if isinstance(entry, tables.Supplier):
            detail["bills"] = _take_bills(database, entry, other_id)
        else:
            received.move_self_billed(connection, tenant_id, other_id, entry_id)
        audit.record(database, tenant_id, session, f"{kind}.merged", entry_id, detail)
        return entries.record(kind, entry)


def _take_bills(database: DatabaseSession, entry: tables.Supplier, other_id: str) -> int:
    """Move the bills of a merged supplier, and assign the undecided ones; returns their number."""
    connection, tenant_id = database.connection(), entry.tenant_id
    bills = received.move_bills(connection, tenant_id, other_id, entry.id)
    key = entry.peppol_key
    others = entries.find_duplicate(
        database, SUPPLIER, tenant_id, "peppol_key", key, other_than=entry.id
    )
    if key is not None and others is None:
        account = entry.default_gl_account_code
        bills += received.assign_bills(connection, tenant_id, key, entry.id, account)
    return bills


def _first_status(peppol_id: str | None) -> str:
    """The status before the first lookup."""
    return (Reachability.CHECKING if peppol_id else Reachability.UNKNOWN).value


def _duplicate(
    kind: EntryKind, tenant_id: str, keys: Mapping[str, Any], other_than: str = ""
) -> DuplicateEntry:
    """The refusal for a tax id or externalId that another entry has."""
    tax, external = keys["tax_key"], keys["external_id"]
    message = f"There is a {kind} with this taxId or externalId already."
    with db.reading_session() as database:
        existing = entries.find_duplicate(
            database, kind, tenant_id, "tax_key", tax, other_than=other_than
        )
        if existing is not None:
            return kind.duplicate(message, existing, "taxId")
        existing = entries.find_duplicate(
            database, kind, tenant_id, "external_id", external, other_than=other_than
        )
    return kind.duplicate(message, existing or "", "externalId")


# -- lists -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EntryFilters:
    """Filters of a list; None means any. `name` is a part of the name, `text` of any field."""

    tax_id: str | None = None
    external_id: str | None = None
    peppol_id: ParticipantId | None = None
    country_code: str | None = None
    network_status: str | None = None
    updated_since: datetime | None = None
    text: str | None = None
    name: str | None = None
    with_participant: bool = False


@dataclass(frozen=True, slots=True)
class EntryPageRequest:
    """The page to read: size, order (store/directory/pages), and the position to start after."""

    limit: int
    order: str = CREATED
    descending: bool = True
    after: Position | None = None


def page(
    kind: EntryKind, tenant_id: str, filters: EntryFilters, part: EntryPageRequest
) -> pages.EntryPage:
    """A page of a directory. With an `end` it may have fewer entries than asked for."""
    return pages.page(
        kind,
        _wanted(tenant_id, filters),
        part.limit,
        order=part.order,
        descending=part.descending,
        after=part.after,
    )


def total(kind: EntryKind, tenant_id: str, filters: EntryFilters) -> int:
    """The number of entries on all pages; it reads each of them."""
    return pages.count(kind, _wanted(tenant_id, filters))


def _wanted(tenant_id: str, filters: EntryFilters) -> EntryFilter:
    return EntryFilter(
        tenant_id=tenant_id,
        # A text without a letter or digit is not a tax id and matches no entry.
        external_id=filters.external_id,
        tax_key=None if filters.tax_id is None else tax_key(filters.tax_id) or "",
        peppol_key=filters.peppol_id.canonical if filters.peppol_id else None,
        country_code=filters.country_code,
        network_status=filters.network_status,
        updated_since=filters.updated_since,
        texts=_texts(filters.text),
        name=None if filters.name is None else name_key(filters.name),
        with_participant=filters.with_participant,
    )


def _texts(text: str | None) -> Sequence[str]:
    """The text and, if it has digits, its form as a tax id: BE 0123.456 finds BE0123456749."""
    if text is None:
        return ()
    number = (tax_key(text) or "").lower() if any(c.isdigit() for c in text) else ""
    return tuple(dict.fromkeys(t for t in (name_key(text), number) if t))


# -- values for invoices ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InvoiceDefaults:
    """An entry with values for a new invoice: its dates and the accessPointRef."""

    entry: DirectoryEntry
    issue_date: date
    due_date: date | None
    environment: Environment
    access_point_ref: str | None


def invoice_defaults(
    kind: EntryKind,
    tenant_id: str,
    entry_id: str,
    issue_date: date,
    points: AccessPoints,
    environment: Environment | None = None,
) -> InvoiceDefaults:
    """The values of an entry for a new invoice. Raises NotFound."""
    entry = get(kind, tenant_id, entry_id)
    due = entry.due_date(issue_date) if isinstance(entry, Customer) else None
    reference = None
    participant = ParticipantId.parse(entry.peppol_id) if entry.peppol_id else None
    environment = environment or reachability.environment_of(tenant_id, participant, points)
    if participant is not None:
        reference = _last_reference(participant, tenant_id, environment)
    return InvoiceDefaults(entry, issue_date, due, environment, reference)


def _last_reference(
    participant: ParticipantId, tenant_id: str, environment: Environment
) -> str | None:
    """The accessPointRef of the last lookup that found the participant."""
    stored = registrations.all_of_participant(participant.canonical, tenant_id, environment.value)
    found = [record for record in stored if record.registered]
    return max(found, key=lambda record: record.checked_at).id if found else None
