"""Accepting many documents in one transaction: each as if it came alone, in order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.store import acceptance, db
from einvoice.store.acceptance import Accepted, Duplicate, KeyScope, Taken
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission
from tests.builders import accepted, new_send

TABLES = (Invoice, Transmission, Outbox, IdempotencyKey)


def rows() -> list[int]:
    """How many rows each of the four tables has."""
    with db.reading() as connection:
        return [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in TABLES
        ]


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
        Accepted(None), Taken(first.invoice_id, first.transmission_id, "f"), Accepted(None)
    ]  # fmt: skip
    assert rows() == [3, 3, 3, 3]


def test_of_one_key_among_many_the_first_is_written(app: Flask, tenant: str) -> None:
    sends = [new_send(tenant, key="k", fingerprint=str(n)) for n in range(3)]
    first = sends[0]

    assert acceptance.accept_many(sends) == [
        Accepted(None), *[Taken(first.invoice_id, first.transmission_id, "0")] * 2
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
    """Also among those that came together; the key of what was refused stays free."""
    first = new_send(tenant, number="N", reject_duplicates=True)
    second = replace(new_send(tenant, number="N", reject_duplicates=True), key=key)

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
        Taken(first.invoice_id, first.transmission_id, first.fingerprint)
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
    assert sum(isinstance(result, Taken) for result in results) == 140
    assert rows() == [20, 20, 20, 20]


def test_many_keys_are_found_in_one_question(app: Flask, tenant: str) -> None:
    first = accepted(tenant, key="a", space="v1")
    scopes = [KeyScope(tenant, "test", "v1", key) for key in "ab"]

    assert acceptance.find_keys(scopes) == {
        scopes[0]: Taken(first.invoice_id, first.transmission_id, first.fingerprint)
    }
    assert acceptance.find_keys([]) == {}
