"""Accepting many documents in one transaction has the results of accepting each in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_sends import Accepted, Duplicate, NewSend
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission
from tests.builders import accepted, new_send
from tests.store.accepted_rows import keys_in_order_of_insertion, rows


def test_many_are_written_as_one_would_be(app: Flask, tenant: str) -> None:
    sends = [new_send(tenant, key=f"k{n}" if n % 2 else None) for n in range(5)]

    assert acceptance.accept_many(sends) == [Accepted(None)] * 5
    assert rows() == [5, 5, 5, 2]


def test_none_is_nothing(app: Flask, tenant: str) -> None:
    assert acceptance.accept_many([]) == []
    assert rows() == [0, 0, 0, 0]


def test_a_key_taken_before_is_told_in_its_place(app: Flask, tenant: str) -> None:
    first = accepted(tenant, key="b", fingerprint="f")
    results = acceptance.accept_many([new_send(tenant, key=key) for key in "abc"])

    assert results == [
        Accepted(None), AcceptedKey(first.invoice_id, first.transmission_id, "f"), Accepted(None)
    ]  # fmt: skip
    assert rows() == [3, 3, 3, 3]


def test_keys_are_taken_in_their_order(app: Flask, tenant: str) -> None:
    """Whatever the order of the documents: otherwise two batches could wait for each other."""
    acceptance.accept_many([new_send(tenant, key=key) for key in "cab"])

    assert keys_in_order_of_insertion() == ["a", "b", "c"]


def test_of_one_key_among_many_the_first_is_written(app: Flask, tenant: str) -> None:
    sends = [new_send(tenant, key="k", fingerprint=str(n)) for n in range(3)]
    first = sends[0]

    assert acceptance.accept_many(sends) == [
        Accepted(None), *[AcceptedKey(first.invoice_id, first.transmission_id, "0")] * 2
    ]  # fmt: skip
    assert rows() == [1, 1, 1, 1]


def test_a_number_twice_among_many_is_a_warning(app: Flask, tenant: str) -> None:
    """The second knows of the first, and its warning is stored."""
    first, second = (new_send(tenant, number="N") for _ in range(2))

    assert acceptance.accept_many([first, second]) == [Accepted(None), Accepted(first.invoice_id)]
    with db.reading() as connection:
        query = sa.select(Invoice.warnings).where(Invoice.id == second.invoice_id)
        assert connection.execute(query).scalar_one() == [second.duplicate_warning]


@pytest.mark.parametrize("key", [None, "new"])
def test_a_tenant_may_refuse_the_second_of_a_number(
    app: Flask, tenant: str, key: str | None
) -> None:
    """Also within one call; the key of a refused document stays free."""
    first = new_send(tenant, number="N", reject_duplicates=True)
    second = new_send(tenant, number="N", reject_duplicates=True, key=key)

    assert acceptance.accept_many([first, second]) == [
        Accepted(None), Duplicate(first.invoice_id)
    ]  # fmt: skip
    assert rows() == [1, 1, 1, 0]


def test_the_result_of_a_known_key_goes_before_the_refusal_of_its_number(
    app: Flask, tenant: str
) -> None:
    """A repeated request is a replay, whatever the tenant's switch says."""
    first = accepted(tenant, number="N", key="k")
    again = new_send(tenant, number="N", key="k", reject_duplicates=True)

    assert acceptance.accept_many([again]) == [
        AcceptedKey(first.invoice_id, first.transmission_id, first.fingerprint)
    ]


def test_batches_with_the_same_keys_at_once_make_one_invoice_each(app: Flask, tenant: str) -> None:
    """In any order, without ever waiting for each other in a circle."""
    keys = [f"k{n}" for n in range(20)]

    def one(turn: int) -> list[object]:
        order = keys if turn % 2 else keys[::-1]
        with app.app_context():
            results = acceptance.accept_many([new_send(tenant, key=key) for key in order])
        return list(results)

    with ThreadPoolExecutor(8) as threads:
        results = [result for batch in threads.map(one, range(8)) for result in batch]

    assert sum(isinstance(result, Accepted) for result in results) == 20
    assert sum(isinstance(result, AcceptedKey) for result in results) == 140
    assert rows() == [20, 20, 20, 20]


def test_many_keys_are_found_in_one_question(app: Flask, tenant: str) -> None:
    first = accepted(tenant, key="a", space="v1")
    scopes = [KeyScope(tenant, "test", "v1", key) for key in "ab"]

    assert idempotency.find_many(scopes) == {
        scopes[0]: AcceptedKey(first.invoice_id, first.transmission_id, first.fingerprint)
    }
    assert idempotency.find_many([]) == {}


def _stored(send: NewSend) -> list[object]:
    """All rows of a send, without what differs between two sends by design."""
    tables = (Invoice, Transmission, Outbox, IdempotencyKey)
    named = {send.invoice_id: "invoice", send.transmission_id: "transmission"}
    owned = (Invoice.id, Transmission.invoice_id, Outbox.subject_id, IdempotencyKey.invoice_id)
    values = (send.invoice_id, send.invoice_id, send.transmission_id, send.invoice_id)
    with db.reading() as connection:
        return [
            {
                name: named.get(value, value) if isinstance(value, str) else value
                for name, value in connection.execute(
                    sa.select(*table.__table__.columns).where(column == of)
                ).one()._asdict().items()
                if name not in ("key", "number")
                and not (table is Outbox and name == "id")
            }
            for table, column, of in zip(tables, owned, values, strict=True)
        ]  # fmt: skip


def test_one_statement_writes_what_the_plain_way_writes(app: Flask, tenant: str) -> None:
    """On PostgreSQL a single document takes one statement; `accept_many` is its plain version."""
    now = clock.now()
    same = {
        "created_at": now,
        "retry_until": now,
        "embed_pdf": "due",
        "buyer_tax_id": "NL1",
        "buyer_ids": {"vat": "NL1"},
        "receiver": None,
        "profile": "toll-bill",
    }
    fast, plain = (
        new_send(tenant, key=key, number=key, warnings=[{"code": "x"}], **same)
        for key in ("fast", "plain")
    )
    assert acceptance.accept(fast) == acceptance.accept_many([plain])[0]

    assert _stored(fast) == _stored(plain)
