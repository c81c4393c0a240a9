"""Single customers and suppliers: the models, and the match with a party of an invoice.

Reading, adding, changing and deleting an entry uses Flask-SQLAlchemy's session and the models of
store/tables, which count its versions. `find_by_party` and `has_any` run for every send and bill:
they are statements on a connection, without the cost of a transaction and an identity map.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.orm import Session

from einvoice.domain.directory import CUSTOMER, SUPPLIER, DirectoryEntry, EntryKind
from einvoice.store import db, tables
from einvoice.store.records import RecordColumns

Entry = tables.Customer | tables.Supplier

MODELS: dict[EntryKind, type[Entry]] = {CUSTOMER: tables.Customer, SUPPLIER: tables.Supplier}


# The columns of an entry of the domain, which have the names of its fields.
COLUMNS = {kind: RecordColumns(kind.entry, model) for kind, model in MODELS.items()}


def record(kind: EntryKind, entry: Entry) -> DirectoryEntry:
    """The domain's entry of a model."""
    return COLUMNS[kind].of(entry)


def find(
    session: Session, kind: EntryKind, tenant_id: str, entry_id: str, *, locked: bool = False
) -> Entry | None:
    """The tenant's entry; `locked` until the end of the transaction."""
    model: Any = MODELS[kind]
    query = select(model).where(model.id == entry_id, model.tenant_id == tenant_id)
    found: Entry | None = session.scalar(query.with_for_update() if locked else query)
    return found


def find_duplicate(
    session: Session,
    kind: EntryKind,
    tenant_id: str,
    tax_key: str | None,
    external_id: str | None,
    *,
    other_than: str,
) -> str | None:
    """The id of another entry with this tax id, else with this externalId."""
    model = MODELS[kind]
    for column, value in ((model.tax_key, tax_key), (model.external_id, external_id)):
        if value is not None:
            query = select(model.id).where(
                model.tenant_id == tenant_id, column == value, model.id != other_than
            )
            found = session.scalar(query)
            if found is not None:
                return found
    return None


def find_by_party(
    kind: EntryKind, tenant_id: str, *, peppol_key: str, tax_key: str | None, name_key: str | None
) -> DirectoryEntry | None:
    """The entry of a party: by participant id, else by tax id, else by name (decisions 19.16).

    Of several with the same participant id, one whose tax id or name matches, else the oldest. One
    statement for each key: for all three at once PostgreSQL reads the whole directory.
    """
    model = MODELS[kind]
    matches = (model.tax_key == tax_key, model.name_key == name_key)
    best_first = [sa.case((match, 0), else_=1) for match in matches]
    with db.reading() as connection:
        for column, key in (
            (model.peppol_key, peppol_key),
            (model.tax_key, tax_key),
            (model.name_key, name_key),
        ):
            if key is None:
                continue
            query = COLUMNS[kind].select().where(model.tenant_id == tenant_id, column == key)
            result = connection.execute(query.order_by(*best_first, model.created_at).limit(1))
            found = COLUMNS[kind].one_or_none(result)
            if found is not None:
                return found
    return None


def has_any(kind: EntryKind, tenant_id: str) -> bool:
    """Whether the tenant has an entry of the kind."""
    model = MODELS[kind]
    query = select(model.id).where(model.tenant_id == tenant_id).limit(1)
    with db.reading() as connection:
        return connection.execute(query).first() is not None
