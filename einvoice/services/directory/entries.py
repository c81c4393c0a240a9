"""The directory: customers and suppliers of a tenant, by whom sends and bills are filled in.

It belongs to the tenant, not to one of its environments: a customer is the same company in both.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from einvoice import clock
from einvoice.domain.directory import (
    Customer,
    DirectoryEntry,
    DirectoryKind,
    EntrySource,
    Reachability,
    Supplier,
    name_key,
    search_text,
    tax_key,
)
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    DuplicateCustomer,
    DuplicateEntry,
    DuplicateSupplier,
    NotFound,
    PreconditionFailed,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.registry import AccessPoints
from einvoice.services.account import audit
from einvoice.services.caches import Caches
from einvoice.services.participants import reachability
from einvoice.services.principal import Session
from einvoice.store import db, outbox, registrations
from einvoice.store.directory import entries, pages
from einvoice.store.directory.pages import CREATED, Wanted
from einvoice.store.directory.pages import NAME as NAME
from einvoice.store.directory.pages import Position as Position

_DUPLICATES: dict[DirectoryKind, type[DuplicateEntry]] = {
    DirectoryKind.CUSTOMER: DuplicateCustomer,
    DirectoryKind.SUPPLIER: DuplicateSupplier,
}
# What people write in an entry; all else the service keeps.
COMMON = (
    "name", "tax_id", "peppol_id", "country_code", "email", "phone", "external_id", "address",
)  # fmt: skip
OWN = {
    DirectoryKind.CUSTOMER: (
        "default_currency_code",
        "default_payment_terms_days",
        "buyer_reference",
    ),
    DirectoryKind.SUPPLIER: ("default_gl_account_code", "network_status"),
}


# -- one entry -------------------------------------------------------------------------------------


def create(
    kind: DirectoryKind,
    tenant_id: str,
    said: Mapping[str, Any],
    *,
    session: Session | None = None,
    caches: Caches | None = None,
) -> DirectoryEntry:
    """Add an entry by hand; `said` holds what of COMMON and OWN was given.

    A participant id is looked up in the background. Raises DuplicateCustomer, DuplicateSupplier.
    """
    now, entry_id = clock.now(), str(uuid.uuid4())
    values = {name: _given(said.get(name)) for name in (*COMMON, *OWN[kind])}
    values["address"] = _merged(None, said.get("address"))
    values["network_status"] = said.get("network_status") or _unknown(values["peppol_id"])
    values |= keys_of(values) | {
        "id": entry_id,
        "tenant_id": tenant_id,
        "source": EntrySource.MANUAL.value,
        "version": 1,
        "network_asked_at": now if values["peppol_id"] else None,
        "created_at": now,
        "updated_at": now,
    }
    with db.writing() as connection:
        if values["peppol_id"]:
            reachability.plan_lookups(connection, tenant_id, [entry_id], now)
        if not entries.add(connection, kind, values):
            raise _duplicate(connection, kind, tenant_id, values)
        audit.record(connection, tenant_id, session, f"{kind}.created", entry_id)
        entry = found(connection, kind, tenant_id, entry_id)
    if caches is not None:
        caches.tenants_with_customers.drop(tenant_id)
    return entry


def _given(value: Any) -> Any:
    """What says nothing is kept as nothing; 0 says something."""
    return None if value in ("", {}) else value


def get(kind: DirectoryKind, tenant_id: str, entry_id: str) -> DirectoryEntry:
    """One entry of the tenant. Raises NotFound."""
    with db.reading() as connection:
        return found(connection, kind, tenant_id, entry_id)


def found(
    connection: Connection,
    kind: DirectoryKind,
    tenant_id: str,
    entry_id: str,
    *,
    locked: bool = False,
) -> DirectoryEntry:
    """The same inside the caller's transaction."""
    entry = entries.find(connection, kind, tenant_id, entry_id, locked=locked)
    if entry is None:
        raise NotFound(f"There is no {kind} {entry_id}.")
    return entry


def change(
    kind: DirectoryKind,
    tenant_id: str,
    entry_id: str,
    patch: Mapping[str, Any],
    *,
    expected: Collection[int] | None = None,
    session: Session | None = None,
) -> DirectoryEntry:
    """Set what the patch names and remove what it names as None (RFC 7396).

    `expected` are the versions the caller has seen. Raises NotFound, PreconditionFailed,
    DuplicateCustomer, DuplicateSupplier.
    """
    try:
        with db.writing() as connection:
            entry = found(connection, kind, tenant_id, entry_id, locked=True)
            _check_version(entry, expected)
            changed = _write(connection, kind, tenant_id, entry, patch)
            if changed:
                detail = {"fields": changed}
                audit.record(connection, tenant_id, session, f"{kind}.changed", entry_id, detail)
            return found(connection, kind, tenant_id, entry_id)
    except IntegrityError:
        # Another entry took the tax id or externalId between our look and our write.
        with db.reading() as connection:
            raise _duplicate(connection, kind, tenant_id, keys_of(patch), entry_id) from None


def _check_version(entry: DirectoryEntry, expected: Collection[int] | None) -> None:
    if expected is not None and entry.version not in expected:
        raise PreconditionFailed("The record was changed since you read it: read it again.")


def _write(
    connection: Connection,
    kind: DirectoryKind,
    tenant_id: str,
    entry: DirectoryEntry,
    patch: Mapping[str, Any],
) -> list[str]:
    """Apply the patch; the columns that it changed."""
    before = {name: getattr(entry, name) for name in (*COMMON, *OWN[kind])}
    after = before | {name: _given(value) for name, value in patch.items()}
    if "address" in patch:
        after["address"] = _merged(entry.address, patch["address"])
    if after.get("network_status", "") is None:
        after["network_status"] = _unknown(None)
    changed = [name for name in before if after[name] != before[name]]
    if not changed:
        return changed
    now = clock.now()
    after |= keys_of(after) | {"updated_at": now}
    peppol_id = after["peppol_id"]
    if peppol_id != before["peppol_id"]:
        after["network_status"] = patch.get("network_status") or _unknown(peppol_id)
        after["network_checked_at"] = None
        after["network_asked_at"] = now if peppol_id else None
        if peppol_id:
            reachability.plan_lookups(connection, tenant_id, [entry.id], now)
    _refuse_duplicate(connection, kind, tenant_id, after, entry.id)
    entries.change(connection, kind, entry, tenant_id, after)
    return changed


def _merged(before: Mapping[str, Any] | None, patch: Mapping[str, Any] | None) -> object:
    if patch is None:
        return None
    merged = {**(before or {}), **patch}
    return {name: value for name, value in merged.items() if value} or None


def remove(
    kind: DirectoryKind,
    tenant_id: str,
    entry_id: str,
    *,
    expected: Collection[int] | None = None,
    session: Session | None = None,
) -> None:
    """Delete the entry; invoices are not touched. Raises NotFound, PreconditionFailed."""
    with db.writing() as connection:
        entry = found(connection, kind, tenant_id, entry_id, locked=True)
        _check_version(entry, expected)
        entries.remove(connection, kind, tenant_id, entry_id)
        outbox.discard(connection, entry_id)
        detail = {"name": entry.name}
        audit.record(connection, tenant_id, session, f"{kind}.deleted", entry_id, detail)


def keys_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry is found and matched by."""
    tax = tax_key(said.get("tax_id"))
    peppol = said.get("peppol_id")
    shown = (said.get("name"), said.get("tax_id"), tax, peppol, said.get("email"))
    return {
        "external_id": said.get("external_id"),
        "name_key": name_key(said.get("name") or ""),
        "tax_key": tax,
        "peppol_key": ParticipantId.parse(peppol).canonical if peppol else None,
        "search": search_text(shown),
    }


def _unknown(peppol_id: str | None) -> str:
    """The status before anybody has looked."""
    return (Reachability.CHECKING if peppol_id else Reachability.UNKNOWN).value


def _refuse_duplicate(
    connection: Connection, kind: DirectoryKind, tenant_id: str, keys: Mapping[str, Any], but: str
) -> None:
    taken = (keys["tax_key"], keys["external_id"])
    if entries.duplicate(connection, kind, tenant_id, *taken, but=but):
        raise _duplicate(connection, kind, tenant_id, keys, but)


def _duplicate(
    connection: Connection,
    kind: DirectoryKind,
    tenant_id: str,
    keys: Mapping[str, Any],
    but: str = "",
) -> DuplicateEntry:
    taken = (keys["tax_key"], keys["external_id"])
    existing = entries.duplicate(connection, kind, tenant_id, *taken, but=but) or ""
    words = f"There is a {kind} with this taxId or externalId already."
    return _DUPLICATES[kind](words, existing)


# -- lists -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filters:
    """Which entries are asked for; None is no matter."""

    tax_id: str | None = None
    peppol_id: ParticipantId | None = None
    country_code: str | None = None
    network_status: str | None = None
    updated_since: datetime | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part of them: so many behind a position, in an order of store/directory/pages."""

    limit: int
    order: str = CREATED
    descending: bool = True
    after: Position | None = None


def page(kind: DirectoryKind, tenant_id: str, filters: Filters, part: Slice) -> pages.Page:
    """A page of a directory; with an `end` it may be short (store/directory/pages)."""
    return pages.page(
        kind,
        _wanted(tenant_id, filters),
        part.limit,
        order=part.order,
        descending=part.descending,
        after=part.after,
    )


def total(kind: DirectoryKind, tenant_id: str, filters: Filters) -> int:
    """How many entries there are in all pages together; it costs a count."""
    return pages.count(kind, _wanted(tenant_id, filters))


def _wanted(tenant_id: str, filters: Filters) -> Wanted:
    return Wanted(
        tenant_id=tenant_id,
        # What has no letter or digit is no tax id: it is nobody's.
        tax_key=None if filters.tax_id is None else tax_key(filters.tax_id) or "",
        peppol_key=filters.peppol_id.canonical if filters.peppol_id else None,
        country_code=filters.country_code,
        network_status=filters.network_status,
        updated_since=filters.updated_since,
        texts=_texts(filters.text),
    )


def _texts(text: str | None) -> Sequence[str]:
    """As it is written, and where it has digits as a tax id too: BE 0123.456 finds BE0123456749."""
    if text is None:
        return ()
    number = (tax_key(text) or "").lower() if any(c.isdigit() for c in text) else ""
    return tuple(dict.fromkeys(t for t in (name_key(text), number) if t))


# -- what invoices take from it --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InvoiceDefaults:
    """An entry with what depends on the invoice: its dates, and the reference to send by."""

    entry: DirectoryEntry
    issue_date: date
    due_date: date | None
    environment: Environment
    access_point_ref: str | None


def invoice_defaults(
    kind: DirectoryKind,
    tenant_id: str,
    entry_id: str,
    issue_date: date,
    points: AccessPoints,
    environment: Environment | None = None,
) -> InvoiceDefaults:
    """What to fill a new invoice in with. Raises NotFound."""
    entry = get(kind, tenant_id, entry_id)
    due = entry.due_date(issue_date) if isinstance(entry, Customer) else None
    reference = None
    participant = ParticipantId.parse(entry.peppol_id) if entry.peppol_id else None
    environment = environment or reachability.environment_of(tenant_id, participant, points)
    if participant is not None:
        known = registrations.of_participant(participant.canonical, tenant_id, environment.value)
        reference = known.id if known is not None and known.registered else None
    return InvoiceDefaults(entry, issue_date, due, environment, reference)


def customer_of(
    tenant_id: str, receiver: ParticipantId, tax_id: str | None, name: str, caches: Caches
) -> Customer | None:
    """The customer a send goes to: by receiver id, then tax id, then name (decisions 19.16).

    That a tenant has no customers is cached.
    """
    if not caches.tenants_with_customers.get(
        tenant_id, lambda: entries.has_any(DirectoryKind.CUSTOMER, tenant_id)
    ):
        return None
    return cast(
        "Customer | None", _of_party(DirectoryKind.CUSTOMER, tenant_id, receiver, tax_id, name)
    )


def supplier_of(
    tenant_id: str, sender: ParticipantId, tax_id: str | None, name: str
) -> Supplier | None:
    """The supplier a bill comes from, found in the same way."""
    return cast(
        "Supplier | None", _of_party(DirectoryKind.SUPPLIER, tenant_id, sender, tax_id, name)
    )


def _of_party(
    kind: DirectoryKind, tenant_id: str, participant: ParticipantId, tax_id: str | None, name: str
) -> DirectoryEntry | None:
    return entries.of_party(
        kind,
        tenant_id,
        peppol_key=participant.canonical,
        tax_key=tax_key(tax_id),
        name=name_key(name) or None,
    )
