"""Messages: transmissions without an invoice, as access points queue them.

They are delivered as documents are (`transmit`): prepared once, stored before the first attempt,
fenced, polled, and never repeated blindly. What their outcome stores is in `message_outcomes`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids
from einvoice.network.messages import Outgoing
from einvoice.store.core import db
from einvoice.store.sending import messages
from einvoice.store.sending.messages import MessageOwner, NewMessage
from einvoice.store.sending.messages import MessageRecord as MessageRecord

# -- queue -----------------------------------------------------------------------------------------


def queue(access_point: str, message: Outgoing) -> str:
    """Queue a message, once for each key; its id.

    Raises ValueError if it answers a document that the access point has neither handed over nor
    been given to send.
    """
    with db.writing() as connection:
        return add(connection, access_point, message)


def add(connection: Connection, access_point: str, message: Outgoing) -> str:
    """`queue` inside the caller's transaction."""
    owner = _owner(connection, access_point, message)
    return messages.add(connection, _new(access_point, message, owner, clock.now()))


def _owner(connection: Connection, access_point: str, message: Outgoing) -> MessageOwner:
    """The owner of a message, and the connection by which it is sent. Raises ValueError."""
    owner = MessageOwner(None, None)
    if message.answers is not None:
        found = messages.owner_of_document(connection, message.answers, access_point)
        if found is None:
            refusal = f"{access_point} has had no document {message.answers[:40]!r}"
            raise ValueError(refusal)
        owner = found
    if message.connection_id is not None:
        tenant_id = messages.tenant_of_connection(connection, message.connection_id, access_point)
        if tenant_id is None or owner.tenant_id not in {None, tenant_id}:
            raise ValueError(f"{access_point} has no such connection of the tenant")
        owner = MessageOwner(tenant_id, message.connection_id)
    return owner


def _new(access_point: str, message: Outgoing, owner: MessageOwner, now: datetime) -> NewMessage:
    return NewMessage(
        id=ids.message_id(now),
        access_point=access_point,
        key=message.key,
        environment=message.environment.value,
        tenant_id=owner.tenant_id,
        invoice_id=message.answers,
        connection_id=owner.connection_id,
        kind=message.kind.code,
        content_type=message.kind.content_type,
        file_name=message.kind.file_name,
        sender=str(message.sender),
        receiver=str(message.receiver),
        document_type=str(message.document_type),
        process=str(message.process),
        sender_country=message.sender_country,
        receiver_country=message.receiver_country,
        document=message.document,
        retry_until=now + message.retry_for,
        created_at=now,
        reports_to=message.reports_to,
        due_at=now + message.due_in if message.reports_to else None,
    )
