"""Operations on a transmission with an unknown outcome."""

from __future__ import annotations

import contextlib

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.services.account import audit
from einvoice.services.delivery import operations
from einvoice.services.invoices import detail
from einvoice.services.principal import Principal
from einvoice.store.core import db
from einvoice.store.sending import transmissions
from einvoice.store.tables import AuditEntry, Event, Outbox, Transmission
from tests.builders import accepted
from tests.crashes import crash_before, statements_run


@pytest.fixture
def unknown(tenant) -> str:
    """A transmission that needs a person: submitted, no answer, nothing owed."""
    sent = accepted(tenant)
    with db.writing() as connection:
        connection.execute(
            sa.update(Transmission).values(phase="unknown", attention=True, attempts=1, fence=1)
        )
        connection.execute(sa.delete(Outbox))
    return sent.transmission_id


def row(transmission_id: str):
    with db.reading() as connection:
        return connection.execute(
            sa.select(Transmission.status, Transmission.phase, Transmission.attention,
                      Transmission.reason_code, Transmission.invoice_id)
            .where(Transmission.id == transmission_id)
        ).one()  # fmt: skip


def reported() -> list[str]:
    with db.reading() as connection:
        return list(connection.execute(sa.select(Event.type)).scalars())


@pytest.mark.parametrize(
    ("outcome", "status", "code", "kinds", "event"),
    [
        ("delivered", "Delivered", None, ["RECEIPT"], "transaction.sent"),
        ("failed", "Failed", "operator", ["FAILURE_REPORT"] * 2, "transaction.failed"),
    ],
)
def test_a_settlement_by_hand_is_like_the_network_s(
    unknown, tenant, outcome, status, code, kinds, event
):
    """Status, evidence and event are those of a network's outcome, except for the reason."""
    operations.resolve(unknown, outcome, b"%PDF", "mail.pdf", None)
    found = row(unknown)

    assert (found.status, found.phase, found.attention) == (status, "done", False)
    assert found.reason_code == code
    assert reported() == [event]
    who = Principal(tenant, Environment.TEST, frozenset())
    kept = detail.list_artefacts(found.invoice_id, who)
    evidence = [a for a in kept if a.kind in kinds]
    assert [a.kind for a in evidence] == kinds
    assert "application/pdf" in {a.content_type for a in evidence}


@pytest.mark.parametrize("statement", range(14))
def test_a_settlement_by_hand_is_whole_or_not_there(unknown, tenant, statement):
    """With the entry of the audit log that says who settled it; a repetition settles the rest."""
    with audit.of_operator(), crash_before(statement):
        operations.resolve(unknown, "delivered", b"%PDF", "mail.pdf", None)

    is_final = row(unknown).status == "Delivered"
    assert (len(reported()), len(resolved())) == ((1, 1) if is_final else (0, 0))
    with audit.of_operator(), contextlib.suppress(Conflict):
        operations.resolve(unknown, "delivered", b"%PDF", "mail.pdf", None)
    assert (len(reported()), len(resolved())) == (1, 1)


def test_a_settlement_by_hand_needs_no_more_statements_than_those_above(unknown, tenant):
    """Else some line was never died at."""
    with audit.of_operator(), statements_run() as found:
        operations.resolve(unknown, "delivered", b"%PDF", "mail.pdf", None)

    assert 0 < len(found) <= 14


def resolved() -> list[str]:
    with db.reading() as connection:
        query = sa.select(AuditEntry.target).where(AuditEntry.action == "transmission.resolved")
        return list(connection.execute(query).scalars())


def test_what_needs_a_person_is_listed_until_it_is_settled(unknown):
    assert [work.id for work in operations.needing_attention()] == [unknown]
    operations.resolve(unknown, "failed", b"x", "note.txt", "The network lost it.")

    assert operations.needing_attention() == []


@pytest.mark.parametrize("outcome", ["delivered", "failed"])
def test_what_is_final_stays(unknown, outcome):
    operations.resolve(unknown, "delivered", b"x", "a", None)

    with pytest.raises(Conflict, match="final"):
        operations.resolve(unknown, outcome, b"y", "b", None)
    assert row(unknown).status == "Delivered"
    assert reported() == ["transaction.sent"]


def test_a_worker_that_was_quicker_keeps_its_work(unknown, monkeypatch):
    """If the fence was passed after the operator read it, the row of the work stays."""
    seen = transmissions.find(unknown)
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).values(fence=2, phase="submitting"))
        connection.execute(sa.insert(Outbox).values(
            kind="transmission", lane="chores", subject_id=unknown, tenant_id=seen.tenant_id,
            due_at=seen.created_at,
        ))  # fmt: skip
    monkeypatch.setattr(transmissions, "find", lambda _: seen)

    with pytest.raises(Conflict, match="meanwhile"):
        operations.resolve(unknown, "failed", b"x", "a", None)
    assert row(unknown).status == "Processing"
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(Outbox)).scalar() == 1


@pytest.mark.parametrize(
    "step", [lambda i: operations.resolve(i, "failed", b"", "a", None), operations.retry_now]
)
def test_an_unknown_transmission_is_said_to_be_unknown(app, step):
    with pytest.raises(NotFound):
        step("txn_none")


def test_retry_makes_the_next_step_due_now_even_when_none_was_planned(unknown):
    """A transmission that waits for a person owes no work: retry owes it again."""
    operations.retry_now(unknown)

    with db.reading() as connection:
        lanes = list(connection.execute(sa.select(Outbox.lane, Outbox.subject_id)))
    assert lanes == [("chores", unknown)]
