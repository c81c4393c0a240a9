"""A lookup older than `lookup_fresh_for` is refreshed before a document is submitted."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice.network.types import Registration as Answer
from einvoice.store.core import db
from einvoice.store.tables import Registration
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller
from tests.web.submission.documents import request_of, two_lines

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


@pytest.mark.parametrize(
    "answer",
    [
        DirectoryUnavailable("not now"),
        NotRegistered(may_return=True),
        KeyError("endpoint"),
        None,
    ],
)
def test_a_document_waits_while_the_directory_gives_no_certain_answer(caller, directory, answer):
    """A receiver that was registered a short time ago may come back. What an access point returns
    by mistake, or raises, says nothing of a receiver."""
    invoice = sent_after(caller, FRESH_FOR + 60)
    questions = directory(answer)
    caller.work()

    assert len(questions) == 1
    assert state(caller, invoice) == ("Processing", None, False)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("answer", [None, Answer(("urn:invoice",))], ids=["nothing", "text"])
def test_what_is_no_answer_is_no_absence(caller, directory, answer):
    """The sender is told to ask again, and the reference of the last lookup stays."""
    reference = caller.reference()
    directory(answer)

    assert caller.lookup().status_code == 503
    assert _registered(caller, reference)


def test_an_absence_that_may_not_last_is_said_and_ends_no_reference(caller, directory):
    """The lookup says what was seen; the next one may see the participant again."""
    reference = caller.reference()
    other = ParticipantId("9925", "be0123456749")
    directory(NotRegistered(may_return=True, registered_as=other))
    seen = caller.lookup().json
    kept = _registered(caller, reference)
    directory(NotRegistered())
    gone = caller.lookup().json

    assert (seen["isRegistered"], seen["registeredAs"]) == (False, "9925:be0123456749")
    assert kept
    assert not gone["isRegistered"]
    assert "registeredAs" not in gone
    assert not _registered(caller, reference)


def _registered(caller: Caller, reference: str) -> bool:
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Registration.registered).where(Registration.id == reference)
        return bool(connection.execute(query).scalar_one())


def test_a_send_to_the_other_id_of_a_company_is_refused_with_the_registered_one(caller, directory):
    directory(NotRegistered(registered_as=ParticipantId("9925", "be0403019261")))
    receiver = "0208:0403019261"
    body = request_of(two_lines("R-1", receiver=receiver), receiver)
    refusal = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")

    assert refusal.status_code == 400
    assert refusal.json["receiverParticipantId"] == receiver
    assert "9925:be0403019261" in refusal.json["detail"]
