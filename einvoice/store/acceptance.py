"""Acceptance and answer: the only module that writes across tables in one statement.

`accept` writes invoice, transmission, outbox row and idempotency key, all or nothing: on PostgreSQL
one data-modifying statement, on SQLite the same inserts in one immediate transaction. `answer`
fixes once and for all how the sending request was answered (decisions 0.1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.delivery import Answer
from einvoice.store import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission


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
    while True:
        result = _accept_postgresql(send) if db.is_postgresql() else _accept_sqlite(send)
        if result is not None:
            return result  # None: the key was taken and has been released since


# One statement, one commit. `k` decides: no row from it and nothing else is written.
# The casts are for values that may be NULL or are JSON: in a SELECT their type is not implied.
# `same` is materialized: otherwise LIMIT 1 tempts the planner to walk all of a tenant's invoices in
# the order of their creation until one has the number. IS TRUE hides the sender likewise:
# before the first statistics the index of senders, of whom there are few, looks as good as that of
# numbers.
_SAME = """
    SELECT id, transmission_id, created_at FROM invoices
    WHERE tenant_id = %(tenant_id)s AND environment = %(environment)s
      AND number = %(number)s AND (sender = %(sender)s) IS TRUE
"""
_EARLIER = """
    SELECT same.id FROM same JOIN transmissions t ON t.id = same.transmission_id
    WHERE t.status <> 'Failed' ORDER BY same.created_at LIMIT 1
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
        written, earlier = db.one_statement(sql, _parameters(send))
    except db.AlreadyThere:
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
    if send.key is None:
        return None
    return find_key(KeyScope(send.tenant_id, send.environment, send.space, send.key))


def find_key(scope: KeyScope) -> Taken | None:
    """What this key was accepted as, or None."""
    query = select(
        IdempotencyKey.invoice_id, IdempotencyKey.transmission_id, IdempotencyKey.fingerprint
    ).where(*_is(scope))
    with db.reading() as connection:
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


# -- SQLite: the same inserts, one immediate transaction ------------------------------------------


def _accept_sqlite(send: NewSend) -> Result | None:
    with db.writing() as connection:
        earlier: str | None = connection.execute(_earlier(send)).scalar()
        if send.reject_duplicates and earlier:
            taken = False
        elif send.key is not None:
            taken = bool(connection.execute(_key_insert(send)).rowcount)
        else:
            taken = True
        if taken:
            _insert_all(connection, send, duplicate=earlier is not None)
            return Accepted(earlier)
    return _why_not(send, earlier)


def _earlier(send: NewSend) -> sa.Select[Any]:
    return (
        select(Invoice.id)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == send.tenant_id,
            Invoice.environment == send.environment,
            Invoice.number == send.number,
            Invoice.sender == send.sender,
            Transmission.status != "Failed",
        )
        .order_by(Invoice.created_at)
        .limit(1)
    )


def _key_insert(send: NewSend) -> Insert:
    values = {name: getattr(send, name) for name in _columns(IdempotencyKey)}
    return sqlite.insert(IdempotencyKey).values(values).on_conflict_do_nothing()


def _insert_all(connection: Connection, send: NewSend, *, duplicate: bool) -> None:
    warnings = [*send.warnings, send.duplicate_warning] if duplicate else list(send.warnings)
    given = {name: getattr(send, name) for name in NewSend.__slots__} | {"warnings": warnings}
    invoice = given | {
        "id": send.invoice_id,
        "direction": "sent",
        "supplier_country": send.sender_country,
        "buyer_country": send.receiver_country,
    }
    sending = given | {
        "id": send.transmission_id,
        "status": "Processing",
        "phase": "queued",
        "listed_at": send.created_at,
    }
    work = given | {
        "kind": "transmission",
        "subject_id": send.transmission_id,
        "due_at": send.created_at,
    }
    for table, values in ((Invoice, invoice), (Transmission, sending), (Outbox, work)):
        wanted = {name: values[name] for name in _columns(table) if name in values}
        connection.execute(sa.insert(table).values(wanted))


def _columns(table: type[db.Base]) -> list[str]:
    return [column.name for column in table.__table__.columns]


# -- the answer -----------------------------------------------------------------------------------


def answer(transmission_id: str, key: KeyScope | None) -> Answer:
    """End the wait: fix how the sending request is answered, or learn how it already was.

    A document rejected by now is answered `network_failed`, and its key is released in the same
    transaction; anything else is answered `processing`. Whoever comes second gets the first word.
    """
    with db.writing() as connection:
        row = connection.execute(
            update(Transmission)
            .where(Transmission.id == transmission_id, Transmission.answered.is_(None))
            .values(
                answered=sa.case(
                    (
                        sa.and_(Transmission.rejected, Transmission.answer_by >= clock.now()),
                        Answer.NETWORK_FAILED.value,
                    ),
                    else_=Answer.PROCESSING.value,
                )
            )
            .returning(Transmission.answered)
        ).one_or_none()
        if row is not None and row[0] == Answer.NETWORK_FAILED:
            _release(connection, key, transmission_id)
    return Answer(str(row[0])) if row is not None else _answered(transmission_id)


def _release(connection: Connection, key: KeyScope | None, transmission_id: str) -> None:
    if key is not None:
        connection.execute(
            delete(IdempotencyKey).where(
                *_is(key), IdempotencyKey.transmission_id == transmission_id
            )
        )


def _answered(transmission_id: str) -> Answer:
    query = select(Transmission.answered).where(Transmission.id == transmission_id)
    with db.reading() as connection:
        word = connection.execute(query).scalar_one()
    return Answer.PROCESSING if word is None else Answer(word)
