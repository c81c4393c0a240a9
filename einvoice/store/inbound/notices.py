"""Notices: calls of access points about received documents and messages, in the order made.

A subject with notices has one outbox row. It is locked before notices are added or the last one is
removed, so none is left without a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.invoice import SELF_BILLED
from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Invoice, Notice, Outbox, Received
from einvoice.store.tables.received import SENDERS_ID

FORWARDED = "forwarded"  # of network/messages.Step
_PREFIX = "ntc_"


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A call that is still to be made."""

    id: int
    subject_id: str
    step: str
    attempts: int
    created_at: datetime


_NOTICE = RecordColumns(DueNotice, Notice)


def add(
    connection: Connection,
    *,
    subject_id: str,
    step: str,
    tenant_id: str,
    access_point: str,
    now: datetime,
) -> None:
    """Add a notice and make the subject's row due, inside the caller's transaction.

    The caller holds a lock of the subject, so that two steps do not make two rows.
    """
    row = _PREFIX + subject_id
    locked = connection.execute(
        update(Outbox).where(Outbox.subject_id == row).values(lane=outbox.PLUGINS)
    )
    values = {"subject_id": subject_id, "step": step, "attempts": 0, "created_at": now}
    connection.execute(upsert(connection, Notice).values(values).on_conflict_do_nothing())
    if locked.rowcount:
        outbox.make_due(connection, row, now)
        return
    outbox.enqueue(
        connection,
        kind=outbox.NOTICE,
        lane=outbox.PLUGINS,
        subject_id=row,
        tenant_id=tenant_id,
        due_at=now,
        access_point=access_point,
    )


_ADD_NEW = """
INSERT INTO notices (subject_id, step, attempts, created_at)
SELECT x.subject_id, :step, 0, :now FROM {rows}
"""
_ENQUEUE_NEW = """
INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at)
SELECT :kind, :lane, x.row_subject, x.tenant_id, x.access_point, :now FROM {rows}
"""
_NEW_COLUMNS = {
    "subject_id": rows.TEXT,
    "row_subject": rows.TEXT,
    "tenant_id": rows.TEXT,
    "access_point": rows.TEXT,
}


def add_first(
    connection: Connection, subjects: Sequence[tuple[str, str, str]], step: str, now: datetime
) -> None:
    """Add the first notice of subjects that this transaction has made, and their rows of work.

    subjects  (subject id, tenant id, access point) of each
    """
    if not subjects:
        return
    new = [
        {"subject_id": i, "row_subject": _PREFIX + i, "tenant_id": tenant, "access_point": point}
        for i, tenant, point in subjects
    ]
    rows.execute(connection, _ADD_NEW, _NEW_COLUMNS, new, step=step, now=now)
    kind, lane = outbox.NOTICE, outbox.PLUGINS
    rows.execute(connection, _ENQUEUE_NEW, _NEW_COLUMNS, new, kind=kind, lane=lane, now=now)


def first_of(row_subjects: Iterable[str]) -> dict[str, DueNotice]:
    """The oldest notice of each outbox row, by the subject of the row; rows without are missing."""
    by_subject = {each.removeprefix(_PREFIX): each for each in row_subjects}
    query = _NOTICE.select().where(rows.in_values(Notice.subject_id, by_subject))
    with db.reading_by_key() as connection:
        found = _NOTICE.all(connection.execute(query.order_by(Notice.id.desc())))
    return {by_subject[notice.subject_id]: notice for notice in found}


def left_among(connection: Connection, row_subjects: Iterable[str]) -> set[str]:
    """The subjects, of outbox rows that the caller has locked, that have a notice."""
    by_subject = {each.removeprefix(_PREFIX): each for each in row_subjects}
    query = select(Notice.subject_id).where(rows.in_values(Notice.subject_id, by_subject))
    return {by_subject[subject] for subject in connection.execute(query).scalars()}


def remove(connection: Connection, notice_ids: Iterable[int]) -> None:
    connection.execute(delete(Notice).where(rows.in_values(Notice.id, notice_ids)))


def count_failure(connection: Connection, notice_id: int) -> None:
    connection.execute(
        update(Notice).where(Notice.id == notice_id).values(attempts=Notice.attempts + 1)
    )


def count_failing() -> int:
    """How many calls have failed and are made again."""
    with db.reading() as connection:
        return connection.execute(
            select(sa.func.count(Notice.id)).where(Notice.attempts > 0)
        ).scalar_one()


@dataclass(frozen=True, slots=True)
class FollowedDocument:
    """A received document whose access point follows it."""

    invoice_id: str
    tenant_id: str
    environment: str
    access_point: str
    instance_id: str
    sender: str
    receiver: str | None
    document_type: str
    process: str
    inbound_state: dict[str, str] | None
    connection_id: str | None
    created_at: datetime
    receiver_country: str | None
    findings: Any


_FOLLOWED = RecordColumns(
    FollowedDocument,
    Received,
    instance_id=SENDERS_ID,
    sender=Invoice.sender,
    receiver=Invoice.receiver,
    receiver_country=sa.case(
        (Invoice.kind.in_(SELF_BILLED), Invoice.supplier_country), else_=Invoice.buyer_country
    ),
    findings=Invoice.findings,
)


def followed(invoice_ids: Iterable[str]) -> dict[str, FollowedDocument]:
    """The received documents of notices, of any tenants, by invoice id; what is not there is
    missing."""
    query = _FOLLOWED.select().join(Invoice, Invoice.id == Received.invoice_id)
    with db.reading_by_key() as connection:
        found = _FOLLOWED.all(
            connection.execute(query.where(rows.in_values(Received.invoice_id, invoice_ids)))
        )
    return {document.invoice_id: document for document in found}


def forward(connection: Connection, invoice_ids: Iterable[str], now: datetime) -> None:
    """Add the notice that documents were forwarded, to those that are followed, once."""
    forwarded = (
        update(Received)
        .where(
            rows.in_values(Received.invoice_id, invoice_ids),
            Received.inbound_state.is_not(None),
            Received.forwarded_at.is_(None),
        )
        .values(forwarded_at=now)
        .returning(Received.invoice_id, Received.tenant_id, Received.access_point)
    )
    for row in connection.execute(forwarded).all():
        add(
            connection,
            subject_id=row.invoice_id,
            step=FORWARDED,
            tenant_id=row.tenant_id,
            access_point=row.access_point,
            now=now,
        )


def lock_followed(connection: Connection, invoice_id: str) -> FollowedDocument | None:
    """The document, locked until the commit; None if its access point does not follow it."""
    query = _FOLLOWED.select().join(Invoice, Invoice.id == Received.invoice_id)
    return _FOLLOWED.one_or_none(
        connection.execute(
            query.where(
                Received.invoice_id == invoice_id, Received.inbound_state.is_not(None)
            ).with_for_update(of=Received)
        )
    )
