"""Judging received documents that were stored unread: no computing process had time for them.

Each has an outbox row (kind `judgement`, lane `chores`) of the transaction that stored it. A worker
reads the document again, in a computing process; one transaction writes the findings, the head and
the notice, and deletes the row. What the list of a mailbox states of the document, and the warnings
of its access point, are in its row until then, and count as they did when it arrived. A worker that
is killed before it leaves the row, which is due again after its lease.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.request import SendWarning
from einvoice.network.mailboxes import StatedHead
from einvoice.observability import logging
from einvoice.services.computing.pool import MAX_SECONDS_PER_CPU_SECOND
from einvoice.services.inbound import arrival_storage, notices
from einvoice.services.inbound.arrival_storage import Arrival, ReadArrival
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import connections
from einvoice.store.core import db
from einvoice.store.inbound import received, supplier_accounts
from einvoice.store.inbound.received import MessageKey, UnjudgedDocument

log = logging.get(__name__)

MIN_PAUSE, MAX_PAUSE = timedelta(seconds=30), timedelta(hours=1)
# A document that never ends in time stays as it is stored, with the finding that says so.
GIVE_UP_AFTER = timedelta(days=1)


def judge(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Judge the documents of these rows, and settle the rows."""
    settings = runtime.settings
    seconds = (
        settings.compute_wait
        + 2 * MAX_SECONDS_PER_CPU_SECOND * settings.compute_seconds
        + settings.lease_margin
    )
    for row_id, invoice_id in outbox.subjects(outbox_ids, token):
        found = received.unjudged(invoice_id)
        if found is None:
            _end(row_id, token)
        elif outbox.extend_from_now(row_id, token, seconds):
            _judge(row_id, token, found, runtime)


def _judge(row_id: int, token: str, found: UnjudgedDocument, runtime: Runtime) -> None:
    new = arrival_storage.read(_arrival(found), runtime.computing, runtime.forms)
    age = clock.now() - found.created_at
    with db.writing() as connection:
        if new.is_unread and age < GIVE_UP_AFTER:
            due_at = clock.now() + min(max(age, MIN_PAUSE), MAX_PAUSE)
            outbox.reschedule(connection, [(row_id, outbox.CHORES, due_at)], token)
            return
        if not outbox.extend(connection, [row_id], token, clock.now() + MIN_PAUSE, clock.now()):
            return
        _write(connection, found, new)
        outbox.complete(connection, [row_id], token)
    log.info("document judged", invoice=found.invoice_id, tenant=found.tenant_id, light=new.light)


def _write(connection: Connection, found: UnjudgedDocument, new: ReadArrival) -> None:
    received.judge(connection, found.invoice_id, new.row)
    supplier_accounts.add(connection, new.accounts)
    if found.inbound_state is not None:
        subject = (found.invoice_id, found.tenant_id, found.access_point)
        notices.add_first_of(connection, [subject])


def _end(row_id: int, token: str) -> None:
    with db.writing() as connection:
        outbox.complete(connection, [row_id], token)


def _arrival(found: UnjudgedDocument) -> Arrival:
    return Arrival(
        key=MessageKey(found.access_point, found.instance_id, found.sender_key, found.receiver_key),
        tenant_id=found.tenant_id,
        environment=Environment(found.environment),
        sender=ParticipantId.parse(found.sender),
        receiver=None if found.receiver is None else ParticipantId.parse(found.receiver),
        document_type=DocumentTypeId.parse(found.document_type),
        process=ProcessId.parse(found.process),
        document=found.original,
        connection_id=found.connection_id,
        stated=StatedHead(**{each.name: getattr(found, each.name) for each in fields(StatedHead)}),
        warnings=tuple(_warnings(found)),
        reused_id=found.reused_id,
        invoice_id=found.invoice_id,
        gl_account_code=_account_of_connection(found.connection_id),
    )


def _account_of_connection(connection_id: str | None) -> str | None:
    return None if connection_id is None else connections.account_of_bills(connection_id)


def _warnings(found: UnjudgedDocument) -> Iterator[SendWarning]:
    """The warnings of the access point: they alone have fixed words."""
    for each in found.warnings:
        if "message" in each:
            yield SendWarning(each["code"], each["message"], each["field"])
