"""Transmissions: loading leased work, passing the fence, settling once.

What a transmission carries is an invoice, or a message, which has none (store/messages).

The fence is the one guard that keeps a document from being sent twice: `queued` becomes
`submitting` in a commit of its own, only for the holder of a live lease, right before the bytes
leave. Settling is guarded by the number the fence gave, and happens once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection
from sqlalchemy.orm import InstrumentedAttribute, aliased

from einvoice.domain import ids
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.trace import Trace
from einvoice.store import tables
from einvoice.store.archive import archived
from einvoice.store.archive.archived import Part
from einvoice.store.core import db, rows
from einvoice.store.core.postgresql import AS_BYTES
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Invoice, Message, Outbox, Registration, Transmission


@dataclass(frozen=True, slots=True)
class Work:
    """A transmission with everything that its next step and its envelope need.

    invoice_id  of a message: the document that it answers; empty if it answers none
    tenant_id   empty for a message of the access point itself
    number      of the invoice; of a message the plugin's key
    kind        of a message: the kind of artefact that it becomes; None: it is a document
    """

    outbox_id: int
    id: str
    invoice_id: str
    tenant_id: str
    environment: str
    access_point: str
    document_type: str
    process: str
    profile: str | None
    sender_country: str | None
    receiver_country: str | None
    receiver_email: str | None
    status: str
    phase: str
    attempts: int
    fence: int
    retry_until: datetime
    message_id: str | None
    prepared: bytes | None
    prepared_state: dict[str, str] | None
    pending: dict[str, Any] | None
    created_at: datetime
    reason: str | None
    registration_id: str | None
    registration_checked_at: datetime | None
    number: str
    sender: str
    receiver: str | None
    document: bytes
    network_document: bytes | None = None
    embed_pdf: str | None = None
    buyer_name: str | None = None
    buyer_country: str | None = None
    buyer_tax_id: str | None = None
    buyer_ids: dict[str, Any] | None = None
    connection_id: str | None = None
    sequence_key: str | None = None
    # Since when its row was outside of the lanes, and when it became due again.
    paused_at: datetime | None = None
    due_at: datetime | None = None
    trace: Trace | None = None
    archived_at: datetime | None = None
    kind: str | None = None

    @property
    def carried(self) -> bytes:
        """The document to submit, in the form of the network.

        That of an invoice in the archive raises DocumentDropped, ArchiveUnavailable and
        ArchiveDamaged.
        """
        if self.archived_at is None:
            return self.document if self.network_document is None else self.network_document
        parts = archived.parts_of_invoice(self.invoice_id)
        return (parts.get(Part.NETWORK_DOCUMENT) or parts[Part.DOCUMENT]).read()

    @property
    def source(self) -> bytes | None:
        """The UBL of what is submitted in another form; None if it is in the archive."""
        has_both = self.archived_at is None and self.network_document is not None
        return self.document if has_both else None


def _columns(outbox_id: Any, paused_at: Any, due_at: Any) -> RecordColumns[Work]:
    return RecordColumns(
        Work,
        Transmission,
        outbox_id=outbox_id,
        paused_at=paused_at,
        due_at=due_at,
        registration_checked_at=Registration.checked_at,
        number=Invoice.number,
        sender=Invoice.sender,
        receiver=Invoice.receiver,
        buyer_name=Invoice.buyer_name,
        buyer_country=Invoice.buyer_country,
        buyer_tax_id=Invoice.buyer_tax_id,
        buyer_ids=Invoice.buyer_ids,
        document=Invoice.document,
        network_document=Invoice.network_document,
        embed_pdf=Invoice.embed_pdf,
        archived_at=Invoice.archived_at,
    )


def _message_columns(outbox_id: Any, paused_at: Any, due_at: Any) -> RecordColumns[Work]:
    return RecordColumns(
        Work,
        Transmission,
        outbox_id=outbox_id,
        paused_at=paused_at,
        due_at=due_at,
        invoice_id=sa.func.coalesce(Message.invoice_id, ""),
        tenant_id=sa.func.coalesce(Transmission.tenant_id, ""),
        profile=sa.literal(""),
        registration_checked_at=sa.null(),
        number=Message.key,
        sender=Message.sender,
        receiver=Message.receiver,
        document=Message.document,
        network_document=sa.null(),
        embed_pdf=sa.null(),
        buyer_name=sa.null(),
        buyer_country=sa.null(),
        buyer_tax_id=sa.null(),
        buyer_ids=sa.null(),
        archived_at=sa.null(),
        kind=Message.kind,
    )


def _select(columns: RecordColumns[Work]) -> sa.Select[Any]:
    return (
        columns.select()
        .select_from(Transmission)
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .outerjoin(Registration, Registration.id == Transmission.registration_id)
    )


def _select_messages(columns: RecordColumns[Work]) -> sa.Select[Any]:
    joined = columns.select().select_from(Transmission)
    return joined.join(Message, Message.id == Transmission.id)


_LEASED = _columns(Outbox.id, Outbox.paused_at, Outbox.due_at)
_UNLEASED = _columns(sa.literal(0), sa.null(), sa.null())
_LEASED_MESSAGE = _message_columns(Outbox.id, Outbox.paused_at, Outbox.due_at)
_UNLEASED_MESSAGE = _message_columns(sa.literal(0), sa.null(), sa.null())
_WITH_ROW = Outbox.subject_id == Transmission.id
_SELECT_LEASED = _select(_LEASED).join(Outbox, _WITH_ROW)
_SELECT_LEASED_MESSAGES = _select_messages(_LEASED_MESSAGE).join(Outbox, _WITH_ROW)
_SELECT_UNLEASED = _select(_UNLEASED)
_SELECT_UNLEASED_MESSAGES = _select_messages(_UNLEASED_MESSAGE)


def _held(leased: sa.Select[Any]) -> sa.Select[Any]:
    held = leased.where(
        rows.in_parameter(Outbox.id, "ids"),
        Outbox.token == sa.bindparam("holder"),
        Outbox.lease_until > sa.bindparam("now"),
    )
    return held.order_by(Outbox.id).execution_options(**AS_BYTES)


_HELD, _HELD_MESSAGES = _held(_SELECT_LEASED), _held(_SELECT_LEASED_MESSAGES)


def held(outbox_ids: Sequence[int], token: str, now: datetime) -> list[Work]:
    """The transmissions of the rows that the token leases, in the order of the rows."""
    given = {"ids": outbox_ids, "holder": token, "now": now}
    with db.reading() as connection:
        found = _LEASED.all(connection.execute(_HELD, given))
        if len(found) == len(outbox_ids):
            return found
        found += _LEASED_MESSAGE.all(connection.execute(_HELD_MESSAGES, given))
    return sorted(found, key=lambda work: work.outbox_id)


_WAITING = aliased(Outbox)
_AFTER = (
    _SELECT_LEASED.where(
        Outbox.id
        == select(sa.func.min(_WAITING.id))
        .join(tables.Sequence, tables.Sequence.id == _WAITING.waits_for)
        .where(tables.Sequence.holder == sa.bindparam("holder"))
        .scalar_subquery()
    )
).execution_options(**AS_BYTES)


def next_after(transmission_id: str) -> Work | None:
    """The document that waits for this one in its sequence; None if there is none."""
    with db.reading_by_key() as connection:
        return _LEASED.one_or_none(connection.execute(_AFTER, {"holder": transmission_id}))


def find(transmission_id: str) -> Work | None:
    """A transmission of any tenant, of a document or a message."""
    this = Transmission.id == transmission_id
    with db.reading() as connection:
        found = _UNLEASED.one_or_none(connection.execute(_SELECT_UNLEASED.where(this)))
        if found is not None:
            return found
        message = connection.execute(_SELECT_UNLEASED_MESSAGES.where(this))
        return _UNLEASED_MESSAGE.one_or_none(message)


@dataclass(frozen=True, slots=True)
class Ending:
    """The columns that a final outcome writes into the row of a transmission."""

    settled_at: datetime | None
    delivered_means: str | None
    error_code: str | None


_ENDING = RecordColumns(Ending, Transmission)


def ending(transmission_id: str) -> Ending:
    """The final outcome of a stored transmission, of any tenant."""
    query = _ENDING.select().where(Transmission.id == transmission_id)
    with db.reading() as connection:
        return _ENDING.one(connection.execute(query))


# Written out, as the index has it: a planner does not see through a parameter.
PENDING_REFERENCE = "(transmissions.pending ->> 'reference')"


def by_reference(access_point: str, reference: str) -> Work | None:
    """The transmission of an access point with this id or instance id, or whose Pending has this
    reference; documents before messages."""
    pending = sa.text(f"{PENDING_REFERENCE} = :reference").bindparams(reference=reference)
    own = (reference, ids.of_instance(reference), ids.message_of_instance(reference))
    kinds = ((_UNLEASED, _SELECT_UNLEASED), (_UNLEASED_MESSAGE, _SELECT_UNLEASED_MESSAGES))
    with db.reading_by_key() as connection:
        for where in (Transmission.id.in_(own), pending):
            for columns, select_all in kinds:
                query = select_all.where(Transmission.access_point == access_point, where)
                found = columns.all(connection.execute(query.limit(1)))
                if found:
                    return found[0]
    return None


def by_invoice(
    access_point: str,
    scope: tuple[str, str],
    number: str,
    parties: tuple[str, str],
    issue_date: date | None,
) -> Work | None:
    """The newest transmission of a sent invoice at an access point.

    scope       tenant and environment
    parties     sender and receiver in canonical spelling
    issue_date  of several invoices with the number the one of this date is taken, if there is one
    """
    sender, receiver = parties
    query = _sent(scope, number, issue_date, Invoice.created_at).where(
        sa.func.lower(Invoice.sender) == sender.lower(),
        sa.func.lower(Invoice.receiver) == receiver.lower(),
        Invoice.transmission_id == Transmission.id,
        Transmission.access_point == access_point,
    )
    with db.reading_by_key() as connection:
        return _UNLEASED.one_or_none(connection.execute(query))


def by_number(
    connection_id: str, scope: tuple[str, str], number: str, issue_date: date | None
) -> Work | None:
    """The newest transmission by a connection of an invoice with this number.

    scope       tenant and environment
    issue_date  of several invoices with the number the one of this date is taken, if there is one
    """
    query = _sent(scope, number, issue_date, Transmission.created_at).where(
        Transmission.connection_id == connection_id
    )
    with db.reading_by_key() as connection:
        return _UNLEASED.one_or_none(connection.execute(query))


def _sent(
    scope: tuple[str, str],
    number: str,
    issue_date: date | None,
    created_at: InstrumentedAttribute[datetime],
) -> sa.Select[Any]:
    """The newest transmission of a sent invoice with this number, first of the one of the date."""
    of_the_date = sa.case((Invoice.issue_date == issue_date, 0), else_=1)
    return (
        _SELECT_UNLEASED.where(
            Invoice.tenant_id == scope[0],
            Invoice.environment == scope[1],
            Invoice.number == number,
            Invoice.direction == "sent",
        )
        .order_by(of_the_date, created_at.desc())
        .limit(1)
    )


def received_by_number(
    access_point: str,
    scope: tuple[str, str],
    number: str,
    issue_date: date | None,
    seller: str,
) -> Work | None:
    """The newest document with this number that an access point has handed over.

    scope   tenant and environment
    seller  part of the sender's id, or of the seller's tax number
    """
    query = (
        _SELECT_UNLEASED.where(
            Invoice.tenant_id == scope[0],
            Invoice.environment == scope[1],
            Transmission.access_point == access_point,
            Invoice.number == number,
            Invoice.direction == "received",
            sa.or_(
                Invoice.sender.contains(seller, autoescape=True),
                Invoice.supplier_tax_id.contains(seller, autoescape=True),
            ),
        )
        .order_by(
            sa.case((Invoice.issue_date == issue_date, 0), else_=1), Transmission.created_at.desc()
        )
        .limit(1)
    )
    with db.reading_by_key() as connection:
        found = _UNLEASED.all(connection.execute(query))
    return found[0] if found else None


def end_failure(
    connection: Connection, transmission_id: str, tenant_id: str, at: datetime, by: str
) -> bool:
    """Store that nothing is left to do about a failure; False if it is stored already."""
    ended = (
        sa.update(Transmission)
        .where(
            Transmission.id == transmission_id,
            Transmission.tenant_id == tenant_id,
            Transmission.status == NetworkStatus.FAILED.value,
            Transmission.failure_done_at.is_(None),
        )
        .values(failure_done_at=at, failure_done_by=by)
    )
    return connection.execute(ended).rowcount == 1


def needing_attention(limit: int) -> list[Work]:
    """Transmissions that need an operator, oldest first."""
    with db.reading_by_key() as connection:
        found = [
            work
            for columns, select_all in (
                (_UNLEASED, _SELECT_UNLEASED), (_UNLEASED_MESSAGE, _SELECT_UNLEASED_MESSAGES),
            )
            for work in columns.all(connection.execute(
                select_all.where(Transmission.attention)
                .order_by(Transmission.created_at).limit(limit)
            ))
        ]  # fmt: skip
    return sorted(found, key=lambda work: work.created_at)[:limit]


def parked(connection_id: str | None, limit: int) -> list[Work]:
    """Transmissions that wait for their connection (None: for any), those that wait longest first.

    `paused_at` as read from the row.
    """
    by = Outbox.parked_by.is_not(None) if connection_id is None else (
        Outbox.parked_by == connection_id)  # fmt: skip
    kinds = ((_LEASED, _SELECT_LEASED), (_LEASED_MESSAGE, _SELECT_LEASED_MESSAGES))
    with db.reading_by_key() as connection:
        found = [
            work
            for columns, select_all in kinds
            for work in columns.all(connection.execute(
                select_all.where(by).order_by(Outbox.paused_at, Outbox.id).limit(limit)
            ))
        ]  # fmt: skip
    return sorted(found, key=lambda work: (work.paused_at or work.created_at, work.outbox_id))[
        :limit
    ]


_EXTEND = "UPDATE transmissions SET retry_until = x.until FROM {rows} WHERE transmissions.id = x.id"


def extend_retries(connection: Connection, until: Mapping[str, datetime]) -> None:
    """Set until when each of the transmissions is submitted again."""
    values = ({"id": key, "until": moment} for key, moment in until.items())
    rows.execute(connection, _EXTEND, {"id": rows.TEXT, "until": rows.MOMENT}, values)


@dataclass(frozen=True, slots=True)
class PreparedTransmission:
    """A transmission with the prepared bytes, before the fence."""

    work: Work
    message_id: str
    content: bytes | None
    state: Mapping[str, str] = field(default_factory=dict)


# IS TRUE hides the status from the planner, which would otherwise read all open transmissions by
# the index of the status, instead of looking up the few ids.
_FENCE = """
UPDATE transmissions SET phase = 'submitting', attempts = attempts + 1, fence = fence + 1,
    message_id = x.message_id, prepared_state = x.state,
    submitted_at = COALESCE(submitted_at, :now)
FROM {rows} WHERE transmissions.id = x.id AND (status = 'Processing') IS TRUE AND phase = 'queued'
RETURNING transmissions.id, transmissions.attempts, transmissions.fence
"""
_FENCE_COLUMNS = {"id": rows.TEXT, "message_id": rows.TEXT, "state": rows.JSON}
_PREPARED = (
    update(Transmission)
    .where(Transmission.id == sa.bindparam("of"), Transmission.prepared.is_(None))
    .values(prepared=sa.bindparam("content"))
)


def fence(
    connection: Connection, ready: Sequence[PreparedTransmission], now: datetime
) -> dict[str, tuple[int, int]]:
    """Pass the fence; returns `{transmission id: (attempt, fence)}` of those to submit.

    The caller has extended the lease in this transaction (outbox.extend), whose lock keeps the row
    from being leased again before the fence is committed. A transmission missing from the result
    belongs to another worker and must not be submitted. Prepared bytes that differ from the
    document are stored here, before the first attempt.
    """
    prepared = [
        {"of": item.work.id, "content": item.content}
        for item in ready
        if item.content is not None and item.work.prepared is None
    ]
    if prepared:
        connection.execute(_PREPARED, prepared)
    passed = rows.execute(
        connection,
        _FENCE,
        _FENCE_COLUMNS,
        (
            {
                "id": item.work.id,
                "message_id": item.message_id,
                "state": dict(item.state),
            }
            for item in ready
        ),
        now=now,
    )
    return {row.id: (row.attempts, row.fence) for row in passed.all()}


@dataclass(frozen=True, slots=True)
class Settlement:
    """The new state of a transmission.

    fence            the number under which it was submitted
    delivered_means  who has it, where the access point says so of this document
    """

    id: str
    fence: int
    status: NetworkStatus
    phase: Phase
    settled_at: datetime | None = None
    reason: str | None = None
    reason_code: str | None = None
    error_code: str | None = None
    upstream_status: int | None = None
    retryable: bool | None = None
    rejected: bool = False
    attention: bool = False
    pending: Mapping[str, object] | None = None
    delivered_means: str | None = None


# Only Processing can change: this condition is what makes Delivered and Failed final.
_SETTLE = """
UPDATE transmissions SET status = x.status, phase = x.phase, settled_at = x.settled_at,
    reason = x.reason, reason_code = x.reason_code, error_code = x.error_code,
    upstream_status = x.upstream_status, retryable = x.retryable, rejected = x.rejected,
    attention = x.attention, pending = x.pending, delivered_means = x.delivered_means
FROM {rows} WHERE transmissions.id = x.id AND transmissions.fence = x.fence
    AND (transmissions.status = 'Processing') IS TRUE
RETURNING transmissions.id, EXISTS (
    SELECT 1 FROM submissions WHERE submissions.invoice_id = transmissions.invoice_id) AS as_xml
"""
_SETTLEMENT_COLUMNS = {
    "id": rows.TEXT, "fence": rows.INT, "status": rows.TEXT, "phase": rows.TEXT,
    "settled_at": rows.MOMENT, "reason": rows.TEXT, "reason_code": rows.TEXT,
    "error_code": rows.TEXT, "upstream_status": rows.INT, "retryable": rows.BOOL,
    "rejected": rows.BOOL, "attention": rows.BOOL, "pending": rows.JSON,
    "delivered_means": rows.TEXT,
}  # fmt: skip


def settle(connection: Connection, settlements: Iterable[Settlement]) -> dict[str, bool]:
    """Store outcomes; returns the ids of the transmissions that this settled, each with whether
    the document was submitted as XML."""
    settled = rows.execute(
        connection,
        _SETTLE,
        _SETTLEMENT_COLUMNS,
        ({name: getattr(item, name) for name in _SETTLEMENT_COLUMNS} for item in settlements),
    )
    return {row.id: bool(row.as_xml) for row in settled.all()}


def lock(connection: Connection, transmission_id: str) -> None:
    """Lock the row of a transmission until the caller's commit."""
    row = select(Transmission.id).where(Transmission.id == transmission_id)
    connection.execute(row.with_for_update())


def set_attention(connection: Connection, transmission_id: str, needed: bool) -> bool:
    """Set whether an operator has to look at it; whether that was otherwise before."""
    changed = connection.execute(
        update(Transmission)
        .where(Transmission.id == transmission_id, Transmission.attention.is_(not needed))
        .values(attention=needed)
    )
    return bool(changed.rowcount)


def set_follow_up(
    connection: Connection, transmission_id: str, pending: Mapping[str, object] | None
) -> None:
    """Store how to poll for later evidence of a delivered document."""
    connection.execute(
        update(Transmission)
        .where(
            Transmission.id == transmission_id,
            Transmission.status == NetworkStatus.DELIVERED.value,
        )
        .values(pending=pending)
    )


def set_pending(connection: Connection, work: Work, pending: Mapping[str, object]) -> bool:
    """Replace what a transmission waits for; False if it has changed since `work` was read.

    The fence is incremented, so that a result of the earlier wait is discarded.
    """
    changed = connection.execute(
        update(Transmission)
        .where(
            Transmission.id == work.id,
            Transmission.fence == work.fence,
            Transmission.status == work.status,
            Transmission.phase == work.phase,
        )
        .values(pending=pending, fence=Transmission.fence + 1)
    )
    return bool(changed.rowcount)


_ATTEMPT = """
INSERT INTO attempts (transmission_id, number, started_at, ended_at, outcome, detail)
SELECT x.id, x.number, x.started_at, x.ended_at, x.outcome, x.detail FROM {rows}
WHERE true ON CONFLICT DO NOTHING
"""
_ATTEMPT_COLUMNS = {
    "id": rows.TEXT, "number": rows.INT, "started_at": rows.MOMENT, "ended_at": rows.MOMENT,
    "outcome": rows.TEXT, "detail": rows.TEXT,
}  # fmt: skip


def record_attempts(connection: Connection, attempts: Iterable[Mapping[str, object]]) -> None:
    """Store attempts: id, number, started_at, ended_at, outcome, detail."""
    rows.execute(connection, _ATTEMPT, _ATTEMPT_COLUMNS, attempts)


# -- waiting requests ------------------------------------------------------------------------------


def open_phases(ids: Iterable[str]) -> dict[str, Phase]:
    """The phases of those ids that are Processing and whose request may still wait."""
    query = select(Transmission.id, Transmission.phase).where(
        rows.in_values(Transmission.id, ids),
        Transmission.status == NetworkStatus.PROCESSING.value,
        Transmission.answered.is_(None),
    )
    with db.reading() as connection:
        return {row.id: Phase(row.phase) for row in connection.execute(query)}
