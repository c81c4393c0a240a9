"""A lookup older than `lookup_fresh_for` is refreshed before a document is submitted."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice.store import db
from einvoice.store.tables import Registration
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller

FRESH_FOR = 600


@pytest.fixture
def caller(make_app):
    return Caller(make_app(lookup_fresh_for=FRESH_FOR))


@pytest.fixture
def directory(caller, monkeypatch):
    """`directory(answer)`: every lookup from now on gets this answer; the list counts them."""
    point = type(runtime_of(caller.app).access_points["simulator"])

    def answering(answer):
        asked = []

        def look_up(self, participant):
            asked.append(str(participant))
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(point, "lookup", look_up)
        return asked

    return answering


def sent_after(caller: Caller, age: float) -> str:
    """An invoice that waits for a worker, by a lookup of this age in seconds."""
    invoice = caller.sent()
    with caller.app.app_context(), db.writing() as connection:
        checked = clock.now() - timedelta(seconds=age)
        connection.execute(sa.update(Registration).values(checked_at=checked))
    return invoice


def state(caller: Caller, invoice: str) -> tuple[str, str | None, bool]:
    """Status, reason, and whether the document was submitted."""
    found = caller.get(f"/api/invoices/{invoice}").json
    submitted = any(entry["event"] == "submitted" for entry in found["history"])
    return found["networkStatus"], found["reasonCode"], submitted


@pytest.mark.parametrize(
    ("age", "asked", "expected"),
    [
        (FRESH_FOR, 0, ("Processing", None, True)),
        (FRESH_FOR + 0.001, 1, ("Failed", "receiver-unknown", False)),
    ],
)
def test_a_receiver_that_left_the_directory_is_not_sent_to(
    caller, directory, move, age, asked, expected
):
    """Decisions 12. A lookup exactly as old as allowed is trusted without another question."""
    invoice = sent_after(caller, age)
    questions = directory(NotRegistered())
    caller.work()

    assert len(questions) == asked
    assert state(caller, invoice) == expected


def test_a_document_waits_while_the_directory_does_not_answer(caller, directory):
    invoice = sent_after(caller, FRESH_FOR + 60)
    questions = directory(DirectoryUnavailable("not now"))
    caller.work()

    assert len(questions) == 1
    assert state(caller, invoice) == ("Processing", None, False)
