"""Accepting a document on PostgreSQL in one statement, and several in one round trip and commit.

Its columns are the ones of its tables of which a send has a value: a new one needs no change here.

The plain version is `acceptance.accept_many`; tests/store/test_acceptance_many compares the rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.store import tables
from einvoice.store.account import idempotency
from einvoice.store.core import db
from einvoice.store.core.driver import Statement
from einvoice.store.sending.new_sends import (
    COLUMNS,
    Acceptance,
    Accepted,
    Duplicate,
    NewSend,
    key_order,
)

# Nothing is written unless `k` returns a row. The casts are for values that may be NULL or are
# JSON, whose type a SELECT does not imply.
#
# `same` keeps the planner on the index of numbers from the first send on, before any statistics:
# - MATERIALIZED: with LIMIT 1 it would walk all invoices of a tenant in the order of creation;
# - IS TRUE hides the sender, whose index looks as selective as that of numbers, and the date;
# - BETWEEN is equality that leaves `number` in the requested order, which only that index has.
_SAME = """
    SELECT id, transmission_id, created_at FROM invoices
    WHERE tenant_id = %(tenant_id)s AND environment = %(environment)s
      AND number BETWEEN %(number)s AND %(number)s AND (sender = %(sender)s) IS TRUE
      AND (kind = %(kind)s AND extract(year FROM issue_date)
           = extract(year FROM CAST(%(issue_date)s AS date))) IS TRUE
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
    {invoice} FROM k
), t AS (
    {transmission} FROM k
), o AS (
    INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, connection_id, due_at)
    SELECT 'transmission', %(lane)s, %(transmission_id)s, %(tenant_id)s, %(access_point)s,
        %(connection_id)s, %(created_at)s
    FROM k
)
SELECT (SELECT count(*) FROM k), (SELECT id FROM earlier)
"""
# The values of columns that a send does not have under the name of the column.
_OF_INVOICE = {
    "id": "%(invoice_id)s",
    "direction": "'sent'",
    "warnings": "CAST(CASE WHEN EXISTS (SELECT 1 FROM earlier) "
    "THEN %(warnings_if_duplicate)s ELSE %(warnings)s END AS json)",
}
_OF_TRANSMISSION = {
    "id": "%(transmission_id)s",
    "status": f"'{NetworkStatus.PROCESSING.value}'",
    "phase": f"'{Phase.QUEUED.value}'",
    "attempts": "0",
    "fence": "0",
    "attention": "false",
    "rejected": "false",
    "listed_at": "%(created_at)s",
}
_JSON = ("findings", "sender_metadata", "searchable", "buyer_ids")  # of a send, as text
_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]


def insertion(table: sa.FromClause, names: Collection[str], others: Mapping[str, str]) -> str:
    """INSERT … SELECT of each column of the table that a send has a value of.

    names   of the values of a send
    others  the expressions of other columns, or of columns with another value

    A value that may be NULL, or is JSON, has no type of its own in a SELECT.
    """
    values = {
        column.name: others.get(column.name) or _value(column)
        for column in table.columns
        if column.name in others or column.name in names
    }
    return f"INSERT INTO {table} ({', '.join(values)})\n    SELECT {', '.join(values.values())}"


def _value(column: Any) -> str:
    value = f"%({column.name})s"
    kind = column.type.compile(_DIALECT)
    is_text = kind.startswith(("VARCHAR", "TEXT"))
    return value if is_text else f"CAST({value} AS {kind})"


_TABLES = {
    "invoice": insertion(tables.Invoice.__table__, COLUMNS, _OF_INVOICE),
    "transmission": insertion(tables.Transmission.__table__, COLUMNS, _OF_TRANSMISSION),
}
_WITH_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_KEY, **_TABLES)
_WITHOUT_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_NO_KEY, **_TABLES)


def accept(send: NewSend) -> Acceptance:
    """Store the document, once per idempotency key. Safe under concurrent and repeated calls."""
    while True:
        result = _try(send)
        if result is not None:
            return result


def accept_together(sends: Sequence[NewSend]) -> list[Acceptance] | None:
    """Store documents in one commit; the result of each, in order. None if one of them failed.

    Keys are taken in their order, so that two groups never wait for each other.
    """
    order = sorted(range(len(sends)), key=lambda position: key_order(sends[position]))
    rows = db.run_together_on_driver([_statement(sends[position]) for position in order])
    if rows is None:
        return None
    results: dict[int, Acceptance] = {}
    for position, (written, earlier) in zip(order, rows, strict=True):
        send = sends[position]
        results[position] = (
            Accepted(earlier) if written else _why_not(send, earlier) or accept(send)
        )
    return [results[position] for position in range(len(sends))]


def _try(send: NewSend) -> Acceptance | None:
    """None if the key was taken, and has been released since."""
    try:
        written, earlier = db.run_on_driver(*_statement(send))
    except db.RowExists:
        return Accepted(None)  # by an earlier try whose result was lost with the connection
    if written:
        return Accepted(earlier)
    return _why_not(send, earlier)


def _statement(send: NewSend) -> Statement:
    return _WITHOUT_KEY if send.key is None else _WITH_KEY, _parameters(send)


def _why_not(send: NewSend, earlier: str | None) -> Acceptance | None:
    taken = idempotency.find(send.key) if send.key else None
    if taken is not None:
        return Accepted(None) if taken.invoice_id == send.invoice_id else taken
    return Duplicate(earlier) if send.reject_duplicates and earlier else None


def _parameters(send: NewSend) -> dict[str, Any]:
    values = send.columns()
    warnings = send.content.warnings
    values["trace"] = send.trace.stored if send.trace else None
    values["warnings"] = json.dumps(warnings)
    for name in _JSON:
        values[name] = None if values[name] is None else json.dumps(values[name])
    values["warnings_if_duplicate"] = json.dumps([*warnings, send.duplicate_warning])
    return values
