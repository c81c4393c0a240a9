"""The page of usage: documents by day and month, and limits for those who manage keys."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from tests.builders import accepted
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/developers/usage"


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


def months(page: str) -> dict[str, list[str]]:
    """The counts of each month that is shown."""
    rows = re.findall(r'<tr><td class="now">(\w+ \d{4})</td>(.*?)</tr>', page)
    return {month: re.findall(r">([^<]*)</td>", cells) for month, cells in rows}


def test_documents_are_counted_by_month_over_the_time_that_is_chosen(visitor, monkeypatch):
    monkeypatch.setattr(clock, "today", lambda: datetime(2026, 11, 21, tzinfo=UTC).date())
    days = ("2026-08-21", "2026-08-22", "2026-10-22", "2026-10-23", "2026-11-21")
    with visitor.person.app.app_context():
        for day in days:
            at = datetime.fromisoformat(f"{day}T12:00:00+00:00")
            accepted(visitor.tenant, environment="test", created_at=at)
    short = visitor.get(f"{PAGE}?environment=test").text
    long = visitor.get(f"{PAGE}?environment=test&days=92").text

    assert months(short) == {
        "November 2026": ["1", "0", "1", "0", "0"],
        "October 2026": ["1", "0", "1", "0", "0"],
    }
    assert [counts[0] for counts in months(long).values()] == ["1", "2", "0", "1"]
    assert months(visitor.get(f"{PAGE}?environment=live").text).popitem()[1][0] == "0"


@pytest.mark.parametrize("days", ["31", "0", "-1", "x", "1000000"])
def test_another_time_than_those_offered_is_the_usual_one(visitor, days):
    assert "Documents of 30 days" in visitor.get(f"{PAGE}?days={days}").text


def test_limits_are_shown_to_those_who_manage_keys(visitor, app):
    visitor.person.post("/api/keys", {"name": "ERP of Gent", "environment": "test"})
    viewer = Visitor(app, visitor.tenant, Role.VIEWER, "eve")
    mine, theirs = (one.get(f"{PAGE}?environment=test").text for one in (visitor, viewer))

    assert "ERP of Gent" in mine
    assert "ERP of Gent" not in theirs
    assert "Documents of 30 days" in theirs
    assert "/dashboard/developers/audit" not in theirs
