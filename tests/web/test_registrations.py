"""What networks say of the account's participant ids, in the API and on the page."""

from __future__ import annotations

import html
import re
import uuid
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import Publication, Published
from einvoice.domain.roles import Role
from einvoice.services.participants import standings
from einvoice.store.account import participants
from einvoice.store.core import db
from einvoice.store.tables import Participant
from einvoice.web.runtime import runtime_of
from tests.networks import registrar
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/settings/participants?environment=live"
NOON, AT_NOON = datetime(2026, 11, 23, 12, tzinfo=UTC), "2026-11-23T12:00:00.000Z"


@pytest.fixture(scope="module")
def service(build):
    return build([registrar])


@pytest.fixture
def point(service, monkeypatch):
    point = runtime_of(service).access_points["register-live"]
    monkeypatch.setattr(point, "here", set())
    monkeypatch.setattr(point, "asked", [])
    monkeypatch.setattr(point, "away", False)
    return point


@pytest.fixture
def ann(service):
    return Dashboard(service, Caller(service, Environment.LIVE).tenant, Role.ADMIN)


@pytest.fixture
def claimed(ann) -> str:
    """A participant id that the account claims in live."""
    participant = f"0088:{uuid.uuid4().int % 10**13:013d}"
    body = {"participantId": participant, "environment": "live"}
    assert ann.post("/api/participants", body).status_code == 201
    return participant


def address(participant: str, environment: str = "live") -> str:
    return f"/api/participants/{environment}/{participant}/registrations"


def test_a_network_says_whether_an_id_is_registered_and_with_whom(ann, claimed, point, service):
    """Here, with another access point, or not; the endpoint and documents where it is."""
    absent = ann.get(address(claimed)).json
    point.here = {claimed}
    runtime_of(service).caches.clear()
    here = ann.get(address(claimed)).json

    assert (absent["participantId"], absent["environment"]) == (claimed, "live")
    assert absent["items"] == [
        {"network": "register", "status": "not-registered", "endpoint": None,
         "certificateExpiresAt": None, "documentTypes": None}
    ]  # fmt: skip
    assert [(one["status"], one["documentTypes"]) for one in here["items"]] == [("here", 1)]


@pytest.mark.parametrize(
    ("known", "members", "badge"),
    [
        (Published(), ("none", None, None, None), None),
        (
            Published(Publication.NONE, "not-registered", NOON, NOON),
            ("none", "not-registered", AT_NOON, AT_NOON), "note",
        ),
        (
            Published(Publication.PUBLISHED, None, NOON, NOON, NOON),
            ("published", None, AT_NOON, AT_NOON), "good",
        ),
        (
            Published(Publication.MOVED, "elsewhere", NOON, NOON),
            ("moved", "elsewhere", AT_NOON, AT_NOON), "bad",
        ),
    ],
)  # fmt: skip
def test_what_the_network_said_last_is_with_each_id(ann, claimed, service, known, members, badge):
    with service.app_context(), db.writing_session() as session:
        query = sa.select(Participant).where(Participant.participant == claimed)
        participants.set_published(session.scalars(query).one(), known)
    (item,) = ann.get("/api/participants").json["items"]
    names = ("", "Reason", "Since", "CheckedAt")
    cell = (
        Visitor(service, ann.tenant)
        .get(PAGE)
        .text.partition('id="network-1"')[2]
        .partition("</td>")[0]
    )

    assert tuple(item[f"publication{name}"] for name in names) == members
    assert re.findall(r'<span class="badge (\w+)">', cell) == ([badge] if badge else [])


def test_one_with_another_access_point_is_elsewhere(ann, point):
    ann.post("/api/participants", {"participantId": registrar.ELSEWHERE, "environment": "live"})
    (item,) = ann.get(address(registrar.ELSEWHERE)).json["items"]

    assert item["status"] == "elsewhere"


def test_complete_answers_are_kept_and_missing_ones_are_asked_for_again(ann, claimed, point):
    point.here, point.away = {claimed}, True
    silent = ann.get(address(claimed)).json["items"]
    point.away = False
    answers = [ann.get(address(claimed)).json for _ in range(2)]

    assert [one["status"] for one in silent] == ["no-answer"]
    assert [one["status"] for one in answers[0]["items"]] == ["here"]
    assert answers[0] == answers[1]
    assert point.asked == [claimed] * 2


def test_a_network_whose_turn_comes_too_late_is_not_asked(ann, claimed, point, monkeypatch):
    monkeypatch.setattr(standings, "MAX_SECONDS", -1.0)
    (item,) = ann.get(address(claimed)).json["items"]

    assert item["status"] == "no-answer"
    assert point.asked == []


def test_only_ids_of_the_account_are_asked_about(ann, claimed, point, service):
    """An id of another account is as unknown as one that nobody has; nothing is asked."""
    stranger = Dashboard(service, Caller(service, Environment.LIVE).tenant)
    paths = [address(claimed, "test"), address("0088:1"), address("x"), address(claimed, "moon")]
    answers = [stranger.get(address(claimed)), *(ann.get(path) for path in paths)]

    assert {slug(answer) for answer in answers} == {"not-found"}
    assert point.asked == []


def test_keys_are_not_accepted(service, claimed, point):
    assert Caller(service, Environment.LIVE).get(address(claimed)).status_code == 401


def asked_of(page) -> str:
    """The link that asks about the first id of the page."""
    return html.unescape(re.search(r'href="([^"]+ask=[^"]+)"', page.text)[1])


def test_the_page_asks_on_a_click_only(service, ann, claimed, point):
    """With scripts the cell is replaced, without them the page is loaded."""
    visitor = Visitor(service, ann.tenant)
    page = visitor.get(PAGE)
    assert point.asked == []
    point.here = {claimed}
    shown = visitor.get(asked_of(page))

    assert "Registered, delivers here" in shown.text
    assert 'id="network-1"' in shown.text
    assert 'hx-target="#network-1"' in page.text


@pytest.mark.parametrize(
    ("state", "words"),
    [("away", "No answer"), ("absent", "Not registered")],
)
def test_the_page_says_what_is_wrong(service, ann, claimed, point, state, words):
    point.here, point.away = ({claimed}, True) if state == "away" else (set(), False)
    visitor = Visitor(service, ann.tenant)

    assert words in visitor.get(asked_of(visitor.get(PAGE))).text


def test_the_sandbox_has_no_network_that_registers_ids(service, ann, point):
    ann.post("/api/participants", {"participantId": "0088:1234567890128", "environment": "test"})
    visitor = Visitor(service, ann.tenant)
    page = visitor.get(PAGE.replace("live", "test"))

    assert "No network of this environment registers ids." in visitor.get(asked_of(page)).text


def test_a_page_asks_about_its_own_ids_only(service, ann, claimed, point):
    other = ParticipantId.parse(registrar.ELSEWHERE)
    page = Visitor(service, ann.tenant).get(f"{PAGE}&ask={other}")

    assert page.status_code == 200
    assert point.asked == []
