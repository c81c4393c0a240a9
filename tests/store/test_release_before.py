"""The release before delivers messages by the columns of `messages`: either finishes the work of
the other, and nothing is sent twice."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.services.delivery import operations
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.store.sending import messages, transmissions
from einvoice.store.sending.messages import NewMessage
from einvoice.store.sending.transmissions import PreparedTransmission, Settlement, Work
from einvoice.store.tables import Message, Transmission

COMPARED = (
    "status", "phase", "attempts", "fence", "retry_until", "message_id", "prepared",
    "prepared_state", "pending", "attention", "reason", "error_code", "settled_at",
)  # fmt: skip
BEFORE = "0054"
LATER = {"reports_to", "due_at"}  # columns of messages that 0058 adds
COLUMNS_BEFORE = [name for name in NewMessage.__slots__ if name not in LATER]


def new(number: int) -> NewMessage:
    now = clock.now()
    return NewMessage(
        id=f"msg_{number}", access_point="post", key=f"k{number}", environment="test",
        tenant_id=None, invoice_id=None, connection_id=None, kind="TSR",
        content_type="application/xml", file_name="r.xml", sender="0208:1", receiver="0208:2",
        document_type="a::b", process="c::d", sender_country="BE", receiver_country=None,
        document=b"<R/>", retry_until=now + timedelta(days=1), created_at=now,
    )  # fmt: skip


def queue(number: int = 1) -> Work:
    with db.writing() as connection:
        message_id = messages.add(connection, new(number))
    return operations.find(message_id)


def as_before(sql: str, **values: object) -> None:
    """Run a statement of the release before."""
    with db.writing() as connection:
        connection.execute(sa.text(sql), values)


def state(table: type[Message | Transmission], number: int = 1) -> dict[str, object]:
    columns = [getattr(table, name) for name in COMPARED]
    with db.reading() as connection:
        row = connection.execute(sa.select(*columns).where(table.id == f"msg_{number}")).one()
    return row._asdict()


def fence(work: Work) -> None:
    with db.writing() as connection:
        ready = PreparedTransmission(work, "m@1", b"<Sent/>", {"a": "1"})
        transmissions.fence(connection, [ready], clock.now())


def settle(work: Work, **changes: object) -> None:
    settled = Settlement(work.id, 1, NetworkStatus.PROCESSING, Phase.PENDING, **changes)  # type: ignore[arg-type]
    with db.writing() as connection:
        transmissions.settle(connection, [settled])


def test_what_this_release_does_the_one_before_sees(app: Flask) -> None:
    """Queued, fenced, pending with a reference, needing an operator."""
    work = queue()
    assert state(Message) == state(Transmission)
    for step in (
        lambda: fence(work),
        lambda: settle(work, pending={"reference": "r"}),
        lambda: settle(work, attention=True, reason="no answer"),
    ):
        before = state(Message)
        step()
        assert state(Message) == state(Transmission) != before
    assert state(Message)["prepared"] == b"<Sent/>"
    assert state(Message)["prepared_state"] == {"a": "1"}


FENCED = (
    "UPDATE messages SET phase = 'submitting', attempts = attempts + 1, fence = fence + 1, "
    "message_id = 'm@1', prepared = :content, prepared_state = '{\"a\": \"1\"}' WHERE id = 'msg_1'"
)


def test_what_the_one_before_does_this_release_sees(app: Flask) -> None:
    """A worker of before that died behind its fence: the message is resolved, not sent again."""
    work = queue()
    as_before(FENCED, content=b"<Sent/>")
    assert state(Transmission) == state(Message)
    assert operations.find(work.id).phase == Phase.SUBMITTING
    with db.writing() as connection:
        ready = PreparedTransmission(work, "m@1", b"<Sent/>", {})
        assert transmissions.fence(connection, [ready], clock.now()) == {}

    pending = '{"reference": "r"}'
    as_before("UPDATE messages SET phase = 'pending', pending = :p WHERE fence = 1", p=pending)
    assert operations.find(work.id).pending == {"reference": "r"}
    as_before("UPDATE messages SET status = 'Delivered', phase = 'done' WHERE fence = 1")
    assert operations.find(work.id).status == "Delivered"


QUEUED = """
INSERT INTO messages (id, access_point, key, environment, kind, content_type, file_name, sender,
    receiver, document_type, process, document, status, phase, attempts, fence, retry_until,
    attention, created_at)
SELECT 'msg_2', access_point, 'k2', environment, kind, content_type, file_name, sender, receiver,
    document_type, process, document, 'Processing', 'queued', 0, 0, retry_until, false, created_at
FROM messages WHERE id = 'msg_1'
"""


def test_a_message_that_the_one_before_queues_is_delivered(app: Flask) -> None:
    queue()
    as_before(QUEUED)
    found = operations.find("msg_2")

    assert (found.number, found.document, found.kind, found.phase) == (
        "k2",
        b"<R/>",
        "TSR",
        "queued",
    )
    assert state(Transmission, 2) == state(Message, 2)
    as_before("DELETE FROM messages WHERE id = 'msg_2'")
    assert transmissions.find("msg_2") is None


def test_messages_of_before_are_copied_in_batches_and_survive_going_back(app: Flask) -> None:
    """One more than a batch; the release before goes on with what they are."""
    count = 1_001
    schema_revisions.downgrade(BEFORE)
    with db.writing() as connection:
        connection.execute(
            sa.insert(Message),
            [
                {name: getattr(new(number), name) for name in COLUMNS_BEFORE}
                | {"status": "Failed" if number % 2 else "Processing", "phase": "done",
                   "attempts": number, "fence": 1, "attention": number % 3 == 0}
                for number in range(count)
            ],
        )  # fmt: skip
    schema_revisions.upgrade()
    numbers = sa.func.count(), sa.func.sum(Transmission.attempts)
    with db.reading() as connection:
        query = sa.select(*numbers).where(Transmission.invoice_id.is_(None))
        copied = connection.execute(query).one()

    assert tuple(copied) == (count, sum(range(count)))
    for number in range(3):
        assert state(Transmission, number) == state(Message, number)
    schema_revisions.downgrade(BEFORE)
    with db.reading() as connection:
        left = connection.execute(sa.select(sa.func.count(Message.id))).scalar_one()
    schema_revisions.upgrade()
    assert left == count


def test_outbox_rows_of_messages_are_of_the_kind_that_the_one_before_knows(app: Flask) -> None:
    work = queue()
    with db.writing() as connection:
        outbox.discard(connection, work.id)
    operations.retry_now(work.id)
    with db.reading() as connection:
        ((kind, tenant),) = connection.execute(sa.text("SELECT kind, tenant_id FROM outbox"))

    assert (kind, tenant) == (outbox.MESSAGE, outbox.NO_TENANT)
