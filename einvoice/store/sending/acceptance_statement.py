"""Accepting a document on PostgreSQL in one statement, and several in one round trip and commit.

The plain version is `acceptance.accept_many`; tests/store/test_acceptance_many compares the rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from einvoice.store.account import idempotency
from einvoice.store.core import db
from einvoice.store.core.driver import Statement
from einvoice.store.sending.new_sends import Acceptance, Accepted, Duplicate, NewSend, key_order

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
    INSERT INTO invoices (id, tenant_id, environment, direction, kind, number, issue_date, due_date,
        currency, subtotal, tax_amount, grand_total, payable, supplier_name, buyer_name, sender,
        receiver, transmission_id, rule_pack, rule_set_chosen_by, report_form, findings, warnings,
        created_at, original_type, original, document, network_document, embed_pdf, sender_metadata,
        supplier_tax_id, supplier_country, buyer_tax_id, buyer_country, buyer_ids, tax_currency,
        tax_amount_in_tax_currency)
    SELECT %(invoice_id)s, %(tenant_id)s, %(environment)s, 'sent', %(kind)s, %(number)s,
        %(issue_date)s, CAST(%(due_date)s AS date), %(currency)s, %(subtotal)s, %(tax_amount)s,
        %(grand_total)s, %(payable)s, %(supplier_name)s, %(buyer_name)s, %(sender)s, %(receiver)s,
        %(transmission_id)s, %(rule_pack)s, %(rule_set_chosen_by)s,
        CAST(%(report_form)s AS smallint), CAST(%(findings)s AS json),
        CAST(CASE WHEN EXISTS (SELECT 1 FROM earlier)
             THEN %(warnings_if_duplicate)s ELSE %(warnings)s END AS json),
        %(created_at)s, %(original_type)s, %(original)s, %(document)s,
        CAST(%(network_document)s AS bytea), %(embed_pdf)s, CAST(%(sender_metadata)s AS json),
        %(supplier_tax_id)s, %(supplier_country)s, %(buyer_tax_id)s, %(buyer_country)s,
        CAST(%(buyer_ids)s AS json), %(tax_currency)s,
        CAST(%(tax_amount_in_tax_currency)s AS numeric)
    FROM k
), t AS (
    INSERT INTO transmissions (id, invoice_id, tenant_id, environment, access_point,
        registration_id, connection_id, document_type, process, profile, sender_country,
        receiver_country, status, phase, answered, answer_by, attempts, fence, retry_until,
        attention, rejected, created_at, listed_at, trace)
    SELECT %(transmission_id)s, %(invoice_id)s, %(tenant_id)s, %(environment)s, %(access_point)s,
        %(registration_id)s, %(connection_id)s, %(document_type)s, %(process)s, %(profile)s,
        %(sender_country)s, %(receiver_country)s, 'Processing', 'queued', %(answered)s,
        CAST(%(answer_by)s AS timestamptz), 0, 0, %(retry_until)s, false, false, %(created_at)s,
        %(created_at)s, %(trace)s
    FROM k
), o AS (
    INSERT INTO outbox (kind, lane, subject_id, tenant_id, access_point, connection_id, due_at)
    SELECT 'transmission', %(lane)s, %(transmission_id)s, %(tenant_id)s, %(access_point)s,
        %(connection_id)s, %(created_at)s
    FROM k
)
SELECT (SELECT count(*) FROM k), (SELECT id FROM earlier)
"""
_WITH_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_KEY)
_WITHOUT_KEY = _POSTGRESQL.format(same=_SAME, earlier=_EARLIER, key=_NO_KEY)


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
    values["findings"] = json.dumps(send.content.findings)
    values["warnings"] = json.dumps(warnings)
    for name in ("sender_metadata", "buyer_ids"):
        values[name] = None if values[name] is None else json.dumps(values[name])
    values["warnings_if_duplicate"] = json.dumps([*warnings, send.duplicate_warning])
    return values
