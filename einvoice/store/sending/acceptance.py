"""Accepting documents: invoice, transmission, outbox row and idempotency key, all or nothing.

`accept_many` is the plain version, set by set in one transaction on both databases. On PostgreSQL a
document from JSON takes one statement, and several of them one commit (acceptance_statement).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.events import PLAN_USAGE
from einvoice.domain.plans import thresholds
from einvoice.store import outbox
from einvoice.store.account import audit, idempotency, plan_counts
from einvoice.store.account.idempotency import AcceptedKey
from einvoice.store.account.plan_counts import CountedMonth
from einvoice.store.core import db, rows
from einvoice.store.invoices import drafts
from einvoice.store.sending import acceptance_statement, sequences
from einvoice.store.sending.new_documents import columns, insert
from einvoice.store.sending.new_sends import (
    AbovePlan,
    Acceptance,
    Accepted,
    Duplicate,
    NewSend,
    NewSubmission,
    NumberAndSender,
    Superseded,
    key_order,
)
from einvoice.store.sending.sequences import Place
from einvoice.store.tables import Invoice, Outbox, Submission, Transmission
from einvoice.store.webhooks import events
from einvoice.store.webhooks.events import NewEvent


def accept(send: NewSend) -> Acceptance:
    """Store the document, once per idempotency key. Safe under concurrent and repeated calls."""
    if _is_one_statement(send):
        return acceptance_statement.accept(send)
    return accept_many([send])[0]


def accept_together(sends: Sequence[NewSend]) -> list[Acceptance | Exception]:
    """Store documents of any tenants in one commit; the result of each, in order.

    The second of a key or number is stored after the first, in another commit. If a document of a
    commit fails, each is stored by itself, and those that fail get their exception.
    """
    results: dict[str, Acceptance | Exception] = {}
    rest = list(sends)
    while rest:
        group = _independent(rest, _key_and_number)
        stored = _accept_group(group)
        results.update((s.invoice_id, result) for s, result in zip(group, stored, strict=True))
        rest = [send for send in rest if send.invoice_id not in results]
    return [results[send.invoice_id] for send in sends]


def _accept_group(sends: Sequence[NewSend]) -> Sequence[Acceptance | Exception]:
    """Those that take one statement each in a commit of their own, beside the others."""
    parts = [[s for s in sends if _is_one_statement(s) is fast] for fast in (True, False)]
    results = {
        send.invoice_id: result
        for part in parts
        for send, result in zip(part, _accept_part(part), strict=True)
    }
    return [results[send.invoice_id] for send in sends]


def _accept_part(sends: Sequence[NewSend]) -> Sequence[Acceptance | Exception]:
    together = _accept_in_one_commit(sends) if len(sends) > 1 else None
    return together or [_accept_alone(send) for send in sends]


def _accept_in_one_commit(sends: Sequence[NewSend]) -> list[Acceptance] | None:
    """None if one of them failed."""
    if all(_is_one_statement(send) for send in sends):
        return acceptance_statement.accept_together(sends)
    try:
        return accept_many(sends)
    except sa.exc.SQLAlchemyError:
        return None


def _accept_alone(send: NewSend) -> Acceptance | Exception:
    try:
        return accept(send)
    except Exception as fault:  # noqa: BLE001 - raised in the thread of its request
        return fault


def _is_one_statement(send: NewSend) -> bool:
    fast = db.is_postgresql() and db.optimisations().accepting_statement
    more = send.submission or send.sequence_key or send.draft or send.audit or send.plan
    return fast and not more


def accept_many(sends: Sequence[NewSend]) -> list[Acceptance]:
    """Store documents in one transaction; the result of each, in order.

    Of several documents with the same key the first is stored; the others get its AcceptedKey.
    """
    results: dict[int, Acceptance] = {}
    while len(results) < len(sends):
        undecided = [i for i in range(len(sends)) if i not in results]
        with db.writing() as connection:
            decided = _accept_independent(connection, [sends[i] for i in undecided])
        results.update((i, result) for i, result in zip(undecided, decided, strict=True) if result)
    return [results[i] for i in range(len(sends))]


def foresee(send: NewSend) -> Accepted | Duplicate | AbovePlan:
    """The result that accepting the document would have now. Nothing is stored or counted."""
    with db.reading() as connection:
        earlier = _earlier(connection, [send]).get(send.number_and_sender)
    if earlier is not None and send.reject_duplicates:
        return Duplicate(earlier)
    plan = send.plan
    if plan is not None and plan.is_cap:
        counted = plan_counts.of_months([plan.month]).get(plan.month, 0)
        if counted >= plan.limit:
            return AbovePlan(plan.limit)
    return Accepted(earlier)


def _accept_independent(
    connection: Connection, sends: Sequence[NewSend]
) -> list[Acceptance | None]:
    """The results of this round; None for a document that depends on another one of the round."""
    earlier = _earlier(connection, sends)
    superseded = {send.invoice_id for send in sends if _is_superseded(connection, send)}
    refused = superseded | {
        s.invoice_id for s in sends if s.reject_duplicates and s.number_and_sender in earlier
    }
    candidates = _independent(
        (send for send in sends if send.invoice_id not in refused), _key_and_refused_number
    )
    free = _take_keys(connection, candidates)
    results: dict[str, Acceptance | None] = {}
    for send in sends:
        if send.invoice_id in refused:
            why = (
                Superseded()
                if send.invoice_id in superseded
                else Duplicate(earlier[send.number_and_sender])
            )
            results[send.invoice_id] = _accepted_before(connection, send) or why
    for send in candidates:
        if send.invoice_id in free:
            results[send.invoice_id] = Accepted(earlier.get(send.number_and_sender))
            earlier.setdefault(send.number_and_sender, send.invoice_id)
        else:
            results[send.invoice_id] = _accepted_before(connection, send)
    above = _count_for_plans(connection, [send for send in candidates if send.invoice_id in free])
    _release_keys(connection, [send for send in candidates if send.invoice_id in above])
    results.update(above)
    free -= above.keys()
    repeated = {invoice_id for invoice_id, result in results.items() if _is_repeated(result)}
    _insert_all(connection, [send for send in candidates if send.invoice_id in free], repeated)
    return [results.get(send.invoice_id) for send in sends]


def _count_for_plans(connection: Connection, sends: Sequence[NewSend]) -> dict[str, AbovePlan]:
    """Count the documents of tenants with a plan; those above it, which are not counted.

    In the order of the tenants, so that two transactions never wait for each other.
    """
    above: dict[str, AbovePlan] = {}
    by_month: dict[CountedMonth, list[NewSend]] = {}
    for send in sends:
        if send.plan is not None:
            by_month.setdefault(send.plan.month, []).append(send)
    for month, counted in sorted(by_month.items()):
        above |= _count_month(connection, month, counted)
    return above


def _count_month(
    connection: Connection, month: CountedMonth, sends: Sequence[NewSend]
) -> dict[str, AbovePlan]:
    plan = sends[0].plan
    assert plan is not None  # noqa: S101 - for the type checker
    after = plan_counts.add(connection, month, len(sends))
    before = after - len(sends)
    room = max(plan.limit - before, 0) if plan.is_cap else len(sends)
    refused = sends[room:]
    if refused:
        after = plan_counts.add(connection, month, -len(refused))
    reached = thresholds(plan.limit, before, after)
    events.emit_many(connection, [_threshold(month, plan.limit, after, each) for each in reached])
    return {send.invoice_id: AbovePlan(plan.limit) for send in refused}


def _threshold(month: CountedMonth, limit: int, documents: int, percent: int) -> NewEvent:
    payload = {
        "month": month.month,
        "percent": percent,
        "documents": documents,
        "monthlyDocuments": limit,
    }
    return NewEvent(month.tenant_id, month.environment, PLAN_USAGE, None, payload)


def _release_keys(connection: Connection, sends: Sequence[NewSend]) -> None:
    """Forget the keys of documents that were not accepted after all."""
    for send in sends:
        if send.key is not None:
            idempotency.release(connection, send.key, send.transmission_id)


def _is_superseded(connection: Connection, send: NewSend) -> bool:
    return send.draft is not None and drafts.superseded(
        connection, send.tenant_id, send.environment, send.draft
    )


def _is_repeated(result: Acceptance | None) -> bool:
    return isinstance(result, Accepted) and result.duplicate_of is not None


def _independent(
    sends: Iterable[NewSend], marks_of: Callable[[NewSend], set[object]]
) -> list[NewSend]:
    """The documents that have no mark in common with one before them."""
    first: list[NewSend] = []
    seen: set[object] = set()
    for send in sends:
        marks = marks_of(send)
        if not marks & seen:
            first.append(send)
        seen |= marks
    return first


def _key_and_number(send: NewSend) -> set[object]:
    return {mark for mark in (send.key, send.number_and_sender) if mark}


def _key_and_refused_number(send: NewSend) -> set[object]:
    """The number only where the tenant refuses duplicates."""
    number = send.number_and_sender if send.reject_duplicates else None
    return {mark for mark in (send.key, number) if mark}


# As in acceptance_statement: BETWEEN is equality that leaves `number` in the requested order, which
# only the index of numbers has. Before its first statistics, a planner takes another one for as
# good, and reads all invoices of the tenant for each document.
_EARLIER_OF_MANY = """
SELECT x.n, (
    SELECT i.id FROM invoices i JOIN transmissions t ON t.id = i.transmission_id
    WHERE i.tenant_id = x.tenant_id AND i.environment = x.environment
        AND i.number BETWEEN x.number AND x.number AND (i.sender = x.sender) IS TRUE
        AND (i.kind = x.kind AND i.issue_date BETWEEN x.begin_of_year AND x.end_of_year) IS TRUE
        AND t.status NOT IN ('Failed', 'Received')
    ORDER BY i.number, i.created_at LIMIT 1
) AS id FROM {rows}
"""
_NAMES = {
    "n": rows.INT, "tenant_id": rows.TEXT, "environment": rows.TEXT, "number": rows.TEXT,
    "sender": rows.TEXT, "kind": rows.TEXT, "begin_of_year": rows.DATE, "end_of_year": rows.DATE,
}  # fmt: skip


def _earlier(connection: Connection, sends: Sequence[NewSend]) -> dict[NumberAndSender, str]:
    """The first invoice of each number and sender that has not failed."""
    named = [
        {
            "n": place,
            "tenant_id": send.tenant_id,
            "environment": send.environment,
            "number": send.head.number,
            "sender": send.addressing.sender,
            "kind": send.head.kind,
            "begin_of_year": _day_of_year(send, 1, 1),
            "end_of_year": _day_of_year(send, 12, 31),
        }
        for place, send in enumerate(sends)
    ]
    found = rows.execute(connection, _EARLIER_OF_MANY, _NAMES, named).all()
    return {sends[row.n].number_and_sender: row.id for row in found if row.id}


def _day_of_year(send: NewSend, month: int, day: int) -> str | None:
    issued = send.head.issue_date
    return issued.replace(month=month, day=day).isoformat() if issued else None


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
    """Take the keys; returns the ids of the documents to store: those without a key or with a
    free one.

    Keys are taken in sorted order, so that two batches cannot deadlock.
    """
    keyed = sorted((send for send in sends if send.key), key=key_order)
    free = {send.invoice_id for send in sends if send.key is None}
    if not keyed:
        return free
    values = [
        columns(send.key)
        | {
            "fingerprint": send.fingerprint,
            "invoice_id": send.invoice_id,
            "transmission_id": send.transmission_id,
            "created_at": send.created_at,
        }
        for send in keyed
        if send.key is not None
    ]
    return free | set(rows.execute(connection, _TAKE_KEYS, _KEYS, values).scalars())


def _accepted_before(connection: Connection, send: NewSend) -> AcceptedKey | Accepted | None:
    """The send that the key was accepted for; Accepted if it is this one, by an earlier try."""
    taken = idempotency.find_in(connection, send.key) if send.key else None
    return Accepted(None) if taken and taken.invoice_id == send.invoice_id else taken


def _insert_all(
    connection: Connection, sends: Sequence[NewSend], repeated: Collection[str]
) -> None:
    """Insert the rows; `repeated` are the ids of invoices whose number was sent before."""
    insert(connection, Invoice, [_invoice(s, repeated=s.invoice_id in repeated) for s in sends])
    insert(connection, Transmission, [_transmission(send) for send in sends])
    waits = _join_sequences(connection, sends)
    insert(connection, Outbox, [_outbox_row(s, waits.get(s.transmission_id)) for s in sends])
    submitted = [(send.invoice_id, send.submission) for send in sends if send.submission]
    insert(connection, Submission, [_submission(i, given) for i, given in submitted])
    events.emit_many(connection, [given.event for _, given in submitted])
    for send in sends:
        if send.draft is not None:
            drafts.remove(connection, send.tenant_id, [send.draft.draft_id])
        if send.audit is not None:
            audit.add(connection, send.audit)


def _join_sequences(connection: Connection, sends: Sequence[NewSend]) -> dict[str, str]:
    """The sequences for which transmissions wait, by transmission."""
    places = [
        Place(
            send.transmission_id,
            send.tenant_id,
            send.addressing.access_point,
            send.addressing.connection_id,
            send.sequence_key,
        )
        for send in sends
        if send.sequence_key is not None and send.addressing.connection_id is not None
    ]
    return sequences.join(connection, places, sends[0].created_at) if places else {}


def _invoice(send: NewSend, *, repeated: bool) -> dict[str, Any]:
    warnings = list(send.content.warnings)
    if repeated:
        warnings.append(send.duplicate_warning)
    return send.columns() | {
        "id": send.invoice_id,
        "direction": "sent",
        "warnings": warnings,
    }


def _transmission(send: NewSend) -> dict[str, Any]:
    return send.columns() | {
        "id": send.transmission_id,
        "status": NetworkStatus.PROCESSING.value,
        "phase": Phase.QUEUED.value,
        "attempts": 0,
        "fence": 0,
        "attention": False,
        "rejected": False,
        "listed_at": send.created_at,
    }


def _outbox_row(send: NewSend, waits_for: str | None) -> dict[str, Any]:
    return outbox.place(send.lane, waits_for, send.created_at) | {
        "kind": outbox.TRANSMISSION,
        "subject_id": send.transmission_id,
        "tenant_id": send.tenant_id,
        "access_point": send.addressing.access_point,
        "connection_id": send.addressing.connection_id,
        "due_at": send.created_at,
    }


def _submission(invoice_id: str, given: NewSubmission) -> dict[str, Any]:
    return {
        "invoice_id": invoice_id,
        "form": given.form,
        "network": given.network,
        "took_ms": given.took_ms,
    }
