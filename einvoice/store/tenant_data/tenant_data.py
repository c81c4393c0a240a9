"""The tables that hold a tenant's data, read in pages of one snapshot and written by an import.

Every table of the schema is exported, or listed in LEFT_OUT with the reason; so is every column
(tests/store/test_tenant_data.py). Documents are read in the order of their list, and with each page
the rows that belong to them, by the index on their invoice; everything else by its key. No query
reads a page that it has read before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.store import tables
from einvoice.store.archive import archived
from einvoice.store.archive.archived import LazyContent
from einvoice.store.core import db, rows
from einvoice.store.invoices import ended

PAGE = 500
MAX_READ_ROWS, MAX_READ_BYTES = 100, 8 * 1024 * 1024  # whose bytes are read at once


@dataclass(frozen=True, slots=True)
class Family:
    """A table in an export.

    left_out  columns that are secrets, belong to this installation, or are in files
    key       the columns by which it is read in pages, after the tenant
    files     columns of bytes, each a file
    secrets   columns that only the last file of a move has, sealed with the key of the move
    """

    name: str
    table: sa.Table
    key: tuple[str, ...] = ("id",)
    left_out: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    @property
    def columns(self) -> list[sa.Column[Any]]:
        """The columns of a row, without bytes."""
        gone = {*self.left_out, *self.files, *_OF_ARCHIVE}
        return [one for one in self.table.columns if one.name not in gone]


# Where bytes lie in this installation; they are exported wherever that is.
_OF_ARCHIVE = frozenset({"archived_at"})


def _family(
    model: type[db.Base],
    *key: str,
    left_out: Sequence[str] = (),
    files: Sequence[str] = (),
) -> Family:
    table = model.__table__
    assert isinstance(table, sa.Table)  # noqa: S101 - for the type checker
    return Family(table.name, table, key or ("id",), frozenset(left_out), tuple(files))


_CREDENTIAL_SECRETS = ("digest",)

INVOICES = _family(
    tables.Invoice, "environment", "created_at", "id",
    files=("original", "document", "network_document"),
)  # fmt: skip
TRANSMISSIONS = _family(tables.Transmission, files=("prepared",))
ARTEFACTS = _family(tables.Artefact, files=("content",))
RECEIVED = _family(tables.Received, "invoice_id", left_out=("inbound_state",), files=("receipt",))
ATTEMPTS = _family(tables.Attempt, "transmission_id", "number")
NETWORK_FINDINGS = _family(tables.NetworkFindings, "transmission_id")
BATCHES = _family(tables.Batch)
BATCH_ITEMS = _family(tables.BatchItem, "batch_id", "position")
# Who owns the tenant, and on which terms, is a matter of each installation.
TENANTS = _family(
    tables.Tenant,
    left_out=("platform_id", "external_id", "sandbox_only", "suspended_at", "suspension_reason",
              "get_per_minute", "post_per_minute", "plan", "held_at", "moved_to"),
)  # fmt: skip
# The networks are asked by each installation whether they name it.
PARTICIPANTS = _family(
    tables.Participant,
    left_out=("publication", "publication_reason", "publication_text", "publication_since",
              "publication_checked_at", "publication_doubted_at", "publication_due_at"),
)  # fmt: skip
CONNECTIONS = _family(
    tables.Connection, "created_at", "id",
    left_out=("credentials", "plugin_state", "state_version", "lease_token", "lease_until",
              "throttled_until", "consent_id"),
)  # fmt: skip
WEBHOOK_ENDPOINTS = _family(
    tables.WebhookEndpoint,
    left_out=("secret", "signing_secret", "old_signing_secret", "old_signing_until",
              "older_signing_secret", "older_signing_until", "failing_since", "responsive",
              "timeouts", "backoff_until"),
)  # fmt: skip
CUSTOMERS = _family(tables.Customer, "created_at", "id")
SUPPLIERS = _family(tables.Supplier, "created_at", "id")
# The page of a draft is one of this installation.
DRAFTS = _family(tables.InvoiceDraft, "created_at", "id", left_out=("page",))
DRAFT_FILES = _family(tables.DraftFile, files=("file",))
PERIOD_REPORTS = _family(tables.PeriodReport, files=("document",))
SHARE_LINKS = _family(tables.ShareLink, left_out=("digest",))
EVENTS = _family(tables.Event, "environment", "sequence")
AUDIT_ENTRIES = _family(tables.AuditEntry, "sequence")
AUDIT_SEALS = _family(tables.AuditSeal, "number")
API_KEYS = _family(tables.ApiKey, "created_at", "id", left_out=_CREDENTIAL_SECRETS)
OAUTH_CLIENTS = _family(
    tables.OAuthClient, "created_at", "id",
    left_out=(*_CREDENTIAL_SECRETS, "old_digest", "old_until", "older_digest", "older_until"),
)  # fmt: skip

# In the order of an import: what others refer to comes first.
FAMILIES: tuple[Family, ...] = (
    TENANTS,
    PARTICIPANTS,
    _family(tables.Registration, "environment", "participant"),
    CONNECTIONS,
    WEBHOOK_ENDPOINTS,
    API_KEYS,
    OAUTH_CLIENTS,
    CUSTOMERS,
    SUPPLIERS,
    DRAFTS,
    DRAFT_FILES,
    INVOICES,
    _family(tables.Submission, "invoice_id"),
    TRANSMISSIONS,
    ATTEMPTS,
    NETWORK_FINDINGS,
    ARTEFACTS,
    RECEIVED,
    _family(tables.BillArrival),
    _family(tables.SupplierAccount, "environment", "supplier_key", "account"),
    _family(tables.BillResponse),
    _family(tables.ReceiverResponse),
    _family(tables.Payment),
    PERIOD_REPORTS,
    SHARE_LINKS,
    _family(tables.ArchiveHold, "placed_at", "id"),
    EVENTS,
    _family(tables.IdempotencyKey, "environment", "space", "key"),
    BATCHES,
    BATCH_ITEMS,
    AUDIT_ENTRIES,
    AUDIT_SEALS,
)
BY_NAME = {family.name: family for family in FAMILIES}

# -- of a tenant that moves ------------------------------------------------------------------------

# Written whole into the last file of a move, with their secrets: until then the other installation
# can do nothing in the name of the tenant.
_SETTLED_LAST = (CONNECTIONS, WEBHOOK_ENDPOINTS, API_KEYS, OAUTH_CLIENTS)
_OF_OTHER_LEASES = {"lease_token", "lease_until"}
_MOVED_SECRETS: Mapping[str, tuple[str, ...]] = {
    "connections": ("credentials", "plugin_state"),
    "shared_consents": ("credentials",),
    "webhook_endpoints": ("secret", "signing_secret", "old_signing_secret", "older_signing_secret"),
    "api_keys": ("digest",),
    "oauth_clients": ("digest", "old_digest", "older_digest"),
}


def _moved(family: Family) -> Family:
    """The family with all of its columns but leases."""
    leases = frozenset(_OF_OTHER_LEASES & {column.name for column in family.table.columns})
    return replace(family, left_out=leases, secrets=_MOVED_SECRETS.get(family.name, ()))


# Documents that are being sent go on at the other installation, from where they are.
OUTBOX = _family(tables.Outbox, left_out=("token", "lease_until"))
SEQUENCES = _family(tables.Sequence)
MOVED_LAST: tuple[Family, ...] = (
    _moved(_family(tables.SharedConsent)),
    *(_moved(family) for family in _SETTLED_LAST),
    _family(tables.MailboxCursor, "connection_id"),
    SEQUENCES,
    OUTBOX,
    AUDIT_SEALS,
)
# Families whose changes are noted one by one while a tenant moves: rows without a tenant belong to
# rows of these, and change with them.
_DEPENDENTS: Mapping[str, tuple[Family, str]] = {
    "invoices": (BY_NAME["submissions"], "invoice_id"),
    "transmissions": (ATTEMPTS, "transmission_id"),
    "batches": (BATCH_ITEMS, "batch_id"),
}
WATCHED: tuple[Family, ...] = tuple(
    family
    for family in FAMILIES
    if family.name not in {"tenants", "audit_seals", "submissions", "attempts", "batch_items"}
    and family not in _SETTLED_LAST
)
# What was deleted since the file before, by its primary key; a family of no table of the schema.
DELETED = Family(
    "deleted",
    sa.Table(
        "deleted",
        sa.MetaData(),
        sa.Column("family", sa.String(40), nullable=False),
        sa.Column("key", sa.JSON, nullable=False),
    ),
)
# Families of the files of a move after the first one, in the order in which they are stored: those
# of MOVED_LAST at once, when the tenant is opened.
OF_CHANGES: Mapping[str, Family] = {
    DELETED.name: DELETED,
    **{one.name: one for one in FAMILIES if one not in {*_SETTLED_LAST, AUDIT_SEALS}},
}
OF_LAST: Mapping[str, Family] = {**OF_CHANGES, **{one.name: one for one in MOVED_LAST}}

# Tables that are not exported, and why.
LEFT_OUT: Mapping[str, str] = {
    "answered_posts": "what this installation answered, kept for 30 days",
    "archive_later": "work of this installation",
    "archive_objects": "where bytes lie at this installation; they are exported as files",
    "archive_parts": "the same; proofs of files that were dropped are in their rows",
    "archive_walks": "work of this installation",
    "audit_heads": "signed with the key of this installation",
    "collected_documents": "read again from the documents by the installation that reports",
    "connection_consents": "begun in a browser at this installation",
    "connection_links": "addresses of this installation",
    "ended_counts": "counts of documents that were deleted at this installation",
    "identification_files": "what its platform at this installation has, with its own retention",
    "identifications": "what its platform at this installation says",
    "invoice_blocks": "counts, made by each installation; an import forgets them",
    "letters": "e-mails of this installation to people",
    "mail_domains": "names and keys in DNS that this installation signs with",
    "mailboxes": "the position of this installation",
    "messages": "what they send is an artefact of its document",
    "notices": "work of this installation",
    "operator_keys": "keys of the operators of this installation",
    "outbox": "work of this installation",
    "participant_entries": "what this installation has published",
    "plan_counts": "counts of the plan that the tenant has at this installation",
    "platforms": "accounts of this installation that own tenants",
    "plugin_duties": "work of this installation",
    "plugin_records": "of plugins, without a tenant",
    "plugin_values": "of plugins, without a tenant",
    "preferences": "of people, who log in at this installation",
    "recoveries": "of this installation",
    "sequences": "documents that are being sent here",
    "service_states": "of this installation",
    "shared_consents": "secrets of this installation",
    "tenant_changes": "of this installation, while the tenant leaves it",
    "tenant_exports": "of this installation",
    "tenant_imports": "of this installation",
    "tenant_moves": "of this installation, while the tenant leaves it",
    "web_sessions": "logins of people at this installation",
    "webhook_deliveries": "the log of deliveries by this installation, kept for 30 days",
}

# Read with each page of invoices, by these columns.
_OF_INVOICE = ("submissions", "transmissions", "artefacts", "received", "bill_arrivals",
               "bill_responses", "receiver_responses", "payments", "share_links",
               "network_findings")  # fmt: skip
_WITH_OTHERS = {*_OF_INVOICE, "attempts", "invoices", "batch_items", "tenants"}


# -- reading ---------------------------------------------------------------------------------------


@contextmanager
def snapshot() -> Iterator[Connection]:
    """A transaction in which every query sees the database as the first one does."""
    with db.db.engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with connection.begin():
                yield connection
            return
        connection = connection.execution_options(read_only=True)
        connection.exec_driver_sql("BEGIN")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("ROLLBACK")


def count_invoices(connection: Connection, tenant_id: str) -> int:
    """How many documents the tenant has."""
    query = sa.select(sa.func.count()).where(tables.Invoice.tenant_id == tenant_id)
    return connection.execute(query).scalar_one()


def tenant_row(connection: Connection, tenant_id: str) -> Mapping[str, Any] | None:
    """The tenant's own row."""
    query = sa.select(*TENANTS.columns).where(TENANTS.table.c.id == tenant_id)
    return next(iter(_dicts(connection, query)), None)


def invoice_pages(connection: Connection, tenant_id: str) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The rows of all documents, oldest first in each environment."""
    for environment in ("live", "test"):
        of_environment = INVOICES.table.c.environment == environment
        yield from _pages(connection, INVOICES, tenant_id, ("created_at", "id"), of_environment)


def with_invoices(
    connection: Connection, invoice_ids: Sequence[str]
) -> Iterator[tuple[Family, Mapping[str, Any]]]:
    """The rows of other tables that belong to these documents, which the caller has chosen."""
    transmissions: list[str] = []
    for name in _OF_INVOICE:
        family = BY_NAME[name]
        for row in _of(connection, family, family.table.c.invoice_id, invoice_ids):
            if family is TRANSMISSIONS:
                transmissions.append(row["id"])
            yield family, row
    for row in _of(connection, ATTEMPTS, ATTEMPTS.table.c.transmission_id, transmissions):
        yield ATTEMPTS, row


def other_rows(
    connection: Connection, tenant_id: str
) -> Iterator[tuple[Family, Mapping[str, Any]]]:
    """The rows of all other families."""
    for family in FAMILIES:
        if family.name in _WITH_OTHERS:
            continue
        for page in _pages(connection, family, tenant_id, family.key):
            yield from ((family, row) for row in page)
            if family is BATCHES:
                ids = [row["id"] for row in page]
                for row in _of(connection, BATCH_ITEMS, BATCH_ITEMS.table.c.batch_id, ids):
                    yield BATCH_ITEMS, row


def rows_of(connection: Connection, family: Family, tenant_id: str) -> Iterator[Mapping[str, Any]]:
    """All rows of a family."""
    for page in _pages(connection, family, tenant_id, family.key):
        yield from page


def by_keys(
    connection: Connection, family: Family, tenant_id: str, keys: Sequence[tuple[Any, ...]]
) -> list[Mapping[str, Any]]:
    """The rows of the tenant with these primary keys, those of them that are there."""
    primary = list(family.table.primary_key.columns)
    place = primary[0] if len(primary) == 1 else sa.tuple_(*primary)
    wanted = [key[0] for key in keys] if len(primary) == 1 else list(keys)
    query = sa.select(*family.columns).where(
        family.table.c.tenant_id == tenant_id, place.in_(wanted)
    )
    found: list[Mapping[str, Any]] = list(_dicts(connection, query))
    return sorted(found, key=lambda row: tuple(row[name] for name in family.key))


def dependents(
    connection: Connection, family: Family, page: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Family, Mapping[str, Any]]]:
    """The rows without a tenant that belong to rows of a watched family."""
    if family.name in _DEPENDENTS:
        other, column = _DEPENDENTS[family.name]
        ids = [row["id"] for row in page]
        for row in _of(connection, other, other.table.c[column], ids):
            yield other, row


def primary_key(family: Family, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The primary key of a row, in the order of its columns."""
    return tuple(row[column.name] for column in family.table.primary_key.columns)


def delete_by_keys(
    connection: Connection, family: Family, tenant_id: str, keys: Sequence[tuple[Any, ...]]
) -> None:
    """Delete the rows of the tenant with these primary keys, and what belongs to a document."""
    if family is INVOICES:
        own = known_ids(connection, INVOICES, tenant_id, {key[0] for key in keys})
        ended.delete_rows(connection, sorted(own))
        return
    primary = list(family.table.primary_key.columns)
    place = primary[0] if len(primary) == 1 else sa.tuple_(*primary)
    wanted = [key[0] for key in keys] if len(primary) == 1 else list(keys)
    if family is BATCHES:
        connection.execute(
            sa.delete(BATCH_ITEMS.table).where(BATCH_ITEMS.table.c.batch_id.in_(wanted))
        )
    connection.execute(
        sa.delete(family.table).where(family.table.c.tenant_id == tenant_id, place.in_(wanted))
    )


def _pages(
    connection: Connection,
    family: Family,
    tenant_id: str,
    key: Sequence[str],
    *conditions: sa.ColumnElement[bool],
) -> Iterator[Sequence[Mapping[str, Any]]]:
    columns = [family.table.c[name] for name in key]
    query = sa.select(*family.columns).where(family.table.c.tenant_id == tenant_id, *conditions)
    query = query.order_by(*columns).limit(PAGE)
    place: tuple[Any, ...] | None = None
    while True:
        page = query if place is None else query.where(sa.tuple_(*columns) > place)
        found = _dicts(connection, page)
        if found:
            yield found
        if len(found) < PAGE:
            return
        place = tuple(found[-1][name] for name in key)


def _of(
    connection: Connection, family: Family, column: sa.Column[Any], values: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    if not values:
        return
    query = sa.select(*family.columns).where(rows.in_values(column, values))
    # Sorted here: SQLite would read the whole table in that order instead of looking rows up.
    found = _dicts(connection, query)
    yield from sorted(found, key=lambda row: tuple(row[name] for name in family.key))


def _dicts(connection: Connection, query: sa.Select[Any]) -> list[dict[str, Any]]:
    found = connection.execute(query)
    names = list(found.keys())
    return [dict(zip(names, row, strict=True)) for row in found]


def with_contents(
    connection: Connection, family: Family, page: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, LazyContent]]]:
    """Rows of a family with its columns of bytes; those that are NULL are left out.

    Bytes in rows are read for several rows at once, at most MAX_READ_BYTES or one row; those in the
    archive when they are asked for.
    """
    key = family.key[-1]
    sizes = _sizes(connection, family, [row[key] for row in page])
    for part in _parts(page, key, sizes):
        contents = _contents(connection, family, [row[key] for row in part])
        yield from ((row, contents[row[key]]) for row in part)


def _sizes(connection: Connection, family: Family, ids: Sequence[str]) -> Mapping[str, int]:
    """How many bytes the columns of bytes of each row have."""
    key = family.table.c[family.key[-1]]
    size = sum((_length(family.table.c[name]) for name in family.files), start=sa.literal(0))
    found = connection.execute(sa.select(key, size).where(rows.in_values(key, sorted(ids))))
    return {row[0]: row[1] for row in found}


def _length(column: sa.Column[Any]) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.length(column), 0)


def _parts(
    page: Iterable[Mapping[str, Any]], key: str, sizes: Mapping[str, int]
) -> Iterator[list[Mapping[str, Any]]]:
    """The rows in their order, in parts whose bytes are read at once."""
    part: list[Mapping[str, Any]] = []
    size = 0
    for row in page:
        more = sizes.get(row[key], 0)
        if part and (size + more > MAX_READ_BYTES or len(part) == MAX_READ_ROWS):
            yield part
            part, size = [], 0
        part.append(row)
        size += more
    if part:
        yield part


def _contents(
    connection: Connection, family: Family, ids: Sequence[str]
) -> Mapping[str, Mapping[str, LazyContent]]:
    """The columns of bytes of rows, by the key of the row and their names."""
    table = family.table.c
    key, names = table[family.key[-1]], family.files
    archived_at = table.archived_at if "archived_at" in table else sa.null()
    query = sa.select(key, archived_at, *(table[name] for name in names))
    found = connection.execute(query.where(rows.in_values(key, sorted(ids)))).all()
    away = archived.placed([row[0] for row in found if row[1] is not None])
    contents: dict[str, dict[str, LazyContent]] = {}
    for row_id, moved_at, *own in found:
        contents[row_id] = {
            name: LazyContent(content)
            for name, content in zip(names, own, strict=True)
            if content is not None and moved_at is None
        }
    for (owner_id, name), place in away.items():
        contents[owner_id][name] = LazyContent(None, place)
    return contents


def known_ids(
    connection: Connection, family: Family, tenant_id: str, ids: Collection[str]
) -> set[str]:
    """Which of these ids are of rows of the tenant; the key of the family is its id."""
    key = family.table.c.id
    query = sa.select(key).where(
        rows.in_values(key, sorted(ids)), family.table.c.tenant_id == tenant_id
    )
    return set(connection.execute(query).scalars())
