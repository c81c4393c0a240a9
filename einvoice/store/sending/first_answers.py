"""The first answer of a send, fixed once (decisions 0.1)."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import select, update

from einvoice import clock
from einvoice.domain.delivery import NetworkStatus, SendAnswer
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db
from einvoice.store.tables import Transmission


def fix(transmission_id: str, key: KeyScope | None, *, until_settled: bool = False) -> SendAnswer:
    """End the wait of the sending request, and return its answer; the first caller decides.

    A document rejected by now is answered `network_failed`, and its key is released in the same
    transaction. A delivered one is answered `delivered` with `until_settled`; all else
    `processing`.
    """
    answer = sa.case(
        (
            sa.and_(Transmission.rejected, Transmission.answer_by >= clock.now()),
            SendAnswer.NETWORK_FAILED.value,
        ),
        (
            sa.and_(
                sa.literal(until_settled), Transmission.status == NetworkStatus.DELIVERED.value
            ),
            SendAnswer.DELIVERED.value,
        ),
        else_=SendAnswer.PROCESSING.value,
    )
    statement = (
        update(Transmission)
        .where(Transmission.id == transmission_id, Transmission.answered.is_(None))
        .values(answered=answer)
        .returning(Transmission.answered)
    )
    with db.writing() as connection:
        fixed: str | None = connection.execute(statement).scalar_one_or_none()
        if fixed == SendAnswer.NETWORK_FAILED and key is not None:
            idempotency.release(connection, key, transmission_id)
    return SendAnswer(fixed) if fixed is not None else _earlier(transmission_id)


def _earlier(transmission_id: str) -> SendAnswer:
    query = select(Transmission.answered).where(Transmission.id == transmission_id)
    with db.reading() as connection:
        answered = connection.execute(query).scalar_one()
    return SendAnswer.PROCESSING if answered is None else SendAnswer(answered)
