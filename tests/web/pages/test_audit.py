"""The page of the audit log."""

from __future__ import annotations

import html
import re

import pytest

from einvoice.domain.roles import Role
from tests.web.pages.visitor import Visitor

LOG = "/dashboard/developers/audit"


@pytest.fixture
def visitor(service) -> Visitor:
    return Visitor(service)


def make_key(visitor, name: str = "ERP") -> str:
    made = visitor.person.post("/api/keys", {"name": name, "environment": "test"})
    assert made.status_code == 201, made.text
    return made.json["keyId"]


def test_the_log_says_who_did_what_to_what_newest_first(visitor):
    key = make_key(visitor)
    visitor.person.post(f"/api/keys/{key}/revoke")
    visitor.person.patch("/api/tenant", {"colour": "#0b5fff"})
    listed = visitor.person.get("/api/audit").json["items"]
    page = visitor.get(LOG).text

    assert len(listed) >= 2
    actions = re.findall(r'<td class="action"><a [^>]*title="([\w.-]+)">', page)

    assert actions == [each["action"] for each in listed]
    for shown in (key, "ann@example.com", listed[0]["at"], "API key: created", ">ERP<"):
        assert shown in page


def test_a_press_shows_the_entries_of_one_action_person_or_object_only(visitor):
    key = make_key(visitor)
    assert visitor.person.patch(f"/api/keys/{key}", {"name": "Shop"}).status_code == 200
    page = visitor.get(LOG).text
    link = re.search(r'<td class="action"><a href="([^"]+)" title="key.changed"', page)[1]
    narrowed = visitor.get(html.unescape(link)).text
    back = re.search(r'<span class="clear"><a href="([^"]+)"', narrowed)[1]

    assert re.findall(r'title="(key\.\w+)"', page) == ["key.changed", "key.created"]
    assert re.findall(r'title="(key\.\w+)"', narrowed) == ["key.changed"]
    assert back == LOG


def test_the_log_has_pages(visitor):
    for number in range(51):
        visitor.person.patch("/api/tenant", {"colour": f"#0000{number:02}"})
    total = len(visitor.person.get("/api/audit?limit=200").json["items"])
    first = visitor.get(LOG).text
    second = visitor.get(re.search(r'rel="next" href="([^"]+)"', first)[1]).text

    assert total > 50
    assert [page.count('<td class="action">') for page in (first, second)] == [50, total - 50]
    assert 'rel="next"' not in second


def test_the_log_is_for_administrators_of_its_account(service, visitor):
    key = make_key(visitor)
    member, stranger = Visitor(service, visitor.tenant, Role.MEMBER), Visitor(service)

    assert key in visitor.get(LOG).text
    assert member.get(LOG).status_code == 403
    assert key not in stranger.get(LOG).text
