"""The page of participant ids."""

from __future__ import annotations

import re
import uuid

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/settings/participants"
LIVE = f"{PAGE}?environment=live"
TEST = f"{PAGE}?environment=test"


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


@pytest.fixture
def participant() -> str:
    """One that no other test of this database claims."""
    return f"0088:{uuid.uuid4().int % 10**13:013d}"


def removal(environment: str) -> str:
    return f"{PAGE}/delete?environment={environment}"


def shown(answer) -> list[tuple[str, str]]:
    """The ids of the list with their states."""
    rows = r'<td class="mono">([^<]+)</td>\s*<td><span class="badge \w+">([^<]+)<'
    return re.findall(rows, answer.text)


def claimed(visitor, participant, page=LIVE):
    return visitor.post(page, {"participantId": participant})


def test_an_id_of_the_sandbox_is_verified_at_once_and_removed(visitor, participant):
    done = claimed(visitor, f" {participant} ", TEST)
    page = visitor.get(done.headers["Location"])
    assert "The participant id is yours." in page.text
    assert shown(page) == [(participant, "Verified")]
    visitor.post(removal("test"), {"participantId": participant})

    assert shown(visitor.get(TEST)) == []


def test_a_claim_in_live_waits_and_a_rejected_one_has_its_reason(visitor, participant, app):
    done = claimed(visitor, participant)
    page = visitor.get(done.headers["Location"])
    assert "waits for a decision" in page.text
    assert shown(page) == [(participant, "Waits for a decision")]
    with app.app_context():
        place = Environment.LIVE
        claims.reject(visitor.tenant, place, ParticipantId.parse(participant), "Not your number.")
    page = visitor.get(LIVE)

    assert shown(page) == [(participant, "Rejected")]
    assert "Not your number." in page.text
    assert claimed(visitor, participant).status_code == 303


def test_an_id_is_removed_in_one_environment_only(visitor, participant):
    for page in (LIVE, TEST):
        claimed(visitor, participant, page)
    visitor.post(removal("live"), {"participantId": participant})

    assert (len(shown(visitor.get(LIVE))), len(shown(visitor.get(TEST)))) == (0, 1)


@pytest.mark.parametrize("typed", ["nonsense", "0088:", "9:1", "x" * 200])
def test_what_is_no_id_is_refused_and_kept_in_the_form(visitor, typed):
    answer = claimed(visitor, typed)

    assert answer.status_code == 409
    assert 'role="alert"' in answer.text
    assert f'value="{typed}"' in answer.text
    assert shown(visitor.get(LIVE)) == []


def test_an_id_that_the_account_claims_already_is_refused(visitor, participant):
    claimed(visitor, participant)
    answer = claimed(visitor, participant)

    assert answer.status_code == 409
    assert f"{participant} in live: it is pending" in answer.text


def test_the_list_is_paged(visitor):
    ids = sorted(f"0088:{uuid.uuid4().int % 10**13:013d}" for _ in range(52))
    for each in ids:
        visitor.person.post("/api/participants", {"participantId": each, "environment": "test"})
    first = visitor.get(TEST)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")

    assert [each for each, _ in shown(first)] == ids[:50]
    assert [each for each, _ in shown(visitor.get(following))] == ids[50:]


def test_a_stranger_sees_and_removes_nothing(visitor, participant, app):
    claimed(visitor, participant)
    stranger = Visitor(app)
    answer = stranger.post(removal("live"), {"participantId": participant})

    assert answer.status_code == 404
    assert shown(stranger.get(LIVE)) == []
    assert shown(visitor.get(LIVE)) == [(participant, "Waits for a decision")]


def test_a_member_reads_the_list_and_changes_nothing(visitor, participant, app):
    claimed(visitor, participant)
    member = Visitor(app, visitor.tenant, Role.MEMBER)
    page = member.get(LIVE)

    assert shown(page) == [(participant, "Waits for a decision")]
    assert "/delete" not in page.text
    assert 'name="participantId"' not in page.text
    assert claimed(member, participant).status_code == 403
    assert member.post(removal("live"), {"participantId": participant}).status_code == 403
