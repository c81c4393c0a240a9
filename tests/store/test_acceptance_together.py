"""Accepting documents of several requests in one commit has the results of separate commits."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask

from einvoice import clock
from einvoice.services.account import tenants
from einvoice.store.account.idempotency import AcceptedKey
from einvoice.store.core import db
from einvoice.store.sending import acceptance, acceptance_statement
from einvoice.store.sending.new_sends import Accepted, Duplicate, NewSend
from tests.builders import accepted, new_send
from tests.store.accepted_rows import keys_in_order_of_insertion, rows


def key_of(send: NewSend) -> AcceptedKey:
    """What another send with the key of this one gets."""
    return AcceptedKey(send.invoice_id, send.transmission_id, send.fingerprint)


def test_documents_of_several_tenants_are_stored_together(app: Flask, tenant: str) -> None:
    """With keys and without; equal keys and numbers of two tenants do not meet."""
    other = tenants.create("Other")
    sends = [new_send(t, key=k, number="N") for t in (tenant, other) for k in (None, "k")]

    results = acceptance.accept_together(sends)

    assert results[::2] == [Accepted(None)] * 2
    assert results[1::2] in (
        [Accepted(sends[0].invoice_id), Accepted(sends[2].invoice_id)],
        [Accepted(None)] * 2,
    )
    assert rows() == [4, 4, 4, 2]


def test_keys_are_taken_in_their_order(app: Flask, tenant: str) -> None:
    """Whatever the order of the requests: otherwise two groups could wait for each other."""
    acceptance.accept_together([new_send(tenant, key=key) for key in "cab"])

    assert keys_in_order_of_insertion() == ["a", "b", "c"]


def test_the_second_of_a_key_gets_what_the_first_was_accepted_for(app: Flask, tenant: str) -> None:
    """Inside a group as between groups."""
    earlier = accepted(tenant, key="a", fingerprint="f")
    sends = [new_send(tenant, key=key) for key in "bab"]

    assert acceptance.accept_together(sends) == [Accepted(None), key_of(earlier), key_of(sends[0])]
    assert rows() == [2, 2, 2, 2]


def test_the_second_of_a_number_is_noticed(app: Flask, tenant: str) -> None:
    """In the order of arrival, with any keys."""
    sends = [
        new_send(tenant, number="N", key=key, created_at=clock.now() + timedelta(seconds=n))
        for n, key in enumerate(("c", None, "a"))
    ]

    assert acceptance.accept_together(sends) == [
        Accepted(None), Accepted(sends[0].invoice_id), Accepted(sends[0].invoice_id)
    ]  # fmt: skip


def test_a_tenant_may_refuse_the_second_of_a_number_in_a_group(app: Flask, tenant: str) -> None:
    """It is not stored, and takes no key."""
    sends = [new_send(tenant, number="N", reject_duplicates=True) for _ in range(2)]

    assert acceptance.accept_together(sends) == [
        Accepted(None), Duplicate(sends[0].invoice_id)
    ]  # fmt: skip
    assert rows() == [1, 1, 1, 0]


def test_a_document_that_cannot_be_stored_takes_no_other_with_it(app: Flask, tenant: str) -> None:
    """It gets its exception, and all others are stored."""
    broken = new_send(tenant, key="b", number=None, kind=None)
    sends = [new_send(tenant, key="a"), broken, new_send(tenant)]

    first, fault, last = acceptance.accept_together(sends)

    assert (first, last) == (Accepted(None), Accepted(None))
    assert isinstance(fault, Exception)
    assert rows() == [2, 2, 2, 1]


def test_a_document_of_an_earlier_try_is_stored_once(app: Flask, tenant: str) -> None:
    """The commit whose answer was lost with the connection stands."""
    sends = [new_send(tenant, key=key) for key in "ab"]
    acceptance.accept_together(sends)

    assert acceptance.accept_together(sends) == [Accepted(None), Accepted(None)]
    assert rows() == [2, 2, 2, 2]


def test_groups_that_take_the_same_keys_never_block_each_other(app: Flask, tenant: str) -> None:
    """Each key is accepted once, whatever the orders in which groups have them."""
    keys = [f"k{n}" for n in range(8)]

    def _accept(seed: int) -> list[Any]:
        shuffled = random.Random(seed).sample(keys, len(keys))
        with app.app_context():
            return acceptance.accept_together([new_send(tenant, key=key) for key in shuffled])

    with ThreadPoolExecutor(6) as threads:
        groups = list(threads.map(_accept, range(12)))

    flat = [result for group in groups for result in group]
    assert flat.count(Accepted(None)) == len(keys)
    assert all(isinstance(result, Accepted | AcceptedKey) for result in flat)
    assert rows() == [8, 8, 8, 8]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
class TestPostgresql:
    def test_a_group_is_one_transaction(self, app: Flask, tenant: str) -> None:
        """One commit for all rows: they have one transaction id."""
        acceptance.accept_together([new_send(tenant, key=f"k{n}") for n in range(5)])

        with db.reading() as connection:
            found = connection.exec_driver_sql(
                "SELECT DISTINCT xmin::text FROM invoices UNION SELECT xmin::text FROM outbox"
            ).all()
        assert len(found) == 1

    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_connection_lost_around_the_commit_loses_and_repeats_none(
        self, app: Flask, tenant: str, when: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whether all of the group was committed or none, each is stored once in the end."""
        sends = [new_send(tenant, key="k" if n else None) for n in range(2)]
        together = db.run_together_on_driver

        def _lost(statements: Any) -> None:
            if when == "after":
                together(statements)

        monkeypatch.setattr(acceptance_statement.db, "run_together_on_driver", _lost)
        assert acceptance.accept_together(sends) == [Accepted(None)] * 2
        assert rows() == [2, 2, 2, 1]

    def test_a_server_process_that_ends_within_the_pipeline_costs_no_send(
        self, app: Flask, tenant: str, database_url: str
    ) -> None:
        """The group fails as a whole, and is stored one by one on a new connection."""
        acceptance.accept(new_send(tenant))
        server = db.run_on_driver("SELECT pg_backend_pid()", {})
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 60000)", server)
        sends = [new_send(tenant, key=f"k{n}") for n in range(3)]

        assert acceptance.accept_together(sends) == [Accepted(None)] * 3
        assert rows() == [4, 4, 4, 3]
