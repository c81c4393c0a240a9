"""Lists of keys, clients, webhooks and participant ids page like all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import credentials, tenants
from einvoice.services.webhooks import endpoints
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

TEST, LIVE = Environment


def a_key(person: Dashboard, number: int, environment: Environment) -> str:
    return credentials.create(API_KEY, person.tenant, str(number), environment).record.id


def a_client(person: Dashboard, number: int, environment: Environment) -> str:
    return credentials.create(OAUTH_CLIENT, person.tenant, str(number), environment).record.id


def a_webhook(person: Dashboard, number: int, environment: Environment) -> str:
    settings, url = runtime_of(person.app).settings, f"https://receiver.example/{number}"
    made = endpoints.create(person.tenant, environment, url=url, settings=settings)
    return made.endpoint.id


def a_participant(person: Dashboard, number: int, environment: Environment) -> str:
    digits = int(person.tenant.replace("-", ""), 16) % 10**10
    participant = ParticipantId.parse(f"0088:{digits:010}{number:03}")
    return tenants.own_participant(person.tenant, environment, participant).participant


Make = Callable[[Dashboard, int, Environment], str]
LISTS = [
    ("/api/keys", "keyId", a_key),
    ("/api/oauth-clients", "clientId", a_client),
    ("/api/webhooks", "webhookId", a_webhook),
    ("/api/participants", "participantId", a_participant),
]
lists = pytest.mark.parametrize(("path", "member", "make"), LISTS, ids=[p for p, *_ in LISTS])


def fill(person: Dashboard, make: Make, count: int, environment: Environment = TEST) -> list[str]:
    with person.app.app_context():
        return [make(person, number, environment) for number in range(count)]


def walk(person: Dashboard, path: str, member: str, query: str = "") -> list[list[str]]:
    """The ids of every page."""
    pages: list[list[str]] = []
    cursor = ""
    while True:
        answer = person.get(f"{path}?{query}{cursor}")
        assert answer.status_code == 200, answer.text
        assert answer.json.keys() == {"items", "nextCursor", "hasMore", "provider"}
        pages.append([item[member] for item in answer.json["items"]])
        assert answer.json["hasMore"] is (answer.json["nextCursor"] is not None)
        if not answer.json["hasMore"]:
            return pages
        cursor = f"&cursor={answer.json['nextCursor']}"


def flat(pages: Iterable[list[str]]) -> list[str]:
    return [one for page in pages for one in page]


@pytest.fixture
def owner(service) -> Dashboard:
    return Dashboard(service)


@lists
@pytest.mark.parametrize(("count", "sizes"), [(0, [0]), (3, [3]), (4, [3, 1]), (6, [3, 3])])
def test_pages_hold_every_item_once(owner, path, member, make, count, sizes):
    """A page that is just full is the last one only if there is no more."""
    made = fill(owner, make, count)
    pages = walk(owner, path, member, "limit=3")

    assert [len(page) for page in pages] == sizes
    assert sorted(flat(pages)) == sorted(made)
    assert flat(pages) == walk(owner, path, member)[0]


@lists
def test_pages_of_both_environments_and_of_one(owner, path, member, make):
    made = {each: fill(owner, make, 3, each) for each in Environment}
    both = flat(walk(owner, path, member, "limit=2"))

    assert sorted(both) == sorted(flat(made.values()))
    for each, ids in made.items():
        found = walk(owner, path, member, f"limit=2&environment={each}")
        assert [len(page) for page in found] == [2, 1]
        assert sorted(flat(found)) == sorted(ids)


@lists
@pytest.mark.parametrize(
    ("limit", "code"), [("0", "out-of-range"), ("201", "out-of-range"), ("x", "wrong-type")]
)
def test_the_size_of_a_page_is_bounded(owner, path, member, make, limit, code):
    for inside in ("1", "200"):
        assert owner.get(f"{path}?limit={inside}").status_code == 200
    answer = owner.get(f"{path}?limit={limit}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [("/limit", code)]


@lists
def test_a_cursor_is_of_one_list_one_filter_and_one_account(service, owner, path, member, make):
    fill(owner, make, 2)
    cursor = owner.get(f"{path}?limit=1").json["nextCursor"]
    other_list = next(p for p, *_ in LISTS if p != path)
    refused = [
        owner.get(f"{path}?limit=1&environment=test&cursor={cursor}"),
        owner.get(f"{other_list}?cursor={cursor}"),
        Dashboard(service).get(f"{path}?cursor={cursor}"),
        owner.get(f"{path}?cursor=nonsense"),
    ]

    assert owner.get(f"{path}?limit=5&cursor={cursor}").status_code == 200
    for answer in refused:
        assert (answer.status_code, slug(answer)) == (400, "invalid-field")
        assert [e["code"] for e in answer.json["errors"]] == ["invalid-cursor"]


@lists
def test_a_list_has_no_items_of_another_account(service, owner, path, member, make):
    fill(owner, make, 3)

    assert walk(Dashboard(service), path, member) == [[]]


@lists
def test_what_is_made_meanwhile_neither_repeats_nor_hides_an_item(owner, path, member, make):
    made = fill(owner, make, 4)
    first = owner.get(f"{path}?limit=2").json
    with owner.app.app_context():
        later = make(owner, 900, TEST)
    second = owner.get(f"{path}?limit=9&cursor={first['nextCursor']}").json
    found = [item[member] for item in (*first["items"], *second["items"])]

    assert sorted(found) == sorted([*made, later])


def test_a_program_pages_the_webhooks_of_its_environment(service):
    key = Caller(service, scopes=["webhooks:manage"])
    person = Dashboard(service, key.tenant)
    mine = fill(person, a_webhook, 3)
    fill(person, a_webhook, 2, LIVE)
    first = key.get("/api/webhooks?limit=2").json
    second = key.get(f"/api/webhooks?limit=2&cursor={first['nextCursor']}").json
    found: list[Any] = [item["webhookId"] for item in (*first["items"], *second["items"])]

    assert (sorted(found), second["hasMore"]) == (sorted(mine), False)


def test_the_default_page_has_fifty_items(owner):
    """As of all other lists."""
    fill(owner, a_participant, 51)

    assert [len(page) for page in walk(owner, "/api/participants", "participantId")] == [50, 1]
