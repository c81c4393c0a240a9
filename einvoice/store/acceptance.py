"""Acceptance and answer: the only module that writes across tables in one statement.

`accept` writes invoice, transmission, outbox row and idempotency key, all or nothing: on PostgreSQL
one data-modifying statement. `accept_many` does the same for any number of documents, set by set in
one transaction, on both databases. `answer` fixes once and for all how the sending request was
answered (decisions 0.1).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import SendAnswer
from einvoice.store import db, events, rows
from einvoice.store.events import NewEvent
from einvoice.store.tables import (
    IdempotencyKey,
    Invoice,
    Outbox,
    Submission,
    Transmission,
)


@dataclass(frozen=True, slots=True)
class NewSend:
    """All that one accepted document writes. Times and ids are given, nothing is invented here."""

    invoice_id: str
    transmission_id: str
    tenant_id: str
    environment: str
    kind: str
    number: str
    issue_date: date
    due_date: date | None
    currency: str
    subtotal: Decimal
    tax_amount: Decimal
    grand_total: Decimal
    payable: Decimal
    supplier_name: str
    buyer_name: str
    sender: str
    receiver: str
    rule_pack: str
    findings: Sequence[Mapping[str, object]]
    warnings: Sequence[Mapping[str, object]]
    duplicate_warning: Mapping[str, object]
    original_type: str
    original: bytes
    document: bytes
    access_point: str
    registration_id: str | None
    document_type: str
    process: str
    sender_country: str | None
    receiver_country: str | None
    answered: str | None
    answer_by: datetime | None
    retry_until: datetime
    lane: str
    created_at: datetime
    space: str = "send"
    key: str | None = None
    fingerprint: str = ""
    reject_duplicates: bool = False
    supplier_tax_id: str | None = None
    buyer_tax_id: str | None = None
    embed_pdf: str | None = None  # due
    submitted: Submitted | None = None

    @property
    def scope(self) -> KeyScope | None:
        """Where its key means something; None without a key."""
        if self.key is None:
            return None
        return KeyScope(self.tenant_id, self.environment, self.space, self.key)

    @property
    def name(self) -> tuple[str, str]:
        """What two sends of one invoice have in common."""
        return self.number, self.sender


@dataclass(frozen=True, slots=True)
class Submitted:
    """What a document that came as XML writes besides: how it came, and the event that tells so."""

    form: str
    network: str
    took_ms: int
    event: NewEvent


@dataclass(frozen=True, slots=True)
class KeyScope:
    """Where an Idempotency-Key means something: tenant, environment, family of routes."""

    tenant_id: str
    environment: str
    space: str
    key: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Written down. `duplicate_of`: an earlier invoice of this number and sender, not Failed."""

    duplicate_of: str | None


@dataclass(frozen=True, slots=True)
class Taken:
    """The key was accepted before, for this invoice."""

    invoice_id: str
    transmission_id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The tenant refuses numbers it has sent before; nothing was written."""

    invoice_id: str


Result = Accepted | Taken | Duplicate


def accept(send: NewSend) -> Result:
    """Write the document down, once for each key. Safe to call any number of times at once."""
    if not db.is_postgresql() or send.submitted is not None:
        return accept_many([send])[0]
    while True:
        result = _accept_postgresql(send)
        if result is not None:
            return result  # None: the key was taken and has been released since


# One statement, one commit. `k` decides: no row from it and nothing else is written.
# The casts are for values that may be NULL or are JSON: in a SELECT their type is not implied.
# `same` is materialized: otherwise LIMIT 1 tempts the planner to walk all of a tenant's invoices in
# the order of their creation until one has the number. IS TRUE hides the sender likewise:
# before the first statistics the index of senders, of whom there are few, looks as good as that of
# numbers. BETWEEN is equality in words that leave `number` in the order asked for, which only the
# index of numbers has: so it is taken from the first send on, before any statistics.
_SAME = """
    SELECT id, transmission_id, created_at FROM invoices
    WHERE tenant_id = %(tenant_id)s AND environment = %(environment)s
      AND number BETWEEN %(number)s AND %(number)s AND (sender = %(sender)s) IS TRUE
    ORDER BY number, created_at
"""
_EARLIER = """
    SELECT same.id FROM same JOIN transmissions t ON t.id = same.transmission_id
    WHERE t.status NOT IN ('Failed', 'Received') ORDER BY same.created_at LIMIT 1
"""
_KEY = """
    INSERT INTO idempotency_keys (tenant_id, environment, space, key, fingerprint, invoice_id,
        transmission_id, created_at)
    SELECT %(tenant_id)s, %(environment)s, %(space)s, %(key)s, %(fingerprint)s, %(invoice_id)s,
        %(transmission_id)s, %(created_at)s
    WHERE NOT (%(reject_duplicates)s AND EXISTS (SELECT 1 FROM earlier))
    ON CONFLICT DO NOTHING RETURNING 1
"""
_NO_KEY = "SELECT 1 WHERE NOT (%(reject_duplicates)s AND EXISTS (SELECT 1 FROM earlier))"
_POSTGRESQL = """
WITH same AS MATERIALIZED ({same}), earlier AS ({earlier}), k AS ({key}), i AS (
    INSERT INTO invoices (id, tenant_id, environment, direction, kind, number, issue_date, due_date,
        currency, subtotal, tax_amount, grand_total, payable, supplier_name, buyer_name, sender,
        receiver, transmission_id, rule_pack, findings, warnings, created_at, original_type,
        original, document, embed_pdf, supplier_tax_id, supplier_country, buyer_tax_id,
        buyer_country)
    SELECT %(invoice_id)s, %(tenant_id)s, %(environment)s, 'sent', %(kind)s, %(number)s,
        %(issue_date)s, CAST(%(due_date)s AS date), %(currency)s, %(subtotal)s, %(tax_amount)s,
        %(grand_total)s, %(payable)s, %(supplier_name)s, %(buyer_name)s, %(sender)s, %(receiver)s,
        %(transmission_id)s, %(rule_pack)s, CAST(%(findings)s AS json),
        CAST(CASE WHEN EXISTS (SELECT 1 FROM earlier)
             THEN %(warnings_if_duplicate)s ELSE %(warnings)s END AS json),
        %(created_at)s, %(original_type)s, %(original)s, %(document)s, %(embed_pdf)s,
        %(supplier_tax_id)s, %(sender_country)s, %(buyer_tax_id)s, %(receiver_country)s
    FROM k
), t AS (
    INSERT INTO transmissions (id, invoice_id, tenant_id, environment, access_point,
        registration_id, document_type, process, sender_country, receiver_country, status, phase,
        answered, answer_by, attempts, fence, retry_until, attention, rejected, created_at,
        listed_at)
    SELECT %(transmission_id)s, %(invoice_id)s, %(tenant_id)s, %(environment)s, %(access_point)s,
        %(registration_id)s, %(document_type)s, %(process)s, %(sender_country)s,
        %(receiver_country)s, 'Processing', 'queued', %(answered)s,
        CAST(%(answer_by)s AS timestamptz), 0, 0, %(retry_until)s, false, false, %(created_at)s,
        %(created_at)s
    FROM k
), o AS (
    INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, due_at)
    SELECT 'transmission', %(lane)s, %(transmission_id)s, %(tenant_id)s, %(access_point)s,
        %(created_at)s
    FROM k
)
SELECT (SELECT count(*) FROM k), (SELECT id FROM earlier)
"""
_WITH_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_KEY)
_WITHOUT_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_NO_KEY)


def _accept_postgresql(send: NewSend) -> Result | None:
    sql = _WITHOUT_KEY if send.key is None else _WITH_KEY
    try:
        written, earlier = db.run_on_driver(sql, _parameters(send))
    except db.RowExists:
        return Accepted(None)  # our own earlier try: its answer was lost with the connection
    if written:
        return Accepted(earlier)
    return _why_not(send, earlier)


def _why_not(send: NewSend, earlier: str | None) -> Result | None:
    taken = _taken(send)
    if taken is not None:
        return Accepted(None) if taken.invoice_id == send.invoice_id else taken
    return Duplicate(earlier) if send.reject_duplicates and earlier else None


def _taken(send: NewSend) -> Taken | None:
    return find_key(send.scope) if send.scope else None


def find_key(scope: KeyScope) -> Taken | None:
    """What this key was accepted as, or None."""
    with db.reading() as connection:
        return _key(connection, scope)


_OF_KEYS = """
SELECT k.key, k.invoice_id, k.transmission_id, k.fingerprint FROM {rows}
JOIN idempotency_keys k ON k.tenant_id = x.tenant_id AND k.environment = x.environment
    AND k.space = x.space AND k.key = x.key
"""
_SCOPES = {
    "tenant_id": rows.TEXT, "environment": rows.TEXT, "space": rows.TEXT, "key": rows.TEXT,
}  # fmt: skip


def find_keys(scopes: Collection[KeyScope]) -> dict[KeyScope, Taken]:
    """What those of the keys were accepted as that were; of one family of routes of a tenant."""
    if not scopes:
        return {}
    asked = {scope.key: scope for scope in scopes}
    values = [{name: getattr(scope, name) for name in _SCOPES} for scope in asked.values()]
    with db.reading() as connection:
        found = rows.execute(connection, _OF_KEYS, _SCOPES, values)
        return {
            asked[row.key]: Taken(row.invoice_id, row.transmission_id, row.fingerprint)
            for row in found
        }


def _key(connection: Connection, scope: KeyScope) -> Taken | None:
    query = select(
        IdempotencyKey.invoice_id, IdempotencyKey.transmission_id, IdempotencyKey.fingerprint
    ).where(*_is(scope))
    row = connection.execute(query).one_or_none()
    return None if row is None else Taken(*row)


def _is(scope: KeyScope) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        IdempotencyKey.tenant_id == scope.tenant_id,
        IdempotencyKey.environment == scope.environment,
        IdempotencyKey.space == scope.space,
        IdempotencyKey.key == scope.key,
    )


def _parameters(send: NewSend) -> dict[str, Any]:
    values = {name: getattr(send, name) for name in NewSend.__slots__}
    values["findings"] = json.dumps(send.findings)
    values["warnings"] = json.dumps(send.warnings)
    values["warnings_if_duplicate"] = json.dumps([*send.warnings, send.duplicate_warning])
    return values


# -- many at once, and SQLite ---------------------------------------------------------------------


def accept_many(sends: Sequence[NewSend]) -> list[Result]:
    """Write documents of one tenant down in one transaction, each as `accept` would; in order.

    Of several with one key the first is written, and the others are told of it.
    """
    results: dict[int, Result] = {}
    while len(results) < len(sends):
        open_ = [i for i in range(len(sends)) if i not in results]
        with db.writing() as connection:
            decided = _round(connection, [sends[i] for i in open_])
        results.update((i, result) for i, result in zip(open_, decided, strict=True) if result)
    return [results[i] for i in range(len(sends))]


def _round(connection: Connection, sends: Sequence[NewSend]) -> list[Result | None]:
    """What can be decided now; None for what depends on another document of this round."""
    earlier = _earlier(connection, sends)
    barred = {s.invoice_id for s in sends if s.reject_duplicates and s.name in earlier}
    trying = _independent(send for send in sends if send.invoice_id not in barred)
    free = _take_keys(connection, trying)
    results: dict[str, Result | None] = {}
    for send in sends:
        if send.invoice_id in barred:
            results[send.invoice_id] = _taken_by(connection, send) or Duplicate(earlier[send.name])
    for send in trying:
        if send.invoice_id in free:
            results[send.invoice_id] = Accepted(earlier.get(send.name))
            earlier.setdefault(send.name, send.invoice_id)
        else:
            results[send.invoice_id] = _taken_by(connection, send)
    again = {invoice_id for invoice_id, result in results.items() if _is_again(result)}
    _insert_all(connection, [send for send in trying if send.invoice_id in free], again)
    return [results.get(send.invoice_id) for send in sends]


def _is_again(result: Result | None) -> bool:
    return isinstance(result, Accepted) and result.duplicate_of is not None


def _independent(sends: Iterable[NewSend]) -> list[NewSend]:
    """The first of each key, and of each number where a tenant refuses the second."""
    first: list[NewSend] = []
    seen: set[object] = set()
    for send in sends:
        marks = {send.scope, send.name if send.reject_duplicates else None} - {None}
        if not marks & seen:
            first.append(send)
        seen |= marks
    return first


_EARLIER_OF_MANY = """
SELECT i.number, i.sender, i.id FROM {rows}
JOIN invoices i ON i.tenant_id = x.tenant_id AND i.environment = x.environment
    AND i.number = x.number AND (i.sender = x.sender) IS TRUE
JOIN transmissions t ON t.id = i.transmission_id
WHERE t.status NOT IN ('Failed', 'Received') ORDER BY i.created_at
"""
_NAMES = {
    "tenant_id": rows.TEXT, "environment": rows.TEXT, "number": rows.TEXT, "sender": rows.TEXT,
}  # fmt: skip


def _earlier(connection: Connection, sends: Sequence[NewSend]) -> dict[tuple[str, str], str]:
    """By number and sender, the first invoice of it that has not failed."""
    named = [{name: getattr(send, name) for name in _NAMES} for send in sends]
    found: dict[tuple[str, str], str] = {}
    for row in rows.execute(connection, _EARLIER_OF_MANY, _NAMES, named):
        found.setdefault((row.number, row.sender), row.id)
    return found


_TAKE_KEYS = """
INSERT INTO idempotency_keys (tenant_id, environment, space, key, fingerprint, invoice_id,
    transmission_id, created_at)
SELECT x.tenant_id, x.environment, x.space, x.key, x.fingerprint, x.invoice_id,
    x.transmission_id, x.created_at FROM {rows}
WHERE true ON CONFLICT DO NOTHING RETURNING invoice_id
"""
_KEYS = {
    "tenant_id": rows.TEXT, "environment": rows.TEXT, "space": rows.TEXT, "key": rows.TEXT,
    "fingerprint": rows.TEXT, "invoice_id": rows.TEXT, "transmission_id": rows.TEXT,
    "created_at": rows.MOMENT,
}  # fmt: skip


def _take_keys(connection: Connection, sends: Sequence[NewSend]) -> set[str]:
    """The ids of those that may be written: without a key, or the first to have theirs.

    Keys are taken in their order, so that two batches never wait for each other.
    """
    keyed = sorted((s for s in sends if s.key is not None), key=lambda send: send.key or "")
    free = {send.invoice_id for send in sends if send.key is None}
    if not keyed:
        return free
    values = [{name: getattr(send, name) for name in _KEYS} for send in keyed]
    return free | set(rows.execute(connection, _TAKE_KEYS, _KEYS, values).scalars())


def _taken_by(connection: Connection, send: NewSend) -> Taken | Accepted | None:
    """What the key was accepted as; where it was this very document, that is being accepted."""
    taken = _key(connection, send.scope) if send.scope else None
    return Accepted(None) if taken and taken.invoice_id == send.invoice_id else taken


def _insert_all(connection: Connection, sends: Sequence[NewSend], again: Collection[str]) -> None:
    """`again`: the ids of those whose number was sent before."""
    _insert(connection, Invoice, [_invoice(s, again=s.invoice_id in again) for s in sends])
    _insert(connection, Transmission, [_transmission(send) for send in sends])
    _insert(connection, Outbox, [_work(send) for send in sends])
    submitted = [(send.invoice_id, send.submitted) for send in sends if send.submitted]
    _insert(connection, Submission, [_submission(i, given) for i, given in submitted])
    events.emit_many(connection, [given.event for _, given in submitted])


def _insert(
    connection: Connection, table: type[db.Base], values: Sequence[Mapping[str, Any]]
) -> None:
    """Rows of one table; what a mapping has beyond its columns is left out."""
    if values:
        names = [name for name in _columns(table) if name in values[0]]
        wanted = [{name: row[name] for name in names} for row in values]
        connection.execute(sa.insert(table), wanted)


def _given(send: NewSend) -> dict[str, Any]:
    return {name: getattr(send, name) for name in NewSend.__slots__}


def _invoice(send: NewSend, *, again: bool) -> dict[str, Any]:
    warnings = list(send.warnings)
    if again:
        warnings.append(send.duplicate_warning)
    return _given(send) | {
        "id": send.invoice_id,
        "direction": "sent",
        "warnings": warnings,
        "supplier_country": send.sender_country,
        "buyer_country": send.receiver_country,
    }


def _transmission(send: NewSend) -> dict[str, Any]:
    return _given(send) | {
        "id": send.transmission_id,
        "status": "Processing",
        "phase": "queued",
        "attempts": 0,
        "fence": 0,
        "attention": False,
        "rejected": False,
        "listed_at": send.created_at,
    }


def _work(send: NewSend) -> dict[str, Any]:
    return {
        "kind": "transmission",
        "lane": send.lane,
        "subject_id": send.transmission_id,
        "tenant_id": send.tenant_id,
        "access_point": send.access_point,
        "due_at": send.created_at,
    }


def _submission(invoice_id: str, given: Submitted) -> dict[str, Any]:
    return {
        "invoice_id": invoice_id,
        "form": given.form,
        "network": given.network,
        "took_ms": given.took_ms,
    }


def _columns(table: type[db.Base]) -> list[str]:
    return [column.name for column in table.__table__.columns]


# -- the answer -----------------------------------------------------------------------------------


def answer(transmission_id: str, key: KeyScope | None, *, settled: bool = False) -> SendAnswer:
    """End the wait: fix how the sending request is answered, or learn how it already was.

    A document rejected by now is answered `network_failed`, and its key is released in the same
    transaction; anything else is answered `processing`. Who waits for the end (`settled`) is also
    told `delivered`. Whoever comes second gets the first word.
    """
    with db.writing() as connection:
        row = connection.execute(
            update(Transmission)
            .where(Transmission.id == transmission_id, Transmission.answered.is_(None))
            .values(
                answered=sa.case(
                    (
                        sa.and_(Transmission.rejected, Transmission.answer_by >= clock.now()),
                        SendAnswer.NETWORK_FAILED.value,
                    ),
                    (
                        sa.and_(sa.literal(settled), Transmission.status == "Delivered"),
                        SendAnswer.DELIVERED.value,
                    ),
                    else_=SendAnswer.PROCESSING.value,
                )
            )
            .returning(Transmission.answered)
        ).one_or_none()
        if row is not None and row[0] == SendAnswer.NETWORK_FAILED:
            _release(connection, key, transmission_id)
    return SendAnswer(str(row[0])) if row is not None else _answered(transmission_id)


def _release(connection: Connection, key: KeyScope | None, transmission_id: str) -> None:
    if key is not None:
        connection.execute(
            delete(IdempotencyKey).where(
                *_is(key), IdempotencyKey.transmission_id == transmission_id
            )
        )


def _answered(transmission_id: str) -> SendAnswer:
    query = select(Transmission.answered).where(Transmission.id == transmission_id)
    with db.reading() as connection:
        word = connection.execute(query).scalar_one()
    return SendAnswer.PROCESSING if word is None else SendAnswer(word)
