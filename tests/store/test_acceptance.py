"""Acceptance: all rows or none, once per idempotency key, also under concurrent requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.delivery import SendAnswer
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.core import db
from einvoice.store.sending import acceptance, first_answers
from einvoice.store.sending.new_sends import Acceptance, Accepted, Duplicate, NewSend
from einvoice.store.tables import Invoice, Transmission
from tests.builders import accepted, new_send
from tests.store.accepted_rows import rows


def test_a_send_writes_its_four_rows_together(app: Flask, tenant: str) -> None:
    """Invoice, transmission, work and key are one write."""
    assert acceptance.accept(new_send(tenant, key="k")) == Accepted(None)

    assert rows() == [1, 1, 1, 1]


def test_a_send_without_a_key_leaves_no_key(app: Flask, tenant: str) -> None:
    acceptance.accept(new_send(tenant))

    assert rows() == [1, 1, 1, 0]


def test_what_is_written_is_what_was_given(app: Flask, tenant: str) -> None:
    """Amounts, dates, times and bytes come back as they went in."""
    send = accepted(tenant, due_date=None, warnings=[{"code": "x"}], document="ümlaut".encode())

    with db.reading() as connection:
        row = connection.execute(
            sa.select(
                Invoice.grand_total, Invoice.issue_date, Invoice.due_date, Invoice.warnings,
                Invoice.document, Invoice.created_at, Transmission.retry_until,
            ).join(Transmission, Transmission.invoice_id == Invoice.id)
        ).one()  # fmt: skip
    assert tuple(row) == (
        send.head.grand_total, send.head.issue_date, None, [{"code": "x"}], send.content.document,
        send.created_at, send.retry_until,
    )  # fmt: skip


def test_a_second_send_with_the_key_is_told_of_the_first(app: Flask, tenant: str) -> None:
    first = accepted(tenant, key="k", fingerprint="f1")

    second = acceptance.accept(new_send(tenant, key="k", fingerprint="f2"))

    assert second == AcceptedKey(first.invoice_id, first.transmission_id, "f1")
    assert rows() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "elsewhere",
    [{"environment": "live"}, {"space": "v1"}, {"tenant_id": "another"}],
    ids=["environment", "family of routes", "tenant"],
)
def test_a_key_means_nothing_elsewhere(app: Flask, tenant: str, elsewhere: dict[str, str]) -> None:
    """Keys are scoped to tenant, environment and family of routes (decisions 19.4)."""
    accepted(tenant, key="k")

    assert acceptance.accept(
        new_send(**({"tenant_id": tenant, "key": "k"} | elsewhere))
    ) == Accepted(None)


def test_fifty_equal_keys_at_once_make_one_invoice(app: Flask, tenant: str) -> None:
    def _accept(_: int) -> Acceptance:
        with app.app_context():
            return acceptance.accept(new_send(tenant, key="k"))

    with ThreadPoolExecutor(10) as pool:
        results = list(pool.map(_accept, range(50)))

    assert sum(isinstance(result, Accepted) for result in results) == 1
    assert len({r.invoice_id for r in results if isinstance(r, AcceptedKey)}) == 1
    assert rows() == [1, 1, 1, 1]


def test_the_same_send_again_is_accepted_and_written_once(app: Flask, tenant: str) -> None:
    """A statement whose answer was lost with the connection may be repeated."""
    send = accepted(tenant, key="k")

    assert acceptance.accept(send) == Accepted(None)
    assert rows() == [1, 1, 1, 1]


class TestDuplicateNumbers:
    """The same number of the same sender, not Failed, is a possible duplicate (decisions 12)."""

    def test_is_accepted_with_a_warning(self, app: Flask, tenant: str) -> None:
        first = accepted(tenant, number="A")

        assert acceptance.accept(new_send(tenant, number="A")) == Accepted(first.invoice_id)

    def test_is_refused_where_the_tenant_wants_so(self, app: Flask, tenant: str) -> None:
        first = accepted(tenant, number="A")

        again = acceptance.accept(new_send(tenant, number="A", reject_duplicates=True))

        assert again == Duplicate(first.invoice_id)
        assert rows()[0] == 1

    @pytest.mark.parametrize(
        "other",
        [
            {"number": "B"},
            {"sender": "0208:0999999922"},
            {"kind": "creditNote"},
            {"issue_date": date(2025, 12, 31)},
            {"issue_date": date(2027, 1, 1)},
        ],
    )
    def test_another_number_sender_kind_or_year_is_not(
        self, app: Flask, tenant: str, other: dict[str, Any]
    ) -> None:
        """Numbers start again each year, and those of credit notes are a range of their own."""
        accepted(tenant, number="A")

        fresh = new_send(tenant, **({"number": "A", "reject_duplicates": True} | other))
        assert acceptance.accept(fresh) == Accepted(None)

    @pytest.mark.parametrize("day", [date(2026, 1, 1), date(2026, 12, 31)])
    def test_any_day_of_the_year_counts(self, app: Flask, tenant: str, day: date) -> None:
        first = accepted(tenant, number="A")

        again = new_send(tenant, number="A", issue_date=day, reject_duplicates=True)
        assert acceptance.accept(again) == Duplicate(first.invoice_id)

    @pytest.mark.parametrize("status", ["Failed", "Received"])
    def test_what_failed_or_came_in_does_not_count(
        self, app: Flask, tenant: str, status: str
    ) -> None:
        """Of two participants of one tenant the one receives the number that the other sent."""
        accepted(tenant, number="A")
        with db.writing() as connection:
            connection.execute(sa.update(Transmission).values(status=status))

        fresh = new_send(tenant, number="A", reject_duplicates=True)
        assert acceptance.accept(fresh) == Accepted(None)


class TestAnswer:
    """The first answer is fixed once (decisions 0.1)."""

    def waiting(self, tenant: str, **changes: object) -> NewSend:
        return accepted(
            tenant,
            key="k",
            answered=None,
            answer_by=clock.now() + timedelta(seconds=5),
            **changes,
        )

    def scope(self, send: NewSend) -> KeyScope:
        return KeyScope(send.tenant_id, "test", "send", "k")

    def reject(self) -> None:
        with db.writing() as connection:
            connection.execute(sa.update(Transmission).values(status="Failed", rejected=True))

    def test_an_open_outcome_is_answered_processing(self, app: Flask, tenant: str) -> None:
        send = self.waiting(tenant)

        assert first_answers.fix(send.transmission_id, self.scope(send)) is SendAnswer.PROCESSING
        assert idempotency.find(self.scope(send)) is not None

    def test_a_rejection_in_time_frees_the_key(self, app: Flask, tenant: str) -> None:
        send = self.waiting(tenant)
        self.reject()

        assert (
            first_answers.fix(send.transmission_id, self.scope(send)) is SendAnswer.NETWORK_FAILED
        )
        assert idempotency.find(self.scope(send)) is None

    def test_the_first_word_stays(self, app: Flask, tenant: str) -> None:
        """A rejection after the answer does not change the answer."""
        send = self.waiting(tenant)
        first_answers.fix(send.transmission_id, self.scope(send))
        self.reject()

        assert first_answers.fix(send.transmission_id, self.scope(send)) is SendAnswer.PROCESSING

    def test_a_wait_that_died_counts_as_processing(self, app: Flask, tenant: str) -> None:
        """NULL past answer_by is Processing, whatever the network said (docs/states.md)."""
        send = accepted(
            tenant, key="k", answered=None, answer_by=clock.now() - timedelta(milliseconds=1)
        )
        self.reject()

        assert first_answers.fix(send.transmission_id, self.scope(send)) is SendAnswer.PROCESSING
